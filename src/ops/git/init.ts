import * as z from 'zod'
import { initRepository } from '../../git/commands/init.js'
import { operation } from '../operation.js'
import { directory, resolveDirectory, revision } from './repository-paths.js'

/** Creates an empty repository, without hooks or templates. Returns its `root` and first `branch`. */
export const gitInit = operation({
  mutates: true,
  input: z.object({ directory, branch: revision.default('main') }),

  async run({ branch, ...input }, workspace): Promise<{ root: string; branch: string }> {
    return initRepository(workspace, resolveDirectory(workspace, input.directory), { branch })
  },
})
