/** The last bytes of the output, which matches refer to. It grows as it is filled, up to the size of the dictionary. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { Meter } from '../codec.js'

export interface OutputWindow {
  /** How many bytes were put since the last reset. */
  readonly position: number
  /** Forgets all. */
  reset(): void
  /** Makes room for as many bytes. */
  reserve(count: number): void
  put(byte: number): void
  /** Bytes that are not compressed. */
  append(bytes: Bytes): void
  /** The byte as far back; 0 is the last one. 0 when there is none. */
  byteBack(distance: number): number
  /** Copies bytes from as far back. False when there are not that many. */
  copy(distance: number, count: number): boolean
  /** What was put since the last time. */
  take(): Bytes
}

const firstBytes = 64 * 1024
/** The most that is decoded at once. */
const spareBytes = 2 * 1024 * 1024

export function outputWindow(dictionaryBytes: number, meter: Meter): OutputWindow {
  let bytes = new Uint8Array(firstBytes)
  let end = 0
  let taken = 0
  let isAt = 0

  function grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, Math.min(bytes.length * 2, dictionaryBytes * 2 + spareBytes)))
    meter.account(larger.length - bytes.length)
    larger.set(bytes.subarray(0, end))
    bytes = larger
  }

  return {
    get position() {
      return isAt
    },
    reset() {
      isAt = 0
      end = 0
      taken = 0
    },
    reserve(count) {
      if (end + count <= bytes.length) return
      const kept = Math.min(end, dictionaryBytes)
      // What is kept is moved only when as much was put after it, so that this stays cheap.
      if (end < kept * 2 || kept + count > bytes.length) grow(end + count)
      if (end - kept < kept) return
      bytes.copyWithin(0, end - kept, end)
      end = kept
      taken = kept
    },
    put(byte) {
      bytes[end] = byte
      end += 1
      isAt += 1
    },
    append(plain) {
      bytes.set(plain, end)
      end += plain.length
      isAt += plain.length
    },
    byteBack(distance) {
      return distance < end ? (bytes[end - 1 - distance] as number) : 0
    },
    copy(distance, count) {
      if (distance >= isAt || distance >= end || distance >= dictionaryBytes) return false
      let from = end - 1 - distance
      for (let left = count; left > 0; left -= 1) {
        bytes[end] = bytes[from] as number
        end += 1
        from += 1
      }
      isAt += count
      return true
    },
    take() {
      const fresh = bytes.slice(taken, end)
      taken = end
      return fresh
    },
  }
}
