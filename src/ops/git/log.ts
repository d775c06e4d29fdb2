import * as z from 'zod'
import { type Log, gitLog as readLog } from '../../git/commands/log.js'
import { openRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, resolvePaths, revision } from './repository-paths.js'

/** Commits, newest first, page by page: `commits`, and whether there are `more`. For `printLog`. */
export const gitLog = operation({
  mutates: false,
  input: z.object({
    directory,
    revision: revision.default('HEAD'),
    /** Leave out what can be reached from here. */
    since: revision.exactOptional(),
    /** Only commits that change something at or below these. */
    paths: z.array(z.string()).exactOptional(),
    /** Pass over this many; for the next page, add those told so far. */
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
