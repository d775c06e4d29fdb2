import * as z from 'zod'
import { type GitStatus, gitStatus as readStatus } from '../../git/commands/status.js'
import { openRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, resolvePaths } from './repository-paths.js'

/** What differs between the last commit, the index and the working tree: a `GitStatus`, for `printStatus` and `printShortStatus`. */
export const gitStatus = operation({
  mutates: false,
  input: z.object({
    directory,
    /** Only what lies at or below these. */
    paths: z.array(z.string()).exactOptional(),
    /** A directory that holds nothing tracked is told as one (`normal`), file by file (`all`), or not at all. */
    untracked: z.enum(['none', 'normal', 'all']).default('normal'),
    /** Tell what is ignored too. */
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
