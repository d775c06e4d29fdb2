import * as z from 'zod'
import { type MovedEntry, moveAll } from './many/move-entries.js'
import { operation } from './operation.js'

export type { MovedEntry } from './many/move-entries.js'

/** Moves or renames a file, a link, or a directory with everything in it. A directory is never replaced. */
export const moveEntry = operation({
  mutates: true,
  input: z.object({
    from: z.string(),
    to: z.string(),
    /** Replace an existing file. */
    replace: z.boolean().default(false),
    /** Create missing parent directories of `to`. */
    makeParents: z.boolean().default(false),
  }),

  async run({ from, to, ...rules }, workspace, context): Promise<MovedEntry> {
    const [moved] = await moveAll({ pairs: [{ from, to }], ...rules }, workspace, context)
    return moved as MovedEntry
  },
})
