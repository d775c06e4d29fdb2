import * as z from 'zod'
import { openFile } from '../fs/open.js'
import type { Bytes } from '../fs/types.js'
import { operation } from './operation.js'

export interface ReadBytes {
  path: string
  /** Of the whole file. */
  size: number
  modifiedMs?: number
  /** Where `bytes` begin; a start counted from the end is told from the beginning. */
  start: number
  bytes: Bytes
}

/** A range of a file's bytes, of files of any size. What lies past the end is left out. */
export const readBytes = operation({
  mutates: false,
  input: z.object({
    path: z.string(),
    /** From 0; a negative number counts from the end. */
    start: z.int().default(0),
    count: z.int().min(0),
  }),

  async run({ path: given, start: from, count }, { fs, root }): Promise<ReadBytes> {
    const path = fs.resolve(given, root)
    const source = await openFile(fs, path)
    try {
      const { size } = source
      const { modifiedMs } = await fs.stat(await fs.realPath(path))
      const start = from < 0 ? Math.max(0, size + from) : Math.min(from, size)
      const bytes = await source.read({ start, end: Math.min(size, start + count) })
      return { path, size, ...(modifiedMs !== undefined && { modifiedMs }), start, bytes }
    } finally {
      await source.close()
    }
  },
})
