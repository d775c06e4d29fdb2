import * as z from 'zod'
import { FsError, isFsError } from '../errors.js'
import { openFile } from '../fs/open.js'
import type { ByteSource } from '../fs/types.js'
import { hasBinaryExtension } from '../search/run/text-file.js'
import { type ByteEncoding, encodeBytes, fromLatin1, latin1 } from '../text/decode/byte-encodings.js'
import { decode, looksBinary } from '../text/decode/decode.js'
import { readLines } from '../text/lines/line-reader.js'
import type { Workspace } from '../workspace.js'
import { operation } from './operation.js'

export interface FileContent {
  path: string
  /** Of a whole file, exactly; of a part, its lines joined by line feeds. */
  content: string
  /** Some of the file is not in it. */
  truncated: boolean
}

/** How a file is read, and what of it. */
const reading = {
  /** `text`: UTF-16 by its byte-order mark, else UTF-8; a mark is not part of the content. */
  encoding: z.enum(['text', 'ascii', 'latin1', 'base64', 'hex']).default('text'),
  /** The first lines, the last ones, or those from one to another, counted from 1; all unless given. */
  part: z
    .union([
      z.object({ head: z.int().min(1) }),
      z.object({ tail: z.int().min(1) }),
      z.object({ from: z.int().min(1), to: z.int().min(1) }),
    ])
    .exactOptional(),
  /** A larger file is not read whole, and of a part no more is read. */
  maxBytes: z.int().min(1),
  /** A binary file is refused: one with a NUL among its first bytes and no byte-order mark, or with one of these endings. */
  refuseBinary: z.object({ window: z.int().min(1), extensions: z.array(z.string()) }).exactOptional(),
}

type Reading = z.output<z.ZodObject<typeof reading>>

/** A file's content as text, whole or some lines of it. Lines of any file can be read, however large it is. */
export const readContent = operation({
  mutates: false,
  input: z.object({ path: z.string(), ...reading }),

  run: ({ path, ...how }, workspace): Promise<FileContent> => withFile(path, workspace, (file) => read(file, how)),
})

/** One of many: its content, the reason why there is none, or left out because of all that came before it. `given` is the path as it came. */
export type ReadOutcome =
  | { given: string; file: FileContent }
  | { given: string; error: FsError }
  | { given: string; leftOut: 'total' }

/** The same of many, in the order given; the failure of one is not that of the others. */
export const readContents = operation({
  mutates: false,
  input: z.object({
    paths: z.array(z.string()),
    ...reading,
    /** A file that would make it more than this in all is left out. */
    maxTotalBytes: z.int().min(0),
  }),

  async run({ paths, maxTotalBytes, ...how }, workspace, { signal }): Promise<ReadOutcome[]> {
    const outcomes: ReadOutcome[] = []
    let room = maxTotalBytes
    for (const given of paths) {
      signal?.throwIfAborted()
      outcomes.push(
        await withFile(given, workspace, async (file): Promise<ReadOutcome> => {
          const share = how.part === undefined ? file.source.size : Math.min(file.source.size, how.maxBytes)
          if (share > room && share <= how.maxBytes) return { given, leftOut: 'total' }
          const content = await read(file, how)
          room -= share
          return { given, file: content }
        }).catch((error: unknown): ReadOutcome => {
          if (!isFsError(error)) throw error
          return { given, error }
        }),
      )
    }
    return outcomes
  },
})

interface OpenedFile {
  path: string
  source: ByteSource
}

async function withFile<Result>(
  given: string,
  { fs, root }: Workspace,
  use: (file: OpenedFile) => Promise<Result>,
): Promise<Result> {
  const path = fs.resolve(given, root)
  const source = await openFile(fs, path)
  try {
    return await use({ path, source })
  } finally {
    await source.close()
  }
}

async function read({ path, source }: OpenedFile, how: Reading): Promise<FileContent> {
  const { encoding, part, maxBytes: limit, refuseBinary } = how
  const { size } = source
  if (part === undefined && size > limit) throw new FsError('TOO_LARGE', { path, size, limit })
  if (refuseBinary !== undefined && (await isBinary(path, source, refuseBinary))) throw new FsError('BINARY', { path })
  if (part !== undefined) return { path, ...(await readPart(source, part, how)) }
  const bytes = await source.read({ start: 0, end: size })
  const content = encoding === 'text' ? decode(bytes).text : encodeBytes(bytes, encoding)
  return { path, content, truncated: false }
}

async function isBinary(
  path: string,
  source: ByteSource,
  { window, extensions }: NonNullable<Reading['refuseBinary']>,
): Promise<boolean> {
  if (hasBinaryExtension(path, { binaryExtensions: extensions })) return true
  const first = await source.read({ start: 0, end: Math.min(window, source.size) })
  return looksBinary(first, window, { ends: 'first', textMark: 'any' })
}

async function readPart(source: ByteSource, part: NonNullable<Reading['part']>, { encoding, maxBytes }: Reading) {
  const { lines, firstLine, more } = await readLines(source, {
    ...linesOf(part),
    maxLineBytes: maxBytes,
    maxBytes,
    stretch: true,
    ...(encoding !== 'text' && { decode: latin1 }),
  })
  const text = lines.map((line) => line.text).join('\n')
  return {
    content: encoding === 'text' ? text : asEncoded(text, encoding),
    truncated: firstLine !== 1 || more || lines.some((line) => line.truncated),
  }
}

function linesOf(part: NonNullable<Reading['part']>): { start: number; count: number } {
  if ('head' in part) return { start: 1, count: part.head }
  if ('tail' in part) return { start: -part.tail, count: part.tail }
  return { start: part.from, count: part.to - part.from + 1 }
}

function asEncoded(text: string, encoding: ByteEncoding): string {
  return encoding === 'latin1' ? text : encodeBytes(fromLatin1(text), encoding)
}
