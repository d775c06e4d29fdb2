/** What a thread has found in a batch of files, laid out flat: objects by the thousand are slow to send, and most are never looked at. */
import type { Bytes } from '../src/fs/types.js'
import type { FileResult } from '../src/search/file-search.js'
import type { Kernels } from '../src/search/kernels/kernels.js'
import type { NeedleBytes } from '../src/search/matcher.js'
import { type FileOutcome, nothingFound } from '../src/search/one-file.js'
import type { MatchRecord, SearchRecord } from '../src/search/records.js'

/** `elsewhere`: only the gate can tell, because a link is in the way, or the path is not plain. */
export type WorkerOutcome = FileOutcome | 'elsewhere'

export interface Packed {
  /** One for each file. */
  codes: Uint8Array
  numbers: Int32Array
  text: string
}

const codes = { nothing: 0, elsewhere: 1, binary: 2, tooLarge: 3, unreadable: 4, notUtf8: 5, detailed: 6, lines: 7 }
const skippedByCode = ['binary', 'tooLarge', 'unreadable', 'notUtf8'] as const
const endings = ['done', 'enough', 'limited', 'bytes', 'stopped'] as const

/** Of lines told by `lines`: how long the needle is, then three for each line. */
const lineNumbers = 3

export interface Packer {
  add(outcome: WorkerOutcome): void
  /**
   * Adds a file of which all lines that have the needle in them are told whole, if they are ASCII and neither a line nor all together are
   * longer than given; false otherwise, and nothing is added. Nothing is made of them: they go from memory to memory.
   */
  addLines(text: Bytes, needle: NeedleBytes, limits: { units: number; textBytes: number }): boolean
  /** What was added since the last time. */
  take(): Packed | 'nothing'
}

/** Bytes that kernels need for lines to be gathered in. */
export const gatheredBytes = 1 << 20
/** A file whose lines may not find so much room begins anew. */
const leastRoom = gatheredBytes / 2
const linesAtOnce = 512

export function createPacker(kernels: Kernels | undefined): Packer {
  let fileCodes: number[] = []
  let isNothing = true
  let numbers = new Int32Array(4096)
  let used = 0
  let texts: string[] = []
  let gathered = 0
  const bytes = kernels && Buffer.from(kernels.gathered.buffer, kernels.gathered.byteOffset, kernels.gathered.length)

  function put(...more: number[]): void {
    if (used + more.length > numbers.length) grow(used + more.length)
    for (const number of more) numbers[used++] = number
  }

  function grow(least: number): void {
    const larger = new Int32Array(Math.max(least, 2 * numbers.length))
    larger.set(numbers.subarray(0, used))
    numbers = larger
  }

  /** What was gathered is text now; it is all ASCII. */
  function flush(): void {
    if (gathered > 0 && bytes !== undefined) texts.push(bytes.toString('latin1', 0, gathered))
    gathered = 0
  }

  function addCode(code: number): void {
    fileCodes.push(code)
    if (code !== codes.nothing) isNothing = false
  }

  function addDetails({ skipped, result, tooExpensive, linesCut }: FileOutcome): void {
    put(skipped === undefined ? 0 : codes[skipped], tooExpensive, linesCut, result === undefined ? 0 : 1)
    if (result === undefined) return
    put(result.matches, result.textBytes, endings.indexOf(result.ended), result.records.length)
    if (result.records.length > 0) flush()
    for (const record of result.records) {
      texts.push(record.text)
      put((record.cut ? 1 : 0) | (record.kind === 'match' ? 2 : 0), record.line, record.text.length)
      if (record.kind === 'context') continue
      put(record.lineCount, record.column.bytes, record.column.units, record.length, record.count)
    }
  }

  function gatherLines(text: Bytes, needle: NeedleBytes, units: number): { matches: number; end: number } | undefined {
    let matches = 0
    let end = gathered
    let line = 1
    for (let from = 0; from < text.length; line += 1) {
      const { count, numbers: told } = kernels!.lines(text, needle.bytes, from, {
        folded: needle.folded,
        max: linesAtOnce,
      })
      if (used + lineNumbers * count > numbers.length) grow(used + lineNumbers * count)
      let length = 0
      for (let i = 0; i < 4 * count; i += 4) {
        line += told[i]!
        const start = told[i + 1]!
        const feed = told[i + 2]!
        const last = feed < text.length && feed > start && text[feed - 1] === 0x0d ? feed - 1 : feed
        if (last - start > units) return undefined
        told[i + 2] = last
        numbers[used] = line
        numbers[used + 1] = last - start
        numbers[used + 2] = told[i + 3]! - start
        used += lineNumbers
        length += last - start
        from = feed + 1
      }
      if (count > 0 && end + length + 16 > gatheredBytes) return undefined
      end = count === 0 ? end : kernels!.gather(text, count, end)
      if (end < 0) return undefined
      matches += count
      if (count < linesAtOnce) break
    }
    return { matches, end }
  }

  return {
    add(outcome) {
      const code = codeOf(outcome)
      addCode(code)
      if (code === codes.detailed) addDetails(outcome as FileOutcome)
    },
    addLines(text, needle, limits) {
      if (gathered > gatheredBytes - leastRoom) flush()
      const header = used
      put(0, 0, needle.bytes.length)
      const found = gatherLines(text, needle, limits.units)
      if (found === undefined || found.end - gathered > limits.textBytes) {
        used = header
        return false
      }
      numbers[header] = found.matches
      numbers[header + 1] = found.end - gathered
      gathered = found.end
      if (found.matches === 0) used = header
      addCode(found.matches === 0 ? codes.nothing : codes.lines)
      return true
    },
    take() {
      flush()
      const packed = { codes: Uint8Array.from(fileCodes), numbers: numbers.slice(0, used), text: texts.join('') }
      const found = isNothing ? 'nothing' : packed
      fileCodes = []
      isNothing = true
      used = 0
      texts = []
      return found
    },
  }
}

function codeOf(outcome: WorkerOutcome): number {
  if (outcome === nothingFound) return codes.nothing
  if (outcome === 'elsewhere') return codes.elsewhere
  const { skipped, result, tooExpensive, linesCut } = outcome
  if (tooExpensive > 0 || linesCut > 0) return codes.detailed
  if (skipped !== undefined) return codes[skipped]
  return result?.matches === 0 && result.ended === 'done' ? codes.nothing : codes.detailed
}

export function unpack({ codes: packed, numbers, text }: Packed): WorkerOutcome[] {
  let at = 0
  let textAt = 0
  const next = () => numbers[at++] as number

  return Array.from(packed, (code) => {
    if (code === codes.nothing) return nothingFound
    if (code === codes.elsewhere) return 'elsewhere'
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
  })

  function resultFromHere(): FileResult {
    const matches = next()
    const textBytes = next()
    const ended = endings[next()] as FileResult['ended']
    const records = Array.from({ length: next() }, recordFromHere)
    return { records, recordCount: records.length, matches, textBytes, ended }
  }

  function linesFromHere(): FileResult {
    const matches = next()
    const textBytes = next()
    const length = next()
    const numbersAt = at
    const linesAt = textAt
    at += lineNumbers * matches
    textAt += textBytes
    let made: SearchRecord[] | undefined
    return {
      get records() {
        made ??= lineRecords(numbers, numbersAt, text, linesAt, { matches, length })
        return made
      },
      recordCount: matches,
      matches,
      textBytes,
      ended: 'done',
    }
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

/** The same for lines, in which bytes are units and nothing is cut. */
function lineRecords(
  numbers: Int32Array,
  numbersAt: number,
  text: string,
  textAt: number,
  { matches, length }: { matches: number; length: number },
): SearchRecord[] {
  let start = textAt
  return Array.from({ length: matches }, (_, i): MatchRecord => {
    const at = numbersAt + lineNumbers * i
    const end = start + numbers[at + 1]!
    const column = numbers[at + 2]!
    const record: MatchRecord = {
      kind: 'match',
      line: numbers[at]!,
      lineCount: 1,
      text: text.slice(start, end),
      cut: false,
      column: { bytes: column, units: column },
      length,
      count: 1,
    }
    start = end
    return record
  })
}
