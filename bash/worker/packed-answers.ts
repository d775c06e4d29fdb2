/**
 * Packs many answers of files for a message: what a message costs depends on how many objects and buffers are in it, more than on their
 * sizes. Stats become rows of numbers, small files share one buffer, and a listing is two texts.
 */

import type { Bytes, Entry, Kind, Stat } from '../../src/fs/types.js'
import { copiedBytes } from '../../src/text/copied-bytes.js'
import type { FileStart } from '../io/command-tree.js'
import { concat } from '../io/streams.js'
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

/** What a row is: the next of the answers, a stat, or a stat with the first bytes of a file. */
const [unpackedRow, statRow, startRow] = [0, 1, 2]
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
    const row = rows.subarray(index * rowLength, (index + 1) * rowLength)
    const value = 'value' in answer ? answer.value : undefined
    row[0] = unpackedRow
    if (isStat(value)) {
      row[0] = statRow
      writeStat(row, answer.call, value)
    } else if (isSmallStart(value)) {
      row[0] = startRow
      writeStat(row, answer.call, value.stat)
      row[fromAt] = length
      length += value.bytes.length
      row[toAt] = length
      smallFiles.push(value.bytes)
    } else if (isListing(value)) answers.push({ call: answer.call, value: packedListing(value) })
    else if (isStart(value)) answers.push({ call: answer.call, value: { ...value, bytes: alone(value.bytes) } })
    else if (value instanceof Uint8Array) answers.push({ call: answer.call, value: alone(value) })
    else answers.push(answer)
  }
  if (answers.length === given.length) return { answers }
  const bytes = smallFiles.length === 1 ? alone(smallFiles[0] as Bytes) : concat(smallFiles)
  return { answers, rows, ...(bytes !== undefined && bytes.length > 0 && { bytes }) }
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

function writeStat(row: Float64Array, call: number, stat: Stat): void {
  row[callAt] = call
  row[kindAt] = kinds.indexOf(stat.kind)
  for (let column = 0; column < numbers.length; column += 1) {
    const value = stat[numbers[column] as (typeof numbers)[number]]
    if (value !== undefined) row[numbersAt + column] = value
  }
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

function isSmallStart(value: unknown): value is Required<FileStart> {
  return isStart(value) && value.bytes.length <= smallBytes
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
