/** The `.idx` file of a pack, version 1 or 2: the offset of each object. */
import { FsError } from '../../errors.js'
import type { Bytes } from '../../fs/types.js'
import { fromHex, toHex } from '../../text/hex.js'
import { damaged } from '../damaged.js'

export interface PackIndex {
  readonly count: number
  /** The offset of an object in the pack. */
  offsetOf(oid: string): number | undefined
  /** The offset of the next object; undefined for the last one. */
  offsetAfter(offset: number): number | undefined
  /** Adds ids with this prefix, until there are `atMost`. */
  namesWith(prefix: string, into: Set<string>, atMost: number): void
}

const nameBytes = 20
const fanoutBytes = 256 * 4

export function parsePackIndex(bytes: Bytes, subject: string): PackIndex {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const hasHeader = bytes.length >= 8 && view.getUint32(0) === 0xff744f63
  if (hasHeader && view.getUint32(4) !== 2) throw unsupported(`pack index version ${view.getUint32(4)}`)
  const fanout = hasHeader ? 8 : 0
  if (bytes.length < fanout + fanoutBytes + 2 * nameBytes) throw damaged(subject)
  const count = view.getUint32(fanout + 255 * 4)
  const start = fanout + fanoutBytes
  // Version 1 has the offset before each id; version 2 has separate lists of ids, checksums and offsets.
  const [names, width] = hasHeader ? [start, nameBytes] : [start + 4, nameBytes + 4]
  const offsets = hasHeader ? start + count * (nameBytes + 4) : start
  const large = start + count * (nameBytes + 8)
  const end = bytes.length - 2 * nameBytes
  if ((hasHeader ? large : start + count * width) > end) throw damaged(subject)
  for (let i = 1; i < 256; i += 1) {
    if (view.getUint32(fanout + i * 4) < view.getUint32(fanout + (i - 1) * 4)) throw damaged(subject)
  }

  function offsetAt(i: number): number {
    if (!hasHeader) return view.getUint32(offsets + i * width)
    const offset = view.getUint32(offsets + i * 4)
    if (offset < 0x80000000) return offset
    const at = large + (offset - 0x80000000) * 8
    if (at + 8 > end) throw damaged(subject)
    return view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4)
  }

  function compareAt(i: number, name: Bytes): number {
    const at = names + i * width
    for (let k = 0; k < name.length; k += 1) {
      const difference = (bytes[at + k] as number) - (name[k] as number)
      if (difference !== 0) return difference
    }
    return 0
  }

  /** The first index whose id is not smaller. */
  function search(name: Bytes): number {
    const first = name[0] as number
    let low = first === 0 ? 0 : view.getUint32(fanout + (first - 1) * 4)
    let high = view.getUint32(fanout + first * 4)
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareAt(middle, name) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  let inOrder: Float64Array | undefined

  return {
    count,

    offsetOf(oid) {
      const name = fromHex(oid)
      const i = search(name)
      return i < count && compareAt(i, name) === 0 ? offsetAt(i) : undefined
    },

    offsetAfter(offset) {
      inOrder ??= Float64Array.from({ length: count }, (_, i) => offsetAt(i)).sort()
      let [low, high] = [0, count]
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((inOrder[middle] as number) <= offset) low = middle + 1
        else high = middle
      }
      return inOrder[low]
    },

    namesWith(prefix, into, atMost) {
      const name = fromHex(prefix.padEnd(2 * nameBytes, '0'))
      for (let i = search(name); i < count && into.size < atMost; i += 1) {
        const oid = toHex(bytes.subarray(names + i * width, names + i * width + nameBytes))
        if (!oid.startsWith(prefix)) return
        into.add(oid)
      }
    },
  }
}

function unsupported(subject: string): FsError {
  return new FsError('GIT_REFUSED', { reason: 'unsupported-repository', subject })
}
