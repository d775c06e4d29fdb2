/** Small commands: `version`, `help`, `fsck` and `gc`. */
import { modes } from '../../../src/git/objects/tree.js'
import { readIndex } from '../../../src/git/repository.js'
import { type GitContext, open } from '../context.js'
import { fatal, GitError } from '../git-error.js'
import { ancestors } from '../history/walk.js'
import { peelTags, typeOf } from '../objects.js'
import { flag, parseGit } from '../options.js'

export async function version(context: GitContext): Promise<number> {
  context.out.write('git version 2.39.5\n')
  return 0
}

export function helpWith(names: () => readonly string[]) {
  return async (context: GitContext, args: readonly string[]): Promise<number> => {
    const [topic] = args.filter((arg) => !arg.startsWith('-'))
    if (topic !== undefined && !names().includes(topic))
      throw new GitError(`git: '${topic}' is not a git command. See 'git --help'.`, 1)
    context.out.write(
      `usage: git [-C <path>] [-c <name>=<value>] [--no-pager] <command> [<args>]\n\nThis git works on the repositories of this workspace, without a network and hooks.\nIt has these commands:\n${names()
        .map((name) => `   ${name}\n`)
        .join('')}`,
    )
    return 0
  }
}

/** Reads all that is reachable; what is damaged makes it fail. */
export async function fsck(context: GitContext, args: readonly string[]): Promise<number> {
  parseGit(
    'fsck',
    args,
    {
      full: flag('--full'),
      noDangling: flag('--no-dangling'),
      progress: flag('--progress', '--no-progress'),
      strict: flag('--strict'),
      connectivity: flag('--connectivity-only'),
    },
    {
      unsupported: [
        '--lost-found',
        '--unreachable',
        '--dangling',
        '--root',
        '--tags',
        '--cache',
        '--no-reflogs',
        '--verbose',
        '-v',
        '--name-objects',
      ],
    },
  )
  const repository = await open(context)
  const starts: string[] = []
  for (const ref of ['HEAD', ...(await repository.refs.list('refs/'))]) {
    const { oid } = await repository.refs.resolve(ref)
    if (oid === undefined) continue
    const target = await peelTags(repository, oid)
    if (target.type === 'commit') starts.push(target.oid)
  }
  const seen = new Set<string>()
  const visit = async (tree: string): Promise<void> => {
    if (seen.has(tree)) return
    seen.add(tree)
    for (const { mode, oid } of await repository.objects.readTree(tree)) {
      if (mode === modes.directory) await visit(oid)
      else if (mode !== modes.submodule && !seen.has(oid)) {
        seen.add(oid)
        await repository.objects.readBlob(oid)
      }
    }
  }
  for (const oid of await ancestors(repository, starts)) await visit((await repository.objects.readCommit(oid)).tree)
  for (const { oid, mode } of (await readIndex(repository)).entries)
    if (mode !== modes.submodule && (await typeOf(repository, oid)) === undefined) throw fatal(`missing blob ${oid}`)
  return 0
}

/** Repositories stay as they are: packing them would change nothing that one sees. */
export async function gc(context: GitContext): Promise<number> {
  await open(context)
  return 0
}
