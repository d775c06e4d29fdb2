/** What a thread has found in a batch of files, laid out flat: objects by the thousand are slow to send, and most are never looked at. */
import type { Bytes } from '../../src/fs/types.js'
import type { Kernels } from '../../src/search/bytes/kernels/kernels.js'
import type { NeedleBytes } from '../../src/search/patterns/matcher.js'
import { type FileOutcome, nothingFound } from '../../src/search/run/file-outcome.js'
import type { MatchRecord, SearchRecord } from '../../src/search/run/records.js'
import type { FileResult } from '../../src/search/run/search-file.js'
import type { BatchOutcomes, WorkerOutcome } from '../../src/search/run/worker-search.js'
import { joinBytes } from '../../src/text/join-bytes.js'

export interface Packed {
  /** First all numbers, four bytes each; then a code for each file; then the text of lines that are told by their numbers, which is ASCII. */
  bytes: Uint8Array<ArrayBuffer>
  numberCount: number
  fileCount: number
  /** Of records. */
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

/** For each line: its number, how much of it is told (with its bits turned round if that is not all), where the needle stands. */
const lineNumbers = 3

/** Of a file of which it is only told how often it matches. */
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
   * Adds a file of which all lines that have the needle in them are told, each as far as given, if they are ASCII and all together not longer
   * than given; false otherwise, and nothing is added. Nothing is made of them: they go from memory to memory.
   */
  addLines(text: Bytes, needle: NeedleBytes, limits: { units: number; textBytes: number }): boolean
  /** What was added since the last time. */
  take(): Packed | 'nothing'
}

/** Bytes that kernels need for lines to be gathered in. */
export const gatheredBytes = 1 << 20

export function createPacker(kernels: Kernels | undefined): Packer {
  let fileCodes: number[] = []
  let isNothing = true
  let numbers = new Int32Array(4096)
  let used = 0
  let texts: string[] = []
  /** Lines are put together in the kernels' memory, and taken out when that is full. */
  let gathered = 0
  let takenOut: Uint8Array<ArrayBuffer>[] = []

  function put(...more: number[]): void {
    if (used + more.length > numbers.length) grow(used + more.length)
    for (const number of more) numbers[used++] = number
  }

  function grow(least: number): void {
    const larger = new Int32Array(Math.max(least, 2 * numbers.length))
    larger.set(numbers.subarray(0, used))
    numbers = larger
  }

  function takeOut(): void {
    if (gathered > 0 && kernels !== undefined) takenOut.push(kernels.gathered.slice(0, gathered))
    gathered = 0
  }

  /** Puts everything back to where it was when so many lines had been taken out, and the others ended here. */
  function forget(from: { used: number; gathered: number; takenOut: number }): void {
    used = from.used
    const isIn = takenOut.length === from.takenOut
    const last = isIn ? undefined : takenOut[from.takenOut]!.subarray(0, from.gathered)
    takenOut.length = from.takenOut
    gathered = last === undefined ? from.gathered : 0
    if (last !== undefined) takenOut.push(last)
  }

  function addCode(code: number): void {
    fileCodes.push(code)
    if (code !== codes.nothing) isNothing = false
  }

  function addDetails({ skipped, result, tooExpensive, linesCut }: FileOutcome): void {
    put(skipped === undefined ? 0 : codes[skipped], tooExpensive, linesCut, result === undefined ? 0 : 1)
    if (result === undefined) return
    put(result.matches, result.textBytes, endings.indexOf(result.ended), result.records.length)
    for (const record of result.records) {
      texts.push(record.text)
      put((record.cut ? 1 : 0) | (record.kind === 'match' ? 2 : 0), record.line, record.text.length)
      if (record.kind === 'context') continue
      put(record.lineCount, record.column.bytes, record.column.units, record.length, record.count)
    }
  }

  /** Undefined where they can't be told so; what was put until then has to be forgotten. */
  function gatherLines(
    text: Bytes,
    { bytes, folded }: NeedleBytes,
    units: number,
  ): { matches: number; textBytes: number } | undefined {
    const { tellLines, lineNumbers: told } = kernels!
    const progress = { from: 0, line: 1, at: gathered, textBytes: 0 }
    let matches = 0
    while (progress.from < text.length) {
      const count = tellLines(text, bytes, progress, { folded, units })
      if (count < 0) return undefined
      gathered = progress.at
      matches += count
      const length = lineNumbers * count
      if (used + length > numbers.length) grow(used + length)
      for (let i = 0; i < length; i += 1) numbers[used + i] = told[i]!
      used += length
      if (count > 0 || progress.from >= text.length) continue
      // A line for which there is no room.
      if (gathered === 0) return undefined
      takeOut()
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
      const before = { used, gathered, takenOut: takenOut.length }
      put(0, 0, needle.bytes.length)
      const found = gatherLines(text, needle, limits.units)
      const isTold = found !== undefined && found.textBytes <= limits.textBytes
      if (!isTold || found.matches === 0) forget(before)
      if (!isTold) return false
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
      takenOut = []
      return found
    },
  }

  function packed(): Packed {
    const rest = kernels?.gathered.subarray(0, gathered) ?? new Uint8Array()
    const numberBytes = new Uint8Array(numbers.buffer, 0, 4 * used)
    const bytes = joinBytes([numberBytes, Uint8Array.from(fileCodes), ...takenOut, rest])
    return { bytes, numberCount: used, fileCount: fileCodes.length, text: texts.join('') }
  }
}

function codeOf(outcome: WorkerOutcome): number {
  if (outcome === nothingFound) return codes.nothing
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

const nothingInBatch: BatchOutcomes = { bytes: 0, read: () => () => nothingFound }

/** Of one file after the other. */
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
    if (code === codes.nothing) return nothingFound
    if (code === codes.unreachable) return 'unreachable'
    if (code === codes.counted) return countOnly(next())
    if (code === codes.lines) return { result: linesFromHere(), tooExpensive: 0, linesCut: 0 }
    if (code !== codes.detailed) return { skipped: skippedOf(code), tooExpensive: 0, linesCut: 0 }
    const skipped = next()
    const outcome: FileOutcome = {
      tooExpensive: next(),
      linesCut: next(),
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

  /** Bytes are units in them. */
  function linesFromHere(): FileResult {
    const matches = next()
    const textBytes = next()
    const length = next()
    const records: MatchRecord[] = []
    for (const end = at + lineNumbers * matches; at < end; at += lineNumbers) {
      const told = numbers[at + 1]!
      const column = numbers[at + 2]!
      const start = lineAt
      lineAt += told < 0 ? ~told : told
      records.push({
        kind: 'match',
        line: numbers[at]!,
        lineCount: 1,
        text: lines.slice(start, lineAt),
        cut: told < 0,
        column: columns[column] ?? { bytes: column, units: column },
        length,
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
    if ((flags & 2) === 0) return { kind: 'context', ...common }
    const match: MatchRecord = {
      kind: 'match',
      line,
      lineCount: next(),
      text: common.text,
      cut: common.cut,
      column: { bytes: next(), units: next() },
      length: next(),
      count: next(),
    }
    return match
  }
}

function skippedOf(code: number): (typeof skippedByCode)[number] {
  return skippedByCode[code - codes.binary] as (typeof skippedByCode)[number]
}

/** Records by the thousand have their matches at the same few places. */
const columns = Array.from({ length: 128 }, (_, column) => Object.freeze({ bytes: column, units: column }))
