import * as z from 'zod'
import { contentHash, contentHashNow } from '../../change/hash.js'
import { FsError } from '../../errors.js'
import { openFile as openSource } from '../../fs/open.js'
import type { Bytes } from '../../fs/types.js'
import { decode, type Encoding, looksBinary } from '../../text/decode/decode.js'
import { operation } from '../operation.js'

export { contentHash }

export interface OpenedFile {
  /** As it was asked for, from the root of the file system. */
  path: string
  bytes: Bytes
  /** What its content is known by; changes may require it. */
  hash: string
  /** Absent for a binary file. */
  text?: string
  encoding?: Encoding
  bom?: boolean
}

/** A NUL this close to either end makes a file binary. */
const binaryWindow = 8000

/** The whole of a file with the hash of its content, and as text where it is text. Larger ones are refused with `TOO_LARGE`. */
export const openFile = operation({
  mutates: false,
  input: z.object({
    path: z.string(),
    /** The workspace's own limit unless given. */
    maxBytes: z.int().min(0).exactOptional(),
  }),

  async run(input, { fs, root, limits }): Promise<OpenedFile> {
    const { maxBytes: limit = limits.maxFileBytes } = input
    const path = fs.resolve(input.path, root)
    const source = await openSource(fs, path)
    try {
      if (source.size > limit) throw new FsError('TOO_LARGE', { path, size: source.size, limit })
      const bytes = await source.read({ start: 0, end: source.size })
      return opened(path, bytes, await contentHash(bytes))
    } finally {
      await source.close()
    }
  },

  now(input, { fs, root, limits }): OpenedFile | undefined {
    const path = fs.resolve(input.path, root)
    const most = Math.min(mostNow, limits.maxFileBytes, input.maxBytes ?? mostNow)
    const bytes = fs.readFile.now?.(path, { start: 0, end: most + 1 })
    if (bytes === undefined || bytes.length > most) return undefined
    const hash = contentHashNow(bytes, fs.exact)
    return hash === undefined ? undefined : opened(path, bytes, hash)
  },
})

/** More is not read without waiting. */
const mostNow = 64 * 1024

function opened(path: string, bytes: Bytes, hash: string): OpenedFile {
  return { path, bytes, hash, ...(!looksBinary(bytes, binaryWindow) && decode(bytes)) }
}
