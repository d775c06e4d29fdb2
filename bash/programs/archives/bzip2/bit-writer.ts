/** Collects bits, the highest first, into bytes. */
import type { Bytes } from '../../../../src/fs/types.js'

export interface BitWriter {
  /** Up to 24 bits. */
  put(count: number, value: number): void
  /** All whole bytes so far; bits that fill no byte remain. */
  take(): Bytes
  /** Fills the last byte with zeros. */
  finish(): void
}

export function bitWriter(): BitWriter {
  let bytes = new Uint8Array(64 * 1024)
  let size = 0
  let pending = 0
  let pendingBits = 0

  function put(count: number, value: number): void {
    pending = (pending << count) | value
    pendingBits += count
    while (pendingBits >= 8) {
      pendingBits -= 8
      if (size === bytes.length) {
        const larger = new Uint8Array(size * 2)
        larger.set(bytes)
        bytes = larger
      }
      bytes[size] = pending >>> pendingBits
      size += 1
    }
  }

  return {
    put,
    take() {
      const taken = bytes.slice(0, size)
      size = 0
      return taken
    },
    finish() {
      if (pendingBits > 0) put(8 - pendingBits, 0)
    },
  }
}
