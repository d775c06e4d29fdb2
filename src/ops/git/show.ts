import * as z from 'zod'
import { type ShowResult, gitShow as show } from '../../git/commands/log.js'
import { openRepository } from '../../git/repository.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, resolvePaths, revision } from './repository-paths.js'

/** Returns a commit with its changes (`kind: 'commit'`) or, with a path, a `file` or `directory` of that revision. For `printShow`. */
export const gitShow = operation({
  mutates: false,
  input: z.object({ directory, revision: revision.default('HEAD'), path: z.string().exactOptional() }),

  async run(input, workspace, context): Promise<ShowResult> {
    const at = resolveDirectory(workspace, input.directory)
    const repository = await openRepository(workspace, at, context)
    const [path] = input.path === undefined ? [] : await resolvePaths(workspace, at, [input.path])
    const { maxFileBytes } = workspace.limits
    return show(repository, { revision: input.revision, maxFileBytes, ...(path !== undefined && { path }) })
  },
})
