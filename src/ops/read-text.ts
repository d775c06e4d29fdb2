import * as z from 'zod'
import { FsError } from '../errors.js'
import { openFile } from '../fs/open.js'
import { decode, type Encoding, looksBinary } from '../text/decode.js'
import { splitLines } from '../text/lines.js'
import { operation } from './operation.js'

export interface ReadText {
  path: string
  encoding: Encoding
  bom: boolean
  lineCount: number
  /** Number of the first line in `lines`, from 1. */
  firstLine: number
  lines: string[]
}

/** Lines of a text file, without their endings. Binary files and files over the workspace's size limit are refused. */
export const readText = operation({
  mutates: false,
  input: z.object({
    path: z.string(),
    /** From 1; a negative number counts from the end, -1 being the last line. */
    startLine: z.int().default(1),
    maxLines: z.int().min(1).optional(),
    /** A NUL this close to either end makes a file binary. */
    binaryWindow: z.int().min(1).default(8000),
  }),

  async run({ path: input, startLine, maxLines = Infinity, binaryWindow }, { fs, limits, root }): Promise<ReadText> {
    const path = fs.resolve(input, root)
    const bytes = await readWhole(fs, path, limits.maxFileBytes)
    if (looksBinary(bytes, binaryWindow)) throw new FsError('BINARY', { path })

    const { text, encoding, bom } = decode(bytes)
    const lines = splitLines(text)
    const lineCount = lines.length
    const firstLine = startLine < 0 ? Math.max(1, lineCount + startLine + 1) : startLine
    if (lineCount > 0 && (firstLine === 0 || firstLine > lineCount)) {
      throw new FsError('LINE_OUT_OF_RANGE', { path, line: startLine, lineCount })
    }
    const start = Math.max(0, firstLine - 1)
    return { path, encoding, bom, lineCount, firstLine, lines: lines.slice(start, start + maxLines) }
  },
})

async function readWhole(fs: Parameters<typeof openFile>[0], path: string, limit: number) {
  const source = await openFile(fs, path)
  try {
    if (source.size > limit) throw new FsError('TOO_LARGE', { path, size: source.size, limit })
    return await source.read({ start: 0, end: source.size })
  } finally {
    await source.close()
  }
}
