/** Small commands: `version`, `help`, `worktree list`, `fsck` and `gc`. */
import { join } from '../../../src/fs/path.js'
import { modes } from '../../../src/git/objects/tree.js'
import { type Repository, readIndex } from '../../../src/git/repository.js'
import { type GitContext, open } from '../context.js'
import { fatal, GitError } from '../git-error.js'
import { ancestors } from '../history/walk.js'
import { abbreviate, peelTags, typeOf } from '../objects.js'
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

export async function worktree(context: GitContext, args: readonly string[]): Promise<number> {
  const [action, ...rest] = args
  if (action !== 'list')
    throw fatal(
      action === undefined ? 'usage: git worktree list' : `'git worktree ${action}' is not supported by this git`,
      action === undefined ? 129 : 128,
    )
  const given = parseGit(
    'worktree list',
    rest,
    { porcelain: flag('--porcelain'), verbose: flag('-v', '--verbose') },
    { unsupported: ['-z', '--expire'] },
  )
  const repository = await open(context)
  const trees = await worktreesOf(repository)
  if (given.has('porcelain')) {
    context.out.write(
      repository.isBare
        ? `worktree ${context.shown(repository.root)}\nbare\n\n`
        : trees
            .map(
              ({ place, oid, branch }) =>
                `worktree ${place}\nHEAD ${oid ?? '0'.repeat(40)}\n${branch === undefined ? 'detached' : `branch ${branch}`}\n\n`,
            )
            .join(''),
    )
    return 0
  }
  if (repository.isBare) {
    context.out.write(`${context.shown(repository.root)}  (bare)\n`)
    return 0
  }
  const width = Math.max(...trees.map(({ place }) => place.length))
  for (const { place, oid, branch } of trees) {
    const id = oid === undefined ? '0'.repeat(7) : await abbreviate(repository, oid)
    context.out.write(
      `${place.padEnd(width)}  ${id} ${branch === undefined ? '(detached HEAD)' : `[${branch.replace(/^refs\/heads\//, '')}]`}\n`,
    )
  }
  return 0
}

async function worktreesOf(repository: Repository): Promise<{ place: string; oid?: string; branch?: string }[]> {
  const { staged, commonDirectory, gitDirectory, root } = repository
  const read = async (path: string) =>
    (await staged.stat(path))?.kind === 'file'
      ? new TextDecoder().decode(await staged.reader(path)()).trim()
      : undefined
  const found: { place: string; oid?: string; branch?: string }[] = []
  const names = await staged.list(join(commonDirectory, 'worktrees'))
  for (const directory of [
    commonDirectory,
    ...names.sort().map((name) => join(commonDirectory, `worktrees/${name}`)),
  ]) {
    const head = (await read(join(directory, 'HEAD'))) ?? ''
    const branch = /^ref: (.*)$/.exec(head)?.[1]
    const oid = branch === undefined ? head : (await repository.refs.resolve(branch)).oid
    const link =
      directory === commonDirectory ? commonDirectory : ((await read(join(directory, 'gitdir'))) ?? directory)
    const place = directory === gitDirectory ? root : link.replace(/\/\.git$/, '') || '/'
    found.push({ place, ...(oid !== undefined && { oid }), ...(branch !== undefined && { branch }) })
  }
  return found
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
