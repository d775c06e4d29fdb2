/** Other working trees of the same repository. */
import { FsError } from '../../errors.js'
import { dirname, join } from '../../fs/path.js'
import { isTrue } from '../config.js'
import { limits, tooLarge } from '../limits.js'
import { isRefName } from '../refs/ref-name.js'
import type { Repository } from '../repository.js'

/** Like git, refuses a branch that is checked out in another worktree, because it would change for everyone who works there. */
export async function refuseCheckedOutElsewhere(repository: Repository, branch: string): Promise<void> {
  const { name } = await repository.refs.resolve(`refs/heads/${branch}`)
  for (const { place, branch: theirs, rebasing } of await otherWorktrees(repository)) {
    const used = [theirs, rebasing].filter((ref) => ref !== undefined)
    const isUsed = (await Promise.all(used.map((ref) => repository.refs.resolve(ref)))).some((ref) => ref.name === name)
    if (isUsed) throw new FsError('GIT_REFUSED', { reason: 'checked-out-elsewhere', subject: branch, paths: [place] })
  }
}

/** Updates the `HEAD` of other worktrees that are on the renamed branch. */
export async function followRename(repository: Repository, branch: string, to: string): Promise<void> {
  for (const { head, branch: theirs } of await otherWorktrees(repository)) {
    if (theirs !== `refs/heads/${branch}`) continue
    await repository.staged.write(head, new TextEncoder().encode(`ref: refs/heads/${to}\n`))
  }
}

interface Worktree {
  /** The directory of its files, as recorded in the repository. */
  place: string
  /** The path of its `HEAD`. */
  head: string
  /** The full name of the branch it is on. */
  branch?: string
  /** The branch it will be on after a rebase in progress. */
  rebasing?: string
}

const maxWorktrees = 1000

async function otherWorktrees(repository: Repository): Promise<Worktree[]> {
  const { staged, gitDirectory, commonDirectory, config } = repository
  const names = await staged.list(join(commonDirectory, 'worktrees'))
  if (names.length > maxWorktrees) throw tooLarge('the number of worktrees', maxWorktrees, 'worktrees')
  const directories = names.map((name) => join(commonDirectory, `worktrees/${name}`))
  if (isTrue(config, 'core.bare') !== true) directories.unshift(commonDirectory)
  const found: Worktree[] = []
  for (const directory of directories) {
    if (directory === gitDirectory) continue
    const head = join(directory, 'HEAD')
    const [, branch] = /^ref: (refs\/heads\/\S+)$/.exec((await read(repository, head)) ?? '') ?? []
    const rebasing = await read(repository, join(directory, 'rebase-merge/head-name'))
    const isBranch = rebasing?.startsWith('refs/heads/') && isRefName(rebasing)
    const back = directory === commonDirectory ? commonDirectory : await read(repository, join(directory, 'gitdir'))
    found.push({
      place: dirname(back ?? directory),
      head,
      ...(branch !== undefined && isRefName(branch) && { branch }),
      ...(isBranch && rebasing !== undefined && { rebasing }),
    })
  }
  return found
}

async function read({ staged }: Repository, path: string): Promise<string | undefined> {
  if ((await staged.stat(path))?.kind !== 'file') return undefined
  const bytes = await staged.reader(path)({ start: 0, end: limits.smallFileBytes })
  return new TextDecoder().decode(bytes).trim()
}
