import * as z from 'zod'
import { gitAdd } from '../../git/commands/add.js'
import { type CommitResult, gitCommit as commit } from '../../git/commands/commit.js'
import { changeRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory } from './repository-paths.js'

/** Commits what is staged. Returns the `commit`, its `branch`, and its `changes`. For `printCommitted`. Runs no hooks and signs nothing. */
export const gitCommit = operation({
  mutates: true,
  input: z.object({
    directory,
    message: z.string(),
    /** Default: `user.name` and `user.email` of the repository. */
    author: z.object({ name: z.string(), email: z.string() }).exactOptional(),
    /** First stage changes of tracked files. */
    all: z.boolean().default(false),
    allowEmpty: z.boolean().default(false),
    /** Replace the last commit; an empty message reuses its message. */
    amend: z.boolean().default(false),
  }),

  async run({ all, message, author, allowEmpty, amend, ...input }, workspace, context): Promise<CommitResult> {
    const at = resolveDirectory(workspace, input.directory)
    return changeRepository(workspace, at, 'git commit', context, async (repository, draft) => {
      if (all) await gitAdd(repository, { paths: [''], update: true })
      return commit(repository, draft, { message, allowEmpty, amend, ...(author && { author }) })
    })
  },
})
