import * as z from 'zod'
import { FsError } from '../errors.js'
import { operation } from './operation.js'

export interface MadeDirectory {
  path: string
  /** False when it existed already. */
  created: boolean
}

/** Creates a directory and its missing parents. An existing directory stays as it is. */
export const makeDirectory = operation({
  mutates: true,
  input: z.object({ path: z.string() }),

  async run({ path: input }, { fs, root, changes }, { signal }): Promise<MadeDirectory> {
    const given = fs.resolve(input, root)
    const { result } = await changes.run(
      { label: 'make directory', scopes: [{ path: given }], ...(signal && { signal }) },
      async (draft, [at]) => {
        const path = at as string
        const { kind } = (await draft.entry(path)).image
        if (kind === 'directory') return { path: given, created: false }
        if (kind !== 'absent') throw new FsError('EXISTS', { path })
        await draft.makeParents(path)
        await draft.makeDirectory(path)
        return { path: given, created: true }
      },
    )
    return result
  },
})
