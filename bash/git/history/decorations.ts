/** The refs that name a commit, for `--decorate` and `%d`. */
import { readHead } from '../../../src/git/refs/refs.js'
import type { Repository } from '../../../src/git/repository.js'
import { peelTags, typeOf } from '../objects.js'

export type Decorations = ReadonlyMap<string, readonly string[]>

/** Names by the object they lead to, in git's order: `HEAD`, tags, remote branches, branches. */
export async function readDecorations(repository: Repository, isFull = false): Promise<Decorations> {
  const found = new Map<string, string[]>()
  const add = (oid: string, name: string) => found.set(oid, [name, ...(found.get(oid) ?? [])])
  const head = await readHead(repository)
  const current = head.branch === undefined ? undefined : `refs/heads/${head.branch}`
  for (const ref of await repository.refs.list('refs/')) {
    if (!/^refs\/(heads|remotes|tags)\//.test(ref) && ref !== 'refs/stash') continue
    const { oid } = await repository.refs.resolve(ref)
    if (oid === undefined || ref === current || (await typeOf(repository, oid)) === undefined) continue
    const name = ref.startsWith('refs/tags/')
      ? `tag: ${isFull ? ref : ref.slice('refs/tags/'.length)}`
      : isFull
        ? ref
        : shortRef(ref)
    const target = ref.startsWith('refs/tags/') ? (await peelTags(repository, oid)).oid : oid
    add(target, name)
  }
  if (head.oid !== undefined) {
    add(head.oid, current === undefined ? 'HEAD' : `HEAD -> ${isFull ? current : head.branch}`)
  }
  return found
}

export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(heads|remotes|tags)\//, '')
}

/** ` (HEAD -> main, tag: v1)`, or nothing. */
export function decorationOf(decorations: Decorations | undefined, oid: string): string {
  const names = decorations?.get(oid)
  return names === undefined ? '' : ` (${names.join(', ')})`
}
