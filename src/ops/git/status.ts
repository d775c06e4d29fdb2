import * as z from 'zod'
import { type GitStatus, gitStatus as readStatus } from '../../git/commands/status.js'
import { openRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, resolvePaths } from './repository-paths.js'

/** Compares the last commit, the index and the working tree. Returns a `GitStatus`, for `printStatus` and `printShortStatus`. */
export const gitStatus = operation({
  mutates: false,
  input: z.object({
    directory,
    /** Only at or below these paths. */
    paths: z.array(z.string()).exactOptional(),
    /** How a directory without tracked files is reported: as one entry (`normal`), file by file (`all`), or not at all. */
    untracked: z.enum(['none', 'normal', 'all']).default('normal'),
    /** Report ignored files too. */
    ignored: z.boolean().default(false),
  }),

  async run(input, workspace, context): Promise<GitStatus> {
    const at = resolveDirectory(workspace, input.directory)
    const repository = await openRepository(workspace, at, context)
    const paths = input.paths && (await resolvePaths(workspace, at, input.paths))
    const { untracked, ignored } = input
    return readStatus(repository, { untracked, ignored, ...(paths && { paths }) })
  },
})
