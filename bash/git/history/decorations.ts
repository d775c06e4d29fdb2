/** The refs that name a commit, for `--decorate` and `%d`. */
import { readHead } from '../../../src/git/refs/refs.js'
import type { Repository } from '../../../src/git/repository.js'
import { type Colors, noColors } from '../color.js'
import { peelTags, typeOf } from '../objects.js'

export interface Decoration {
  name: string
  /** Of the colours of decorations. */
  slot: 'branch' | 'remotebranch' | 'tag' | 'stash' | 'head'
}

export type Decorations = ReadonlyMap<string, readonly Decoration[]>

/** Names by the object they lead to, in git's order: `HEAD`, tags, remote branches, branches. */
export async function readDecorations(repository: Repository, isFull = false): Promise<Decorations> {
  const found = new Map<string, Decoration[]>()
  const add = (oid: string, name: string, slot: Decoration['slot']) =>
    found.set(oid, [{ name, slot }, ...(found.get(oid) ?? [])])
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
    add(target, name, slotOf(ref))
  }
  if (head.oid !== undefined) {
    add(head.oid, current === undefined ? 'HEAD' : `HEAD -> ${isFull ? current : head.branch}`, 'head')
  }
  return found
}

export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(heads|remotes|tags)\//, '')
}

function slotOf(ref: string): Decoration['slot'] {
  if (ref.startsWith('refs/tags/')) return 'tag'
  if (ref.startsWith('refs/remotes/')) return 'remotebranch'
  return ref === 'refs/stash' ? 'stash' : 'branch'
}

/** ` (HEAD -> main, tag: v1)`, or nothing. */
export function decorationOf(decorations: Decorations | undefined, oid: string, colors: Colors = noColors): string {
  const names = decorations?.get(oid)
  if (names === undefined) return ''
  return `${colors.paint('diff.commit', ' (')}${decoratedNames(names, colors)}${colors.paint('diff.commit', ')')}`
}

/** `HEAD -> main, tag: v1` */
export function decoratedNames(names: readonly Decoration[], { paint }: Colors = noColors): string {
  return names
    .map(({ name, slot }) => {
      const [, current] = /^HEAD -> (.*)$/s.exec(name) ?? []
      if (current === undefined) return paint(`decorate.${slot}`, name)
      return paint('decorate.head', 'HEAD -> ') + paint('decorate.branch', current)
    })
    .join(paint('diff.commit', ', '))
}
