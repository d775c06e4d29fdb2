import * as z from 'zod'
import { FsError } from '../errors.js'
import { operation } from './operation.js'

/** Sets the permission bits of a file or directory. */
export const setMode = operation({
  mutates: true,
  input: z.object({ path: z.string(), mode: z.int().min(0).max(0o7777) }),

  async run({ path: input, mode }, { fs, root, changes }, { signal }): Promise<{ path: string; mode: number }> {
    const path = fs.resolve(input, root)
    if (!fs.capabilities.modeBits) throw new FsError('UNSUPPORTED', { path, operation: 'setMode' })
    const request = { label: 'set mode', scopes: [{ path }], ...(signal && { signal }) }
    await changes.run(request, (draft, [at]) => draft.setMode(at as string, mode))
    return { path, mode }
  },
})
