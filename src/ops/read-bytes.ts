import * as z from 'zod'
import { FsError } from '../errors.js'
import type { Bytes } from '../fs/types.js'
import { operation } from './operation.js'
import { readSmallFile } from './shared/read-small-file.js'
import { withFile } from './shared/with-file.js'

export interface ReadBytes {
  path: string
  /** Of the whole file. */
  size: number
  /** Offset of the first of `bytes`, counted from the beginning of the file. */
  start: number
  bytes: Bytes
}

/** Bytes of a file: a range of a file of any size, or a whole file up to a limit. A range is cut at the end of the file. */
export const readBytes = operation({
  mutates: false,
  input: z.object({
    path: z.string(),
    /** From 0; a negative number counts from the end. */
    start: z.int().default(0),
    /** Default: up to the end, and a file larger than `maxFileBytes` is refused with `TOO_LARGE`. */
    count: z.int().min(0).exactOptional(),
    /** Default: the limit of the workspace. */
    maxFileBytes: z.int().min(0).exactOptional(),
  }),

  run(input, workspace): Promise<ReadBytes> {
    const { count, maxFileBytes: limit = workspace.limits.maxFileBytes } = input
    const path = workspace.fs.resolve(input.path, workspace.root)
    return withFile(workspace, path, async (source) => {
      const { size } = source
      if (count === undefined && size > limit) throw new FsError('TOO_LARGE', { path, size, limit })
      const start = input.start < 0 ? Math.max(0, size + input.start) : Math.min(input.start, size)
      const bytes = await source.read({ start, end: count === undefined ? size : Math.min(size, start + count) })
      return { path, size, start, bytes }
    })
  },

  /** Whole files only. */
  runSync({ path: given, start, count, maxFileBytes }, workspace): ReadBytes | undefined {
    if (start !== undefined || count !== undefined) return undefined
    const path = workspace.fs.resolve(given, workspace.root)
    const bytes = readSmallFile(workspace, path, maxFileBytes)
    return bytes && { path, size: bytes.length, start: 0, bytes }
  },
})
