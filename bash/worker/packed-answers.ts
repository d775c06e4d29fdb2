/**
 * Packs many answers of files for a message: what a message costs depends on how many objects and buffers are in it, more than on their
 * sizes. Stats become rows of numbers, small files share one buffer, and a listing is two texts.
 */

import type { Bytes, Entry, Kind, Stat } from '../../src/fs/types.js'
import { copiedBytes } from '../../src/text/copied-bytes.js'
import type { FileStart } from '../io/command-tree.js'
import type { FileAnswer, PackedAnswers } from './messages.js'

/** Larger files have buffers of their own, so that a program which holds one does not hold all. */
const smallBytes = 16 << 10

const kinds: readonly Kind[] = ['file', 'directory', 'symlink', 'other']
const numbers = [
  'size',
  'modifiedMs',
  'createdMs',
  'accessedMs',
  'changedMs',
  'inode',
  'userId',
  'groupId',
  'mode',
] as const satisfies ReadonlyArray<keyof Stat>

/** What a row is: the next of the answers, a stat, or the start of a file, which is a stat with bytes or without. */
const [unpackedRow, statRow, startRow, bareStartRow] = [0, 1, 2, 3]
/** Type, call, kind, begin and end of the bytes; then the numbers. What is absent is not a number. */
const [callAt, kindAt, fromAt, toAt, numbersAt] = [1, 2, 3, 4, 5]
const rowLength = numbersAt + numbers.length

/** In place of a listing. */
interface PackedListing {
  /** With a slash between them, which no name has. */
  names: string
  /** The number of the kind of each. */
  kinds: string
}

export function packed(given: readonly FileAnswer[]): PackedAnswers {
  const answers: FileAnswer[] = []
  const rows = new Float64Array(given.length * rowLength).fill(Number.NaN)
  const smallFiles: Bytes[] = []
  let length = 0
  for (const [index, answer] of given.entries()) {
    const at = index * rowLength
    const value = 'value' in answer ? answer.value : undefined
    rows[at] = unpackedRow
    if (isStat(value)) {
      rows[at] = statRow
      writeStat(rows, at, answer.call, value)
    } else if (isSmallStart(value)) {
      rows[at] = value.bytes === undefined ? bareStartRow : startRow
      writeStat(rows, at, answer.call, value.stat)
      if (value.bytes === undefined) continue
      rows[at + fromAt] = length
      length += value.bytes.length
      rows[at + toAt] = length
      smallFiles.push(value.bytes)
    } else if (isListing(value)) answers.push({ call: answer.call, value: packedListing(value) })
    else if (isStart(value)) answers.push({ call: answer.call, value: { ...value, bytes: alone(value.bytes) } })
    else if (value instanceof Uint8Array) answers.push({ call: answer.call, value: alone(value) })
    else answers.push(answer)
  }
  if (answers.length === given.length) return { answers }
  const bytes = new Uint8Array(length)
  length = 0
  for (const one of smallFiles) {
    bytes.set(one, length)
    length += one.length
  }
  return { answers, rows, ...(length > 0 && { bytes }) }
}

/** Those that were made to be sent: they need not be copied once more. */
export function ownBuffers({ answers, rows, bytes }: PackedAnswers): ArrayBufferLike[] {
  const inner = answers.flatMap((answer) =>
    'value' in answer && isPackedAnswers(answer.value) ? ownBuffers(answer.value) : [],
  )
  return [rows, bytes].flatMap((own) => own?.buffer ?? []).concat(inner)
}

export function unpacked({ answers, rows, bytes }: PackedAnswers): FileAnswer[] {
  if (rows === undefined) return answers.map(unpackedAnswer)
  const result: FileAnswer[] = []
  let next = 0
  for (let at = 0; at < rows.length; at += rowLength) {
    const call = rows[at + callAt] as number
    if (rows[at] === unpackedRow) {
      result.push(unpackedAnswer(answers[next] as FileAnswer))
      next += 1
    } else if (rows[at] === statRow) result.push({ call, value: readStat(rows, at) })
    else if (rows[at] === bareStartRow) result.push({ call, value: { stat: readStat(rows, at) } })
    else {
      const start: FileStart = {
        stat: readStat(rows, at),
        bytes: (bytes ?? new Uint8Array()).subarray(rows[at + fromAt], rows[at + toAt]),
      }
      result.push({ call, value: start })
    }
  }
  return result
}

function unpackedAnswer(answer: FileAnswer): FileAnswer {
  return 'value' in answer && isPackedListing(answer.value)
    ? { call: answer.call, value: unpackedListing(answer.value) }
    : answer
}

/** By name, not in a loop over names, which takes several times as long. */
function writeStat(rows: Float64Array, at: number, call: number, stat: Stat): void {
  rows[at + callAt] = call
  rows[at + kindAt] = kinds.indexOf(stat.kind)
  const first = at + numbersAt
  if (stat.size !== undefined) rows[first] = stat.size
  if (stat.modifiedMs !== undefined) rows[first + 1] = stat.modifiedMs
  if (stat.createdMs !== undefined) rows[first + 2] = stat.createdMs
  if (stat.accessedMs !== undefined) rows[first + 3] = stat.accessedMs
  if (stat.changedMs !== undefined) rows[first + 4] = stat.changedMs
  if (stat.inode !== undefined) rows[first + 5] = stat.inode
  if (stat.userId !== undefined) rows[first + 6] = stat.userId
  if (stat.groupId !== undefined) rows[first + 7] = stat.groupId
  if (stat.mode !== undefined) rows[first + 8] = stat.mode
}

function readStat(rows: Float64Array, at: number): Stat {
  const stat: Stat = { kind: kinds[rows[at + kindAt] as number] as Kind }
  for (let column = 0; column < numbers.length; column += 1) {
    const value = rows[at + numbersAt + column] as number
    if (!Number.isNaN(value)) stat[numbers[column] as (typeof numbers)[number]] = value
  }
  return stat
}

function packedListing(entries: readonly Entry[]): PackedListing {
  return {
    names: entries.map(({ name }) => name).join('/'),
    kinds: entries.map(({ kind }) => kinds.indexOf(kind)).join(''),
  }
}

function unpackedListing(listing: PackedListing): Entry[] {
  const names = listing.names.split('/')
  return Array.from(listing.kinds, (kind, index) => ({
    name: names[index] as string,
    kind: kinds[Number(kind)] as Kind,
  }))
}

function isStat(value: unknown): value is Stat {
  if (typeof value !== 'object' || value === null || !('kind' in value) || 'name' in value) return false
  return kinds.includes(value.kind as Kind)
}

function isStart(value: unknown): value is Required<FileStart> {
  if (typeof value !== 'object' || value === null || !('stat' in value) || !('bytes' in value)) return false
  return value.bytes instanceof Uint8Array
}

function isSmallStart(value: unknown): value is FileStart {
  if (isStart(value)) return value.bytes.length <= smallBytes
  return typeof value === 'object' && value !== null && 'stat' in value && !('bytes' in value)
}

function isPackedAnswers(value: unknown): value is PackedAnswers {
  return typeof value === 'object' && value !== null && 'answers' in value
}

/** A message takes along all of the buffer that bytes are a part of. */
function alone(bytes: Bytes): Bytes {
  return bytes.length < bytes.buffer.byteLength ? copiedBytes(bytes) : bytes
}

function isListing(value: unknown): value is Entry[] {
  return Array.isArray(value) && value.length > 0
}

function isPackedListing(value: unknown): value is PackedListing {
  return typeof value === 'object' && value !== null && 'names' in value && 'kinds' in value
}
