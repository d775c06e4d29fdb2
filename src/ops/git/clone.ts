import * as z from 'zod'
import { type Cloned, cloneRepository } from '../../git/commands/clone.js'
import { operation } from '../operation.js'
import { resolveDirectory, revision } from './repository-paths.js'

/** Copies a repository over HTTP: its `root`, `branch`, `oid` and how many `files`. `UNSUPPORTED` unless the workspace has `http`. */
export const gitClone = operation({
  mutates: true,
  input: z.object({
    /** `http:` or `https:`. */
    url: z.string(),
    /** Where to; the last part of the address, in the workspace, unless given. */
    directory: z.string().exactOptional(),
    branch: revision.exactOptional(),
    /** How many commits of the past are fetched; all unless given. */
    depth: z.int().min(1).exactOptional(),
  }),

  async run({ url, branch, depth, ...input }, workspace, context): Promise<Cloned> {
    const name =
      input.directory ??
      url
        .replace(/[/?#]*$/, '')
        .replace(/\/?\.git$/, '')
        .replace(/^.*[/:]/, '')
    const options = { ...(branch !== undefined && { branch }), ...(depth !== undefined && { depth }) }
    return cloneRepository(workspace, { url, directory: resolveDirectory(workspace, name), ...options }, context)
  },
})
