/** Brings the result of a merge into the index and the working tree, in git's words where that is refused. */
import type { Draft } from '../../../src/change/draft.js'
import { type FsError, isFsError } from '../../../src/errors.js'
import { applyMerge as apply } from '../../../src/git/merge/apply-merge.js'
import type { MergeResult } from '../../../src/git/merge/merge-trees.js'
import type { Repository } from '../../../src/git/repository.js'
import { indexPairs } from '../diff/pairs.js'
import { GitError } from '../git-error.js'

/** Moves from the tree of `HEAD` to the result. Conflicts are recorded in the index. */
export async function applyMerge(
  repository: Repository,
  draft: Draft,
  from: string | undefined,
  result: Pick<MergeResult, 'files' | 'conflicts'>,
  command = 'merge',
): Promise<void> {
  try {
    await apply(repository, draft, from, result)
  } catch (error) {
    throw reworded(error, command)
  }
}

export function reworded(error: unknown, command: string): unknown {
  if (!isFsError(error, 'GIT_REFUSED')) return error
  const { reason, paths = [] } = (error as FsError<'GIT_REFUSED'>).facts
  if (reason !== 'would-overwrite') return error
  const list = paths.map((path) => `\t${path}\n`).join('')
  return new GitError(
    `error: Your local changes to the following files would be overwritten by ${command}:\n${list}Please commit your changes or stash them before you ${command}.\nAborting`,
    1,
  )
}

/** A merge needs an index that is as `HEAD`. */
export async function refuseStaged(repository: Repository, tree: string | undefined, command: string): Promise<void> {
  const staged = await indexPairs(repository, tree)
  if (staged.length === 0) return
  const conflicted = staged.some(({ status }) => status === 'U')
  if (conflicted) {
    throw new GitError(
      `error: ${command === 'merge' ? 'Merging' : command === 'revert' ? 'Reverting' : command === 'rebase' ? 'Rebasing' : 'Cherry-picking'} is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.`,
      128,
    )
  }
  if (command !== 'merge') {
    throw new GitError(
      `error: your local changes would be overwritten by ${command}.\nhint: commit your changes or stash them to proceed.\nfatal: ${command} failed`,
      128,
    )
  }
  const list = staged.map(({ path }) => `\t${path}\n`).join('')
  throw new GitError(
    `error: Your local changes to the following files would be overwritten by ${command}:\n${list}Please commit your changes or stash them before you ${command}.\nAborting`,
    command === 'merge' ? 2 : 1,
  )
}
