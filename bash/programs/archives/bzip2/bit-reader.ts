/** Reads bits, the highest first, from bytes that are all there. */
import { BadData, type Lookahead } from '../codec.js'

export interface BitReader {
  /** Up to 24 bits. Fails after the end. */
  take(count: number): number
  /** The next bits without taking them; zeros after the end. */
  peek(count: number): number
  skip(count: number): void
  /** Goes on with what was made available. */
  refill(): void
  /** Drops the rest of a byte, and gives whole bytes back to the input. */
  align(): void
}

export function bitReader(input: Lookahead): BitReader {
  let bytes = input.bytes
  let buffer = 0
  let held = 0
  /** Bits after the end that were held as zeros. */
  let missing = 0

  function fill(count: number): void {
    while (held < count) {
      let byte = 0
      if (input.at < bytes.length) {
        byte = bytes[input.at] as number
        input.at += 1
      } else missing += 8
      buffer = (buffer << 8) | byte
      held += 8
    }
  }

  function peek(count: number): number {
    if (held < count) fill(count)
    return (buffer >>> (held - count)) & ((1 << count) - 1)
  }

  function skip(count: number): void {
    held -= count
    if (held < missing) throw new BadData('truncated')
  }

  return {
    peek,
    skip,
    take(count) {
      const value = peek(count)
      skip(count)
      return value
    },
    refill() {
      bytes = input.bytes
    },
    align() {
      input.at -= (held - missing) >> 3
      held = 0
      missing = 0
    },
  }
}
