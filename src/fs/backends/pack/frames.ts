/**
 * Frames: what segments consist of. A frame has a length, a checksum, numbers, two texts and content, and begins at a
 * multiple of eight bytes. The first damaged frame ends what can be read of a segment.
 */
import type { Bytes } from '../../types.js'

/** The order is part of the format. */
const kinds = [
  // The structure of a segment.
  'log',
  'snapshot',
  'end',
  // An entry of a snapshot.
  'file',
  'directory',
  'link',
  // A change in a log.
  'write',
  'makeDir',
  'remove',
  'rename',
  'symlink',
  'setMode',
  'setModified',
] as const

export type FrameKind = (typeof kinds)[number]

/** What is not used by a kind is left out. */
export interface Frame {
  kind: FrameKind
  /** The tree, by its number. */
  tree?: number
  mode?: number
  /** When the change was made. */
  at?: number
  /** Other times of an entry; in frames of structure, counters. */
  modifiedMs?: number
  createdMs?: number
  path?: string
  /** The target of a link, or the new path of a rename. */
  other?: Bytes
  content?: Bytes
}

/** Every field is present; those that were left out are 0 or empty. */
export type ReadFrame = Required<Frame>

/** Length of everything and checksum of all that follows, 4 bytes each. */
const prefixBytes = 8
/** Kind, tree, mode, length of the path, length of the other text, length of the content: 4 bytes each. Three times. */
const headBytes = 6 * 4 + 3 * 8

export function encodeFrame(frame: Frame): Bytes {
  const path = encoder.encode(frame.path ?? '')
  const { other = nothing, content = nothing } = frame
  const textStart = prefixBytes + headBytes
  const length = aligned(textStart + path.length + other.length + content.length)
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, length, true)
  const numbers = [
    kinds.indexOf(frame.kind),
    frame.tree ?? 0,
    frame.mode ?? 0,
    path.length,
    other.length,
    content.length,
  ]
  for (const [index, number] of numbers.entries()) view.setUint32(prefixBytes + index * 4, number, true)
  const times = [frame.at ?? 0, frame.modifiedMs ?? 0, frame.createdMs ?? 0]
  for (const [index, time] of times.entries()) view.setFloat64(prefixBytes + 24 + index * 8, time, true)
  bytes.set(path, textStart)
  bytes.set(other, textStart + path.length)
  bytes.set(content, textStart + path.length + other.length)
  view.setUint32(4, checksum(bytes, 0, length), true)
  return bytes
}

/** The frames up to the first that is damaged or incomplete. Their content shares the segment's memory. */
export function* decodeFrames(segment: Bytes): Generator<ReadFrame> {
  // Words are read in place, so the first byte has to be aligned.
  const bytes = segment.byteOffset % 8 === 0 ? segment : segment.slice()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let start = 0
  while (start + prefixBytes + headBytes <= bytes.length) {
    const length = view.getUint32(start, true)
    if (length < prefixBytes + headBytes || length % 8 !== 0 || start + length > bytes.length) return
    if (view.getUint32(start + 4, true) !== checksum(bytes, start, start + length)) return
    const frame = decodeFrame(bytes, view, start, start + length)
    if (frame === undefined) return
    yield frame
    start += length
  }
}

function decodeFrame(bytes: Bytes, view: DataView, start: number, end: number): ReadFrame | undefined {
  const number = (index: number) => view.getUint32(start + prefixBytes + index * 4, true)
  const time = (index: number) => view.getFloat64(start + prefixBytes + 24 + index * 8, true)
  const kind = kinds[number(0)]
  const pathStart = start + prefixBytes + headBytes
  const otherStart = pathStart + number(3)
  const contentStart = otherStart + number(4)
  const contentEnd = contentStart + number(5)
  if (kind === undefined || contentEnd > end) return undefined
  return {
    kind,
    tree: number(1),
    mode: number(2),
    at: time(0),
    modifiedMs: time(1),
    createdMs: time(2),
    path: decoder.decode(bytes.subarray(pathStart, otherStart)),
    other: bytes.subarray(otherStart, contentStart),
    content: bytes.subarray(contentStart, contentEnd),
  }
}

/** Finds torn and damaged frames; it does not protect from someone who forges them. The checksum itself counts as 0. */
function checksum(bytes: Bytes, start: number, end: number): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + start, (end - start) / 4)
  let even = 0x9e3779b1
  let odd = words.length
  for (let index = 0; index < words.length; index += 2) {
    even = Math.imul(even ^ (words[index] as number), 0x85ebca6b)
    even = (even << 13) | (even >>> 19)
    const word = index === 0 ? 0 : (words[index + 1] as number)
    odd = Math.imul(odd ^ word, 0xc2b2ae35)
    odd = (odd << 15) | (odd >>> 17)
  }
  const mixed = Math.imul(even ^ (even >>> 16), 0x27d4eb2f) ^ Math.imul(odd ^ (odd >>> 15), 0x165667b1)
  return (mixed ^ (mixed >>> 13)) >>> 0
}

function aligned(length: number): number {
  return (length + 7) & ~7
}

const nothing: Bytes = new Uint8Array()
const encoder = new TextEncoder()
// A path may begin with what looks like a byte order mark.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
