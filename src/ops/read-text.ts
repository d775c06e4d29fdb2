import * as z from 'zod'
import { FsError } from '../errors.js'
import type { ByteSource, Bytes } from '../fs/types.js'
import { decode, type Encoding, looksBinary } from '../text/decode/decode.js'
import { detectFromStart, sampleBytes, type TextEncoding, type TextFormat } from '../text/decode/detect.js'
import { openShown, showPart } from '../text/decode/shown-text.js'
import { readLines } from '../text/lines/line-reader.js'
import { splitLines } from '../text/lines/lines.js'
import { operation } from './operation.js'
import { detectEncoding } from './shared/detect-encoding.js'
import { lineCounting } from './shared/line-counting.js'
import { readSmallFile } from './shared/read-small-file.js'
import { withFile } from './shared/with-file.js'

export interface ReadText {
  path: string
  encoding: TextEncoding
  bom: boolean
  /** Set with `detectEncoding`; of a file larger than the limit of the workspace, by its beginning and these lines. */
  format?: TextFormat
  /** Absent for a file larger than the limit of the workspace, unless its end was reached. */
  lineCount?: number
  /** Number of the first line in `lines`, from 1. */
  firstLine: number
  lines: string[]
  /** Lines follow. */
  more: boolean
}

/**
 * Reads lines of a text file, without their endings. Binary files are refused. A file larger than the limit of the workspace is read in
 * pieces, no more than needed.
 */
export const readText = operation({
  mutates: false,
  input: z.object({
    path: z.string(),
    /** From 1 (default); a negative number counts from the end, -1 being the last line. */
    startLine: z.int().exactOptional(),
    maxLines: z.int().min(1).optional(),
    /** A NUL this close to either end makes a file binary. Default: 8000 bytes; 0 reads binary files too. */
    binaryWindow: z.int().min(0).exactOptional(),
    /** What counts as a line. */
    counting: lineCounting.exactOptional(),
    /** A larger file is refused with `TOO_LARGE`. */
    maxFileBytes: z.int().min(0).exactOptional(),
    /** `binaryWindow` then has no effect. */
    detectEncoding,
    /** Fail with `TOO_LARGE` where the lines are more than is read at once, instead of returning some of them. */
    complete: z.boolean().exactOptional(),
  }),

  run(input, workspace): Promise<ReadText> {
    const { fs, limits, root } = workspace
    const path = fs.resolve(input.path, root)
    return withFile(workspace, path, async (source) => {
      const { size } = source
      const { maxFileBytes: limit = Infinity } = input
      if (size > limit) throw new FsError('TOO_LARGE', { path, size, limit })
      if (size > limits.maxFileBytes) return readPart(source, path, input, limits.maxFileBytes)
      return linesOf(await source.read({ start: 0, end: size }), path, input)
    })
  },

  runSync(input, workspace): ReadText | undefined {
    const path = workspace.fs.resolve(input.path, workspace.root)
    const bytes = readSmallFile(workspace, path, input.maxFileBytes)
    return bytes && linesOf(bytes, path, input)
  },
})

const defaultWindow = 8000

function linesOf(bytes: Bytes, path: string, wanted: Wanted): ReadText {
  const { startLine = 1, maxLines = Infinity, binaryWindow = defaultWindow, counting } = wanted
  const shown = wanted.detectEncoding === true ? openShown(bytes) : undefined
  const isBinary = wanted.detectEncoding === true ? !shown : binaryWindow > 0 && looksBinary(bytes, binaryWindow)
  if (isBinary) throw new FsError('BINARY', { path })
  const { text, encoding, bom } = shown === undefined ? decode(bytes) : { text: shown.text, ...shown.format }
  const lines = splitLines(text, counting)
  const lineCount = lines.length
  const firstLine = startLine < 0 ? Math.max(1, lineCount + startLine + 1) : startLine
  if (lineCount > 0 && (firstLine === 0 || firstLine > lineCount)) {
    throw new FsError('LINE_OUT_OF_RANGE', { path, line: startLine, lineCount })
  }
  const start = Math.max(0, firstLine - 1)
  const end = start + maxLines
  const format = shown && { format: shown.format }
  return { path, encoding, bom, ...format, lineCount, firstLine, lines: lines.slice(start, end), more: end < lineCount }
}

/** Reads up to `maxBytes` of lines from a file that is too large to be held. From the end, a final empty line is not counted. */
async function readPart(source: ByteSource, path: string, wanted: Wanted, maxBytes: number): Promise<ReadText> {
  const { startLine = 1, maxLines = Infinity, binaryWindow = defaultWindow, counting, complete } = wanted
  const detected = wanted.detectEncoding === true ? await formatOf(source) : undefined
  const isBinary =
    detected === undefined
      ? binaryWindow > 0 && looksBinary(await endsOf(source, binaryWindow), binaryWindow)
      : detected.format === 'binary'
  if (isBinary) throw new FsError('BINARY', { path })
  // Lines read from the end have numbers only if all lines are counted.
  const range = { start: startLine, count: maxLines, countLines: startLine < 0 }
  const {
    lines,
    firstLine = 1,
    lineCount,
    more,
    ...rest
  } = await readLines(source, {
    ...range,
    maxLineBytes: maxBytes,
    maxBytes,
    ...(counting?.breaks && { breaks: counting.breaks }),
    ...detected?.reading,
  })
  const isCut = lines.some(({ truncated }) => truncated) || (more && lines.length < maxLines)
  if (complete && isCut) throw new FsError('TOO_LARGE', { path, size: source.size, limit: maxBytes })
  const texts = lines.map(({ text }) => text)
  const isEmptyNext =
    counting?.finalEmptyLine === true && startLine > 0 && !more && (await endsInLineFeed(source, rest.encoding))
  const total = lineCount === undefined ? undefined : lineCount + Number(isEmptyNext)
  const reachesEmpty = isEmptyNext && texts.length < maxLines && (texts.length > 0 || startLine === total)
  if (reachesEmpty) texts.push('')
  if (texts.length === 0) throw new FsError('LINE_OUT_OF_RANGE', { path, line: startLine, lineCount: total ?? 0 })
  return {
    path,
    ...rest,
    ...detected?.described(),
    ...(total !== undefined && { lineCount: total }),
    firstLine,
    lines: texts,
    more: more || (isEmptyNext && !reachesEmpty),
  }
}

type Wanted = Pick<
  z.output<typeof readText.input>,
  'startLine' | 'maxLines' | 'binaryWindow' | 'counting' | 'detectEncoding' | 'complete'
>

/** The format of a large file by its beginning, and how to read its lines. Stray bytes that these have are described too. */
async function formatOf(source: ByteSource) {
  const format = detectFromStart(await source.read({ start: 0, end: Math.min(source.size, sampleBytes) }))
  if (format === 'binary') return { format, reading: {}, described: () => ({}) }
  const { encoding } = format
  let hasStrayBytes = false
  const decodeLine = (bytes: Bytes) => {
    const line = showPart(bytes, encoding)
    hasStrayBytes ||= line.hasStrayBytes
    return line.text
  }
  return {
    format,
    reading:
      encoding === 'windows-1252' ? { decode: decodeLine } : { decode: decodeLine, format: { ...format, encoding } },
    described: () => ({ encoding, format: hasStrayBytes ? { ...format, hasStrayBytes } : format }),
  }
}

async function endsInLineFeed(source: ByteSource, encoding: Encoding): Promise<boolean> {
  const [first, second = 0] = await source.read({
    start: source.size - (encoding === 'utf-8' ? 1 : 2),
    end: source.size,
  })
  if (encoding === 'utf-16be') return first === 0 && second === 0x0a
  return first === 0x0a && second === 0
}

async function endsOf(source: ByteSource, window: number): Promise<Bytes> {
  const first = await source.read({ start: 0, end: window })
  const last = await source.read({ start: Math.max(0, source.size - window), end: source.size })
  const ends = new Uint8Array(first.length + last.length)
  ends.set(first)
  ends.set(last, first.length)
  return ends
}
