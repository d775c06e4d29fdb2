import * as z from 'zod'
import { gitAdd } from '../../git/commands/add.js'
import { type Committed, gitCommit as commit } from '../../git/commands/commit.js'
import { changeRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory } from './repository-paths.js'

/** Commits what is staged: the `commit`, its `branch`, and what it `changes`. For `printCommitted`. Runs no hook, and signs nothing. */
export const gitCommit = operation({
  mutates: true,
  input: z.object({
    directory,
    message: z.string(),
    /** The repository's `user.name` and `user.email` unless given. */
    author: z.object({ name: z.string(), email: z.string() }).exactOptional(),
    /** Stage what is tracked and has changed first. */
    all: z.boolean().default(false),
    allowEmpty: z.boolean().default(false),
    /** Replace the last commit; an empty message keeps its own. */
    amend: z.boolean().default(false),
  }),

  async run({ all, message, author, allowEmpty, amend, ...input }, workspace, context): Promise<Committed> {
    const at = resolveDirectory(workspace, input.directory)
    return changeRepository(workspace, at, 'git commit', context, async (repository, draft) => {
      if (all) await gitAdd(repository, { paths: [''], update: true })
      return commit(repository, draft, { message, allowEmpty, amend, ...(author && { author }) })
    })
  },
})
