import * as z from 'zod'
import { type CheckedOut, gitCheckout as checkout } from '../../git/commands/checkout.js'
import { changeRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, revision } from './repository-paths.js'

/**
 * Checks out a branch, a new branch, or a revision without one: the `branch`, its `oid`, and what `changes` in the working tree. Refuses
 * with `would-overwrite` rather than lose what is in no commit.
 */
export const gitCheckout = operation({
  mutates: true,
  input: z.object({
    directory,
    /** `HEAD` unless given. */
    revision: revision.exactOptional(),
    /** Make this branch there and check it out. */
    create: revision.exactOptional(),
    /** Give up what is in no commit. */
    force: z.boolean().default(false),
  }),

  async run({ revision, create, force, ...input }, workspace, context): Promise<CheckedOut> {
    const at = resolveDirectory(workspace, input.directory)
    return changeRepository(workspace, at, 'git checkout', context, (repository, draft) =>
      checkout(repository, draft, {
        force,
        ...(revision !== undefined && { revision }),
        ...(create !== undefined && { create }),
      }),
    )
  },
})
