import * as z from 'zod'
import { gitRestore as restore } from '../../git/commands/restore.js'
import type { ChangedPath } from '../../git/commands/status.js'
import { changeRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, resolvePaths, revision } from './repository-paths.js'

/**
 * Restores files from the index or from a revision, or unstages them (`staged`). Returns what changed. The replaced content comes back when
 * the change is undone.
 */
export const gitRestore = operation({
  mutates: true,
  input: z.object({
    directory,
    paths: z.array(z.string()).min(1),
    /** The source. Default: the index; `HEAD` for `staged`. */
    revision: revision.exactOptional(),
    /** Restore the index. */
    staged: z.boolean().default(false),
    /** Restore the files. Default: unless `staged`. */
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
