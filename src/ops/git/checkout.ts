import * as z from 'zod'
import { type CheckoutResult, gitCheckout as checkout } from '../../git/commands/checkout.js'
import { changeRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, revision } from './repository-paths.js'

/**
 * Checks out a branch, a new branch, or a revision without a branch. Returns the `branch`, its `oid`, and the `changes` of the working
 * tree. Refuses with `would-overwrite` rather than lose uncommitted changes.
 */
export const gitCheckout = operation({
  mutates: true,
  input: z.object({
    directory,
    /** Default: `HEAD`. */
    revision: revision.exactOptional(),
    /** Create this branch there and check it out. */
    create: revision.exactOptional(),
    /** Discard uncommitted changes. */
    force: z.boolean().default(false),
  }),

  async run({ revision, create, force, ...input }, workspace, context): Promise<CheckoutResult> {
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
