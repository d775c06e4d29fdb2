/** Deltas: objects stored as the difference to another object. */
import type { Bytes } from '../../fs/types.js'
import { damaged } from '../damaged.js'

export interface DeltaSizes {
  base: number
  result: number
  /** The offset of the instructions. */
  at: number
}

/** The sizes of both objects, from the first bytes of a delta; undefined for invalid data. */
export function deltaSizes(delta: Bytes): DeltaSizes | undefined {
  const base = readSize(delta, 0)
  const result = base && readSize(delta, base.at)
  return base && result && { base: base.value, result: result.value, at: result.at }
}

/** Applies a delta to its base. The result never exceeds the size from `deltaSizes`, which the caller must check first. */
export function applyDelta(base: Bytes, delta: Bytes, subject: string): Bytes {
  const sizes = deltaSizes(delta)
  if (sizes === undefined || sizes.base !== base.length) throw damaged(subject)
  const result = new Uint8Array(sizes.result)
  let { at } = sizes
  let filled = 0
  while (at < delta.length) {
    const code = delta[at] as number
    at += 1
    let piece: Bytes
    if ((code & 0x80) === 0) {
      // New bytes are in the delta itself; a length of 0 is reserved.
      if (code === 0 || at + code > delta.length) throw damaged(subject)
      piece = delta.subarray(at, at + code)
      at += code
    } else {
      let [offset, length] = [0, 0]
      for (let i = 0; i < 7; i += 1) {
        if ((code & (1 << i)) === 0) continue
        if (at >= delta.length) throw damaged(subject)
        const byte = delta[at] as number
        at += 1
        if (i < 4) offset += byte * 2 ** (8 * i)
        else length += byte * 2 ** (8 * (i - 4))
      }
      if (length === 0) length = 0x10000
      if (offset + length > base.length) throw damaged(subject)
      piece = base.subarray(offset, offset + length)
    }
    if (filled + piece.length > result.length) throw damaged(subject)
    result.set(piece, filled)
    filled += piece.length
  }
  if (filled !== result.length) throw damaged(subject)
  return result
}

function readSize(bytes: Bytes, start: number): { value: number; at: number } | undefined {
  let value = 0
  for (let at = start; at < bytes.length && at < start + 7; at += 1) {
    const byte = bytes[at] as number
    value += (byte & 0x7f) * 2 ** (7 * (at - start))
    if (byte < 0x80) return { value, at: at + 1 }
  }
  return undefined
}
