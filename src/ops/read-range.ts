import * as z from 'zod'
import { FsError } from '../errors.js'
import { openFile } from '../fs/open.js'
import type { ByteSource, Bytes } from '../fs/types.js'
import { readLines } from '../text/lines/line-reader.js'
import { operation } from './operation.js'

export interface ReadRange {
  /** With links followed. */
  path: string
  /** Of bytes, the characters that lie wholly in the range; of lines, each with a line feed at its end. */
  text: string
  /** The file goes on behind the range. */
  more: boolean
}

/** Part of a UTF-8 file of any size, by bytes or by lines. What lies past the end is no failure; bytes that are not UTF-8 are. */
export const readRange = operation({
  mutates: false,
  input: z.object({
    path: z.string(),
    range: z.discriminatedUnion('unit', [
      z.object({ unit: z.literal('bytes'), start: z.int().min(0), count: z.int().min(0) }),
      /** The first line is 1; they end with LF or CRLF. */
      z.object({ unit: z.literal('lines'), start: z.int().min(1), count: z.int().min(0) }),
    ]),
  }),

  async run({ path: input, range }, { fs, root, limits }): Promise<ReadRange> {
    const path = await fs.realPath(fs.resolve(input, root))
    const source = await openFile(fs, path)
    try {
      const read = range.unit === 'bytes' ? readBytes : readLineRange
      return { path, ...(await read(source, range, { maxBytes: limits.maxFileBytes, decode: decoderOf(path) })) }
    } finally {
      await source.close()
    }
  },
})

type Part = Omit<ReadRange, 'path'>

interface Range {
  start: number
  count: number
}

interface Reading {
  maxBytes: number
  decode: (bytes: Uint8Array) => string
}

async function readBytes(source: ByteSource, { start, count }: Range, reading: Reading): Promise<Part> {
  const { size } = source
  const end = Math.min(size, start + Math.min(count, reading.maxBytes))
  if (start >= end) return { text: '', more: end < size && start < size }
  const bytes = await source.read({ start, end })
  const first = start > 0 ? leadingRest(bytes) : 0
  const last = end < size ? bytes.length - trailingStart(bytes) : bytes.length
  return { text: reading.decode(bytes.subarray(first, Math.max(first, last))), more: end < size }
}

async function readLineRange(source: ByteSource, range: Range, reading: Reading): Promise<Part> {
  const limits = { maxLineBytes: reading.maxBytes, ...reading }
  const { lines, more } = await readLines(source, { ...range, ...limits, breaks: 'line-feed' })
  return { text: lines.map(({ text }) => `${text}\n`).join(''), more: more || lines.some(({ truncated }) => truncated) }
}

function decoderOf(path: string): Reading['decode'] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return (bytes) => {
    try {
      return decoder.decode(bytes)
    } catch (error) {
      throw new FsError('BINARY', { path }, { cause: error })
    }
  }
}

/** Bytes at the start that end a character begun before. */
function leadingRest(bytes: Bytes): number {
  let count = 0
  while (count < 3 && continues(bytes[count])) count += 1
  return count
}

/** Bytes at the end that begin a character without ending it. */
function trailingStart(bytes: Bytes): number {
  let back = 1
  while (back < 4 && continues(bytes.at(-back))) back += 1
  const lead = bytes.at(-back) ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return length > back ? back : 0
}

function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
