/** Puts the small files of many answers into one buffer: each buffer of a message costs more than some kilobytes in it. */
import type { Bytes } from '../../src/fs/types.js'
import type { FileStart } from '../io/command-tree.js'
import type { FileAnswer } from './messages.js'

interface Packed {
  answers: FileAnswer[]
  packed?: Bytes
}

/** In place of a `FileStart` with bytes. */
interface PackedStart extends Pick<FileStart, 'stat'> {
  from: number
  to: number
}

/** Larger files have buffers of their own, so that a program which holds one does not hold all. */
const smallBytes = 16 << 10

export function packed(answers: FileAnswer[]): Packed {
  const starts = answers.flatMap((answer) => ('value' in answer && isSmallStart(answer.value) ? [answer.value] : []))
  if (starts.length < 2) return { answers }
  const bytes = new Uint8Array(starts.reduce((total, start) => total + start.bytes.length, 0))
  let from = 0
  const replaced = answers.map((answer): FileAnswer => {
    if (!('value' in answer) || !isSmallStart(answer.value)) return answer
    const { stat, bytes: own } = answer.value
    const place: PackedStart = { stat, from, to: from + own.length }
    bytes.set(own, from)
    from = place.to
    return { call: answer.call, value: place }
  })
  return { answers: replaced, packed: bytes }
}

export function unpacked({ answers, packed: bytes }: Packed): FileAnswer[] {
  if (bytes === undefined) return answers
  return answers.map((answer) => {
    if (!('value' in answer) || !isPackedStart(answer.value)) return answer
    const { stat, from, to } = answer.value
    return { call: answer.call, value: { stat, bytes: bytes.subarray(from, to) } }
  })
}

function isSmallStart(value: unknown): value is Required<FileStart> {
  if (typeof value !== 'object' || value === null || !('stat' in value) || !('bytes' in value)) return false
  return value.bytes instanceof Uint8Array && value.bytes.length <= smallBytes
}

function isPackedStart(value: unknown): value is PackedStart {
  return typeof value === 'object' && value !== null && 'stat' in value && 'from' in value
}
