/** What incremental digests have in common: blocks, padding and the bytes of the result. */
import type { Bytes } from '../types.js'

export interface Hash {
  update(bytes: Bytes): void
  digest(): Bytes
}

/** Feeds whole blocks to `compress`, many at a time, and keeps what is left over. */
export function blockwise(size: number, compress: (bytes: Bytes, start: number, end: number) => void) {
  const block = new Uint8Array(size)
  let filled = 0
  let total = 0

  function update(bytes: Bytes): void {
    total += bytes.length
    let at = 0
    if (filled > 0) {
      at = Math.min(size - filled, bytes.length)
      block.set(bytes.subarray(0, at), filled)
      filled += at
      if (filled < size) return
      compress(block, 0, size)
      filled = 0
    }
    const end = bytes.length - ((bytes.length - at) % size)
    if (end > at) compress(bytes, at, end)
    block.set(bytes.subarray(end))
    filled = bytes.length - end
  }

  /** The one bit, zeros, and the length in bits in the last `lengthBytes` bytes. */
  function pad(lengthBytes: number, littleEndian: boolean): void {
    const bits = total * 8
    const padded = Math.ceil((filled + 1 + lengthBytes) / size) * size
    const padding = new Uint8Array(padded - filled)
    padding[0] = 0x80
    const view = new DataView(padding.buffer)
    const high = Math.floor(bits / 2 ** 32)
    const last = padding.length - 8
    view.setUint32(littleEndian ? last + 4 : last, high, littleEndian)
    view.setUint32(littleEndian ? last : last + 4, bits >>> 0, littleEndian)
    update(padding)
  }

  return { update, pad }
}

export function wordsToBytes(words: Int32Array | Uint32Array, count: number, littleEndian: boolean): Bytes {
  const view = new DataView(new ArrayBuffer(count * 4))
  for (let i = 0; i < count; i += 1) view.setInt32(i * 4, words[i] as number, littleEndian)
  return new Uint8Array(view.buffer)
}
