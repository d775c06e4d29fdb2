import * as z from 'zod'
import { type Log, gitLog as readLog } from '../../git/commands/log.js'
import { openRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, resolvePaths, revision } from './repository-paths.js'

/** Lists commits, newest first, page by page: `commits`, and whether there are `more`. For `printLog`. */
export const gitLog = operation({
  mutates: false,
  input: z.object({
    directory,
    revision: revision.default('HEAD'),
    /** Leave out commits that are reachable from this one. */
    since: revision.exactOptional(),
    /** Only commits that change something at or below these paths. */
    paths: z.array(z.string()).exactOptional(),
    /** Commits to skip; for the next page, add the number of commits returned so far. */
    skip: z.int().min(0).default(0),
    limit: z.int().min(1).default(50),
  }),

  async run(input, workspace, context): Promise<Log> {
    const at = resolveDirectory(workspace, input.directory)
    const repository = await openRepository(workspace, at, context)
    const paths = input.paths && (await resolvePaths(workspace, at, input.paths))
    const { revision, since, skip, limit } = input
    return readLog(repository, { revision, skip, limit, ...(since && { since }), ...(paths && { paths }) })
  },
})
