import * as z from 'zod'
import { type CopiedEntry, copyAll } from './many/copy-entries.js'
import { operation } from './operation.js'

export type { CopiedEntry } from './many/copy-entries.js'

/** Copies a file, a link, or a directory with everything in it, to a path where nothing exists. Links are copied as links. */
export const copyEntry = operation({
  mutates: true,
  input: z.object({
    from: z.string(),
    to: z.string(),
    /** Create missing parent directories of `to`. */
    makeParents: z.boolean().default(false),
  }),

  async run({ from, to, makeParents }, workspace, context): Promise<CopiedEntry> {
    const [copied] = await copyAll({ pairs: [{ from, to }], makeParents }, workspace, context)
    return copied as CopiedEntry
  },
})
