import { FsError } from '../../errors.js'
import { withFile } from '../../ops/shared/with-file.js'
import { wholeCharacters } from '../../text/decode/utf8-range.js'
import { type LineSource, readLines } from '../../text/lines/line-reader.js'
import type { Workspace } from '../../workspace/workspace.js'
import type { Range } from './range.js'

export interface ReadRange {
  /** With links followed. */
  path: string
  /** Of a byte range, the whole characters in it; of a line range, each line with a line feed. */
  text: string
  /** The file continues after the range. */
  more: boolean
}

/**
 * Reads part of a UTF-8 file of any size, by bytes or by lines. A range past the end is empty; bytes that are not UTF-8 fail with `BINARY`.
 */
export async function readRange(given: string, range: Range, workspace: Workspace): Promise<ReadRange> {
  const { fs, root, limits } = workspace
  const path = await fs.realPath(fs.resolve(given, root))
  const options = { maxBytes: limits.maxFileBytes, decode: decoderOf(path) }
  return withFile(workspace, path, async (source) => {
    const part =
      range.range_type === 'bytes'
        ? await readByteRange(source, range, options)
        : await readLineRange(source, range, options)
    return { path, ...part }
  })
}

type Part = Omit<ReadRange, 'path'>

interface Options {
  maxBytes: number
  decode: (bytes: Uint8Array) => string
}

async function readByteRange(
  source: LineSource,
  { offset_bytes: start, max_bytes }: Extract<Range, { range_type: 'bytes' }>,
  { maxBytes, decode }: Options,
): Promise<Part> {
  const { size } = source
  const end = Math.min(size, start + Math.min(max_bytes, maxBytes))
  if (start >= end) return { text: '', more: end < size && start < size }
  const bytes = await source.read({ start, end })
  const whole = wholeCharacters(bytes, { first: start === 0, last: end === size })
  return { text: decode(bytes.subarray(whole.start, whole.end)), more: end < size }
}

/** Lines end with LF or CRLF. */
async function readLineRange(
  source: LineSource,
  { start_line: start, max_lines: count }: Extract<Range, { range_type: 'lines' }>,
  options: Options,
): Promise<Part> {
  const limits = { maxLineBytes: options.maxBytes, ...options }
  const { lines, more } = await readLines(source, { start, count, ...limits, breaks: 'line-feed' })
  return { text: lines.map(({ text }) => `${text}\n`).join(''), more: more || lines.some(({ truncated }) => truncated) }
}

function decoderOf(path: string): Options['decode'] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return (bytes) => {
    try {
      return decoder.decode(bytes)
    } catch (error) {
      throw new FsError('BINARY', { path }, { cause: error })
    }
  }
}
