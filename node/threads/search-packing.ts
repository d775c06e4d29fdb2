/** The results of a batch in flat form: thousands of objects are slow to send, and most are never read. */
import type { Bytes } from '../../src/fs/types.js'
import type { Kernels } from '../../src/search/bytes/kernels/kernels.js'
import { type FileOutcome, noMatch } from '../../src/search/run/file-outcome.js'
import type { MatchRecord, SearchRecord } from '../../src/search/run/records.js'
import type { FileResult } from '../../src/search/run/search-file.js'
import type { BatchOutcomes, WorkerOutcome } from '../../src/search/run/worker-search.js'
import { joinBytes } from '../../src/text/join-bytes.js'

export interface Packed {
  /** All numbers, four bytes each; then a code for each file; then the text of collected lines, which is ASCII. */
  bytes: Uint8Array<ArrayBuffer>
  numberCount: number
  fileCount: number
  /** The text of all other records. */
  text: string
}

const codes = {
  nothing: 0,
  unreachable: 1,
  binary: 2,
  tooLarge: 3,
  unreadable: 4,
  notUtf8: 5,
  detailed: 6,
  lines: 7,
  counted: 8,
}
const skippedByCode = ['binary', 'tooLarge', 'unreadable', 'notUtf8'] as const
const endings = ['done', 'enough', 'limited', 'bytes', 'stopped'] as const

/** For each line: its number, the length of its text (inverted bitwise if it was cut), and the offset of the needle. */
const lineNumbers = 3

/** The outcome of a file of which only the number of matches is reported. */
export function countOnly(matches: number): FileOutcome {
  return matches === 1 ? once : { ...once, result: { ...once.result!, matches } }
}

const once: FileOutcome = {
  result: { records: [], matches: 1, textBytes: 0, ended: 'done' },
  tooExpensive: 0,
  linesCut: 0,
}

export interface Packer {
  add(outcome: WorkerOutcome): void
  /**
   * Adds all lines of a file that contain the needle, each up to `units`, without making objects of them. False, and nothing is added, if
   * a line is not ASCII or the text is longer than `textBytes`.
   */
  addLines(text: Bytes, needle: PlainNeedle, limits: { units: number; textBytes: number }): boolean
  /** Returns everything added since the last call. */
  take(): Packed | 'nothing'
}

/** A needle by which the kernels alone decide whether a line matches. */
export interface PlainNeedle {
  bytes: Bytes
  folded: boolean
  /** It is found as a whole word only. */
  isWord: boolean
}

/** Memory of the kernels for collected lines. */
export const gatheredBytes = 1 << 20

export function createPacker(kernels: Kernels | undefined): Packer {
  let fileCodes: number[] = []
  let isNothing = true
  let numbers = new Int32Array(4096)
  let used = 0
  let texts: string[] = []
  /** Lines are collected in the kernels' memory, and moved out when that is full. */
  let gathered = 0
  let movedOut: Uint8Array<ArrayBuffer>[] = []

  function put(...more: number[]): void {
    if (used + more.length > numbers.length) grow(used + more.length)
    for (const number of more) numbers[used++] = number
  }

  function grow(least: number): void {
    const larger = new Int32Array(Math.max(least, 2 * numbers.length))
    larger.set(numbers.subarray(0, used))
    numbers = larger
  }

  function moveOut(): void {
    if (gathered > 0 && kernels !== undefined) movedOut.push(kernels.gathered.slice(0, gathered))
    gathered = 0
  }

  /** Removes everything added since `from`. */
  function rollBack(from: { used: number; gathered: number; movedOut: number }): void {
    used = from.used
    const isIn = movedOut.length === from.movedOut
    const last = isIn ? undefined : movedOut[from.movedOut]!.subarray(0, from.gathered)
    movedOut.length = from.movedOut
    gathered = last === undefined ? from.gathered : 0
    if (last !== undefined) movedOut.push(last)
  }

  function addCode(code: number): void {
    fileCodes.push(code)
    if (code !== codes.nothing) isNothing = false
  }

  function addDetails({ skipped, result, tooExpensive, linesCut, guessed }: FileOutcome): void {
    put(
      skipped === undefined ? 0 : codes[skipped],
      tooExpensive,
      linesCut,
      guessed ? 1 : 0,
      result === undefined ? 0 : 1,
    )
    if (result === undefined) return
    put(result.matches, result.textBytes, endings.indexOf(result.ended), result.records.length)
    for (const record of result.records) {
      texts.push(record.text)
      put(flagsOf(record), record.line, record.text.length)
      if (record.kind === 'context') continue
      put(record.lineCount, record.column.bytes, record.column.units, record.length, record.count)
    }
  }

  /** Undefined if a line can't be collected; what was added until then has to be rolled back. */
  function gatherLines(
    text: Bytes,
    { bytes, folded, isWord }: PlainNeedle,
    units: number,
  ): { matches: number; textBytes: number } | undefined {
    const { collectLines, lineNumbers: collected } = kernels!
    const progress = { from: 0, line: 1, at: gathered, textBytes: 0 }
    let matches = 0
    while (progress.from < text.length) {
      const count = collectLines(text, bytes, progress, { folded, units, isWord })
      if (count < 0) return undefined
      gathered = progress.at
      matches += count
      const length = lineNumbers * count
      if (used + length > numbers.length) grow(used + length)
      for (let i = 0; i < length; i += 1) numbers[used + i] = collected[i]!
      used += length
      if (count > 0 || progress.from >= text.length) continue
      // A single line that does not fit.
      if (gathered === 0) return undefined
      moveOut()
      progress.at = 0
    }
    return { matches, textBytes: progress.textBytes }
  }

  return {
    add(outcome) {
      const code = codeOf(outcome)
      addCode(code)
      if (code === codes.counted) put((outcome as FileOutcome).result!.matches)
      else if (code === codes.detailed) addDetails(outcome as FileOutcome)
    },
    addLines(text, needle, limits) {
      const before = { used, gathered, movedOut: movedOut.length }
      put(0, 0, needle.bytes.length)
      const found = gatherLines(text, needle, limits.units)
      const isAdded = found !== undefined && found.textBytes <= limits.textBytes
      if (!isAdded || found.matches === 0) rollBack(before)
      if (!isAdded) return false
      addCode(found.matches === 0 ? codes.nothing : codes.lines)
      if (found.matches === 0) return true
      numbers[before.used] = found.matches
      numbers[before.used + 1] = found.textBytes
      return true
    },
    take() {
      const found = isNothing ? 'nothing' : packed()
      fileCodes = []
      isNothing = true
      used = 0
      texts = []
      gathered = 0
      movedOut = []
      return found
    },
  }

  function packed(): Packed {
    const rest = kernels?.gathered.subarray(0, gathered) ?? new Uint8Array()
    const numberBytes = new Uint8Array(numbers.buffer, 0, 4 * used)
    const bytes = joinBytes([numberBytes, Uint8Array.from(fileCodes), ...movedOut, rest])
    return { bytes, numberCount: used, fileCount: fileCodes.length, text: texts.join('') }
  }
}

function codeOf(outcome: WorkerOutcome): number {
  if (outcome === noMatch) return codes.nothing
  if (outcome === 'unreachable') return codes.unreachable
  const { skipped, result, tooExpensive, linesCut } = outcome
  if (tooExpensive > 0 || linesCut > 0) return codes.detailed
  if (skipped !== undefined) return codes[skipped]
  if (result?.ended !== 'done' || result.records.length > 0 || result.textBytes > 0) return codes.detailed
  return result.matches === 0 ? codes.nothing : codes.counted
}

export function outcomesOf(found: Packed | 'nothing'): BatchOutcomes {
  if (found === 'nothing') return nothingInBatch
  return { bytes: found.text.length + found.bytes.length, read: () => unpack(found) }
}

const nothingInBatch: BatchOutcomes = { bytes: 0, read: () => () => noMatch }

/** Reads the outcomes of one file after the other. */
function unpack({ bytes, numberCount, fileCount, text }: Packed): () => WorkerOutcome {
  const numbers = new Int32Array(bytes.buffer, 0, numberCount)
  const codesAt = 4 * numberCount
  const lines = Buffer.from(bytes.buffer, codesAt + fileCount).toString('latin1')
  let file = 0
  let at = 0
  let textAt = 0
  let lineAt = 0
  const next = () => numbers[at++] as number

  return () => {
    const code = bytes[codesAt + file++]!
    if (code === codes.nothing) return noMatch
    if (code === codes.unreachable) return 'unreachable'
    if (code === codes.counted) return countOnly(next())
    if (code === codes.lines) return { result: linesFromHere(), tooExpensive: 0, linesCut: 0 }
    if (code !== codes.detailed) return { skipped: skippedOf(code), tooExpensive: 0, linesCut: 0 }
    const skipped = next()
    const outcome: FileOutcome = {
      tooExpensive: next(),
      linesCut: next(),
      ...(next() === 1 && { guessed: true }),
      ...(skipped !== 0 && { skipped: skippedOf(skipped) }),
    }
    if (next() === 1) outcome.result = resultFromHere()
    return outcome
  }

  function resultFromHere(): FileResult {
    const matches = next()
    const textBytes = next()
    const ended = endings[next()] as FileResult['ended']
    const records = Array.from({ length: next() }, recordFromHere)
    return { records, matches, textBytes, ended }
  }

  /** Collected lines are ASCII: offsets in bytes and in units are the same. */
  function linesFromHere(): FileResult {
    const matches = next()
    const textBytes = next()
    const needleLength = next()
    const records: MatchRecord[] = []
    for (const end = at + lineNumbers * matches; at < end; at += lineNumbers) {
      const length = numbers[at + 1]!
      const column = numbers[at + 2]!
      const start = lineAt
      lineAt += length < 0 ? ~length : length
      records.push({
        kind: 'match',
        line: numbers[at]!,
        lineCount: 1,
        text: lines.slice(start, lineAt),
        cut: length < 0,
        column: columns[column] ?? { bytes: column, units: column },
        length: needleLength,
        count: 1,
      })
    }
    return { records, matches, textBytes, ended: 'done' }
  }

  function recordFromHere(): SearchRecord {
    const flags = next()
    const line = next()
    const end = textAt + next()
    const common = { line, text: text.slice(textAt, end), cut: (flags & 1) !== 0 }
    textAt = end
    if ((flags & 2) === 0) return { kind: 'context', ...common, ...((flags & 4) !== 0 && { isMatch: true }) }
    const match: MatchRecord = {
      kind: 'match',
      line,
      lineCount: next(),
      text: common.text,
      cut: common.cut,
      ...((flags & 4) !== 0 && { cutBefore: true }),
      column: { bytes: next(), units: next() },
      length: next(),
      count: next(),
    }
    return match
  }
}

function flagsOf(record: SearchRecord): number {
  const { cut, kind } = record
  const isSpecial = kind === 'context' ? record.isMatch : record.cutBefore
  return (cut ? 1 : 0) | (kind === 'match' ? 2 : 0) | (isSpecial ? 4 : 0)
}

function skippedOf(code: number): (typeof skippedByCode)[number] {
  return skippedByCode[code - codes.binary] as (typeof skippedByCode)[number]
}

/** Shared objects: thousands of records have their matches at the same few columns. */
const columns = Array.from({ length: 128 }, (_, column) => Object.freeze({ bytes: column, units: column }))
