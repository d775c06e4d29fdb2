/** What the search pool and its workers tell each other. */
import type { FileResult } from '../src/search/file-search.js'
import { type FileOutcome, nothingFound } from '../src/search/one-file.js'
import type { MatchRecord, SearchRecord, SearchRequest } from '../src/search/records.js'
import type { SharedAnchor } from './anchor.js'

/** Tells the module that a worker starts from what it is there for: it may be the whole command. */
export interface WorkerSetup {
  polyfs: 'search-worker'
  roots: readonly SharedAnchor[]
  /** What the worker has in hand: the number of a search, 0 for none, and of a batch. */
  inHand: Int32Array
}

export type ToWorker =
  | { kind: 'start'; search: number; request: SearchRequest; deadlineMs: number; control: Int32Array }
  | { kind: 'batch'; search: number; batch: number; groups: readonly FileGroup[] }
  | { kind: 'end'; search: number }

/** Files of one directory. */
export interface FileGroup {
  /** Which root, and where in it. */
  root: number
  directory: string
  /** With slashes between them: one text is sent sooner than many. */
  names: string
  /** Listings have said of all of them that they are files. */
  listed: boolean
}

export type FromWorker = { kind: 'ready' } | { kind: 'found'; search: number; batch: number; found: Packed | 'nothing' }

/** Where things stand in `control`: whether the search is over, and whether all that may be told is, so that the rest is only counted. */
export const stopAt = 0
export const toldAt = 1
/** Then which batch each slot was last claimed for. Posted to all threads, a batch is searched by one. */
const firstSlot = 2
export const claimSlots = 1024

export function createControl(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4 * (firstSlot + claimSlots)))
}

/** True for the one worker that may search a batch. Slots are used again, but never for a batch while an older one is open. */
export function claim(control: Int32Array, batch: number): boolean {
  const slot = firstSlot + (batch % claimSlots)
  const last = Atomics.load(control, slot)
  return last < batch + 1 && Atomics.compareExchange(control, slot, last, batch + 1) === last
}

/** `elsewhere`: only the gate can tell, because a link is in the way, or the path is not plain. */
export type WorkerOutcome = FileOutcome | 'elsewhere'

/** The outcomes of a batch: objects by the thousand are slow to send, a few arrays are not. */
export interface Packed {
  /** One for each file. */
  codes: Uint8Array
  numbers: Int32Array
  text: string
}

const codes = { nothing: 0, elsewhere: 1, binary: 2, tooLarge: 3, unreadable: 4, notUtf8: 5, detailed: 6 }
const skippedByCode = ['binary', 'tooLarge', 'unreadable', 'notUtf8'] as const
const endings = ['done', 'enough', 'limited', 'bytes', 'stopped'] as const

export function pack(outcomes: readonly WorkerOutcome[]): Packed | 'nothing' {
  if (outcomes.every((outcome) => outcome === nothingFound)) return 'nothing'
  const numbers: number[] = []
  const texts: string[] = []
  const packed = new Uint8Array(outcomes.length)
  outcomes.forEach((outcome, i) => {
    packed[i] = codeOf(outcome)
    if (packed[i] === codes.detailed) addDetails(outcome as FileOutcome, numbers, texts)
  })
  return { codes: packed, numbers: new Int32Array(numbers), text: texts.join('') }
}

function codeOf(outcome: WorkerOutcome): number {
  if (outcome === nothingFound) return codes.nothing
  if (outcome === 'elsewhere') return codes.elsewhere
  const { skipped, result, tooExpensive, linesCut } = outcome
  if (tooExpensive > 0 || linesCut > 0) return codes.detailed
  if (skipped !== undefined) return codes[skipped]
  return result?.matches === 0 && result.ended === 'done' ? codes.nothing : codes.detailed
}

function addDetails(outcome: FileOutcome, numbers: number[], texts: string[]): void {
  const { skipped, result, tooExpensive, linesCut } = outcome
  numbers.push(skipped === undefined ? 0 : codes[skipped], tooExpensive, linesCut, result === undefined ? 0 : 1)
  if (result === undefined) return
  numbers.push(result.matches, result.textBytes, endings.indexOf(result.ended), result.records.length)
  for (const record of result.records) {
    texts.push(record.text)
    numbers.push((record.cut ? 1 : 0) | (record.kind === 'match' ? 2 : 0), record.line, record.text.length)
    if (record.kind === 'context') continue
    numbers.push(record.lineCount, record.column.bytes, record.column.units, record.length, record.count)
  }
}

export function unpack({ codes: packed, numbers, text }: Packed): WorkerOutcome[] {
  let at = 0
  let textAt = 0
  const next = () => numbers[at++] as number

  return Array.from(packed, (code) => {
    if (code === codes.nothing) return nothingFound
    if (code === codes.elsewhere) return 'elsewhere'
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
    return { records, matches, textBytes, ended }
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
