import * as z from 'zod'
import { type DeletedEntry, deleteAll } from './many/delete-entries.js'
import { operation } from './operation.js'

export type { DeletedEntry } from './many/delete-entries.js'

/** Deletes a file, a link (not its target), or a directory with everything in it. Never a root. */
export const deleteEntry = operation({
  mutates: true,
  input: z.object({
    path: z.string(),
    /** Without it, a directory that is not empty is refused. */
    recursive: z.boolean().default(false),
  }),

  async run({ path, recursive }, workspace, context): Promise<DeletedEntry> {
    const [deleted] = await deleteAll({ paths: [path], recursive }, workspace, context)
    return deleted as DeletedEntry
  },
})
