import * as z from 'zod'
import { type CloneResult, cloneRepository, repositoryName } from '../../git/commands/clone.js'
import { operation } from '../operation.js'
import { resolveDirectory, revision } from './repository-paths.js'

/**
 * Clones a repository over HTTP. Returns its `root`, `branch`, `oid` and number of `files`. Fails with `UNSUPPORTED` unless the workspace
 * has `http`.
 */
export const gitClone = operation({
  mutates: true,
  input: z.object({
    /** `http:` or `https:`. */
    url: z.string(),
    /** Where to. Default: the last part of the address, in the workspace. */
    directory: z.string().exactOptional(),
    branch: revision.exactOptional(),
    /** How many commits of the history to fetch. Default: all. */
    depth: z.int().min(1).exactOptional(),
  }),

  async run({ url, branch, depth, ...input }, workspace, context): Promise<CloneResult> {
    const name = input.directory ?? repositoryName(url)
    const options = { ...(branch !== undefined && { branch }), ...(depth !== undefined && { depth }) }
    return cloneRepository(workspace, { url, directory: resolveDirectory(workspace, name), ...options }, context)
  },
})
