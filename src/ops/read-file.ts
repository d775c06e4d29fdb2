import * as z from 'zod'
import { FsError } from '../errors.js'
import { openFile } from '../fs/open.js'
import type { Bytes } from '../fs/types.js'
import { operation } from './operation.js'

export interface ReadFile {
  /** With links followed. */
  path: string
  bytes: Bytes
  /** The same as text, byte-order mark included; absent when the bytes are not valid UTF-8, or have a NUL among them. */
  text?: string
}

/** The whole of a file, as it is. */
export const readFile = operation({
  mutates: false,
  input: z.object({
    path: z.string(),
    /** A larger file is refused; the workspace's own limit unless given. */
    maxBytes: z.int().min(0).exactOptional(),
  }),

  async run(input, { fs, root, limits }): Promise<ReadFile> {
    const { maxBytes: limit = limits.maxFileBytes } = input
    const path = await fs.locate(fs.resolve(input.path, root))
    const source = await openFile(fs, path)
    try {
      if (source.size > limit) throw new FsError('TOO_LARGE', { path, size: source.size, limit })
      const bytes = await source.read({ start: 0, end: source.size })
      const text = asText(bytes)
      return { path, bytes, ...(text !== undefined && { text }) }
    } finally {
      await source.close()
    }
  },
})

function asText(bytes: Bytes): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return undefined
  }
}
