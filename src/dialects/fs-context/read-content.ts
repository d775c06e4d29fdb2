/** Reads files as text: whole, or some of their lines. */
import { FsError, isFsError } from '../../errors.js'
import { basename } from '../../fs/path.js'
import { withFile } from '../../ops/shared/with-file.js'
import { type ByteEncoding, encodeBytes, fromLatin1, latin1 } from '../../text/decode/byte-encodings.js'
import { decode, looksBinary } from '../../text/decode/decode.js'
import { type LineSource, readLines } from '../../text/lines/line-reader.js'
import type { CallContext, Workspace } from '../../workspace/workspace.js'
import { extensionOf } from './mime-types.js'
import { binaryExtensions, binaryWindow, checkPath, type Reading } from './parameters.js'

export interface FileContent {
  /** Of a whole file, exactly; of a part, its lines joined by line feeds. */
  content: string
  /** Some of the file is not in it. */
  truncated: boolean
}

/** The content of one file, whole or some lines of it. Lines can be read of a file of any size. */
export function readContent(given: string, reading: Reading, workspace: Workspace): Promise<FileContent> {
  const path = workspace.fs.resolve(given, workspace.root)
  return withFile(workspace, path, (source) => read({ path, source }, reading))
}

/** One of many files: its content, the reason why it was not read, or left out because of `maxTotalBytes`. `given` is the path as sent. */
export type ReadOutcome =
  | { given: string; file: FileContent }
  | { given: string; error: FsError }
  | { given: string; leftOut: 'total' }

/** Reads many files, in the order given; one that fails does not stop the others. One that would exceed `maxTotalBytes` in all is left out. */
export async function readContents(
  paths: readonly string[],
  { maxTotalBytes, ...reading }: Reading & { maxTotalBytes: number },
  workspace: Workspace,
  { signal }: CallContext,
): Promise<ReadOutcome[]> {
  const outcomes: ReadOutcome[] = []
  let room = maxTotalBytes
  for (const given of paths) {
    signal?.throwIfAborted()
    outcomes.push(await readNext(given))
  }
  return outcomes

  async function readNext(given: string): Promise<ReadOutcome> {
    try {
      checkPath(given)
      const path = workspace.fs.resolve(given, workspace.root)
      return await withFile(workspace, path, async (source): Promise<ReadOutcome> => {
        const share = reading.part === undefined ? source.size : Math.min(source.size, reading.maxBytes)
        if (share > room && share <= reading.maxBytes) return { given, leftOut: 'total' }
        const file = await read({ path, source }, reading)
        room -= share
        return { given, file }
      })
    } catch (error) {
      if (!isFsError(error)) throw error
      return { given, error }
    }
  }
}

interface OpenedFile {
  path: string
  source: LineSource
}

async function read({ path, source }: OpenedFile, reading: Reading): Promise<FileContent> {
  const { encoding, part, maxBytes: limit, refuseBinary = false } = reading
  const { size } = source
  if (part === undefined && size > limit) throw new FsError('TOO_LARGE', { path, size, limit })
  if (refuseBinary && (await isBinary(path, source))) throw new FsError('BINARY', { path })
  if (part !== undefined) return readPart(source, part, reading)
  const bytes = await source.read({ start: 0, end: size })
  return { content: encoding === 'text' ? decode(bytes).text : encodeBytes(bytes, encoding), truncated: false }
}

async function isBinary(path: string, source: LineSource): Promise<boolean> {
  if (binaryExtensions.includes(extensionOf(basename(path))?.toLowerCase() ?? '')) return true
  const first = await source.read({ start: 0, end: Math.min(binaryWindow, source.size) })
  return looksBinary(first, binaryWindow, { ends: 'first', textMark: 'any' })
}

async function readPart(source: LineSource, part: NonNullable<Reading['part']>, { encoding, maxBytes }: Reading) {
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
