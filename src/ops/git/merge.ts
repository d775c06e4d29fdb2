import * as z from 'zod'
import {
  gitAbortMerge as abort,
  gitCherryPick as cherryPick,
  type MergedCommit,
  gitMerge as merge,
} from '../../git/commands/merge.js'
import { changeRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, revision } from './repository-paths.js'

export type { MergedCommit }

const author = z.object({ name: z.string(), email: z.string() }).exactOptional()

/**
 * Merges a revision into the current branch: by a fast-forward, or by a commit with two parents. Where both sides changed the same, the files
 * get marks, and `gitCommit` ends the merge.
 */
export const gitMerge = operation({
  mutates: true,
  input: z.object({
    directory,
    revision,
    /** Default: as git words it. */
    message: z.string().min(1).exactOptional(),
    /** Default: `user.name` and `user.email` of the repository. */
    author,
  }),

  async run({ directory: given, ...options }, workspace, context): Promise<MergedCommit> {
    const at = resolveDirectory(workspace, given)
    return changeRepository(workspace, at, 'git merge', context, (repository, draft) =>
      merge(repository, draft, options),
    )
  },
})

/** Commits what another commit has changed, with its author and message. Conflicts as with `gitMerge`. */
export const gitCherryPick = operation({
  mutates: true,
  input: z.object({
    directory,
    revision,
    /** The committer. Default: `user.name` and `user.email` of the repository. */
    author,
  }),

  async run({ directory: given, ...options }, workspace, context): Promise<MergedCommit> {
    const at = resolveDirectory(workspace, given)
    return changeRepository(workspace, at, 'git cherry-pick', context, (repository, draft) =>
      cherryPick(repository, draft, options),
    )
  },
})

/** Ends a merge or cherry-pick in progress, and puts back the files that it has changed. Returns which it was. */
export const gitAbortMerge = operation({
  mutates: true,
  input: z.object({ directory }),

  async run({ directory: given }, workspace, context): Promise<'merge' | 'cherry-pick'> {
    const at = resolveDirectory(workspace, given)
    return changeRepository(workspace, at, 'git merge --abort', context, abort)
  },
})
