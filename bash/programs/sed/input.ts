/** The lines of the input files, with one line of foresight: `$` has to know whether a line is the last. */
import type { Bytes } from '../../../src/fs/types.js'
import { encodeText } from '../../io/byte-text.js'
import type { TextLocale } from '../../io/locale.js'
import { type ByteReader, concat } from '../../io/streams.js'

export interface InputFile {
  /** As `F` prints it. */
  name: string
  /** Undefined when it can't be read, which was reported. */
  open(): Promise<ByteReader | undefined>
}

export interface InputLine {
  text: string
  /** False for a last line without its delimiter. */
  hasEnd: boolean
}

export interface SedInput {
  /** Wait for it before `take` unless `isReady`. */
  prepare(): Promise<void>
  isReady(): boolean
  take(): InputLine | undefined
  /** Whether the line taken last is the last. */
  isLast(): boolean
  /** Of the line taken last. */
  name(): string
  /** Gives back what was read too far. */
  giveBack(): void
}

interface Batch {
  name: string
  lines: string[]
  at: number
  /** The last line has no delimiter. */
  lacksEnd: boolean
}

const pieceBytes = 256 * 1024

/** A line exists as bytes and as text while it is decoded. */
const bytesPerUnit = 2

export function sedInput(
  files: readonly InputFile[],
  delimiter: number,
  locale: TextLocale,
  account: (bytes: number) => void,
): SedInput {
  const mark = String.fromCharCode(delimiter)
  const batches: Batch[] = []
  let fileAt = 0
  let reader: ByteReader | undefined
  let chunk: Bytes | undefined
  let pending: Bytes[] = []
  /** Counted for a line that is longer than a piece, until the next one is read. */
  let counted = 0
  let available = 0
  let hasEnded = false
  let name = files[0]?.name ?? '-'

  async function fill(): Promise<void> {
    if (pending.length === 0 && counted > 0) {
      account(-counted)
      counted = 0
    }
    const file = files[fileAt]
    if (file === undefined) {
      hasEnded = true
      return
    }
    reader ??= await file.open()
    if (reader === undefined) {
      fileAt += 1
      return
    }
    chunk ??= await reader.read()
    if (chunk === undefined) {
      endFile(file.name)
      return
    }
    const piece = chunk.subarray(0, pieceBytes)
    chunk = chunk.length > pieceBytes ? chunk.subarray(pieceBytes) : undefined
    const last = piece.lastIndexOf(delimiter)
    if (last < 0) {
      pending.push(piece)
      counted += bytesPerUnit * piece.length
      account(bytesPerUnit * piece.length)
      return
    }
    const text = locale.decode(concat([...pending, piece.subarray(0, last)]))
    pending = last + 1 < piece.length ? [piece.subarray(last + 1)] : []
    add({ name: file.name, lines: text.split(mark), at: 0, lacksEnd: false })
  }

  function endFile(fileName: string): void {
    if (pending.length > 0) {
      add({ name: fileName, lines: [locale.decode(concat(pending))], at: 0, lacksEnd: true })
      pending = []
    }
    reader?.close()
    reader = undefined
    fileAt += 1
  }

  function add(batch: Batch): void {
    batches.push(batch)
    available += batch.lines.length
  }

  return {
    async prepare() {
      while (available < 2 && !hasEnded) await fill()
    },
    isReady: () => available >= 2 || hasEnded,
    take() {
      const batch = batches[0]
      if (batch === undefined) return undefined
      const text = batch.lines[batch.at] as string
      batch.at += 1
      available -= 1
      name = batch.name
      const isEnd = batch.at === batch.lines.length
      if (isEnd) batches.shift()
      return { text, hasEnd: !(isEnd && batch.lacksEnd) }
    },
    isLast: () => available === 0 && hasEnded,
    name: () => name,
    giveBack() {
      const rest = batches.map(({ lines, at, lacksEnd }) => {
        const text = lines.slice(at).join(mark)
        return encodeText(lacksEnd ? text : text + mark)
      })
      reader?.unread(concat([...rest, ...pending, ...(chunk === undefined ? [] : [chunk])]))
    },
  }
}
