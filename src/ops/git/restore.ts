import * as z from 'zod'
import { gitRestore as restore } from '../../git/commands/restore.js'
import type { ChangedPath } from '../../git/commands/status.js'
import { changeRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, resolvePaths, revision } from './repository-paths.js'

/**
 * Puts files back to what is staged or to a revision, or (`staged`) unstages them; tells what changed. What the files held is given up,
 * and is back when the change is undone.
 */
export const gitRestore = operation({
  mutates: true,
  input: z.object({
    directory,
    paths: z.array(z.string()).min(1),
    /** Where from: the index unless given, `HEAD` for `staged`. */
    revision: revision.exactOptional(),
    /** Put back what is staged. */
    staged: z.boolean().default(false),
    /** Put back the files; unless given, when `staged` is not. */
    workTree: z.boolean().exactOptional(),
  }),

  async run({ revision, staged, workTree, ...input }, workspace, context): Promise<ChangedPath[]> {
    const at = resolveDirectory(workspace, input.directory)
    const paths = await resolvePaths(workspace, at, input.paths)
    return changeRepository(workspace, at, 'git restore', context, (repository, draft) =>
      restore(repository, draft, {
        paths,
        staged,
        ...(revision !== undefined && { revision }),
        ...(workTree !== undefined && { workTree }),
      }),
    )
  },
})
