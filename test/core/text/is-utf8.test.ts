import { expect, test } from 'vitest'
import { isUtf8 } from '../../../src/text/decode/decode.js'

const piece = 64 * 1024

/** ASCII with some bytes in it, at any offset of a buffer. */
function withBytes(length: number, at: number, bytes: readonly number[], offset = 0): Uint8Array {
  const all = new Uint8Array(offset + length).fill(0x61).subarray(offset)
  all.set(bytes.slice(0, Math.max(0, length - at)), at)
  return all
}

const euro = [0xe2, 0x82, 0xac]

test('a character is valid wherever a block or a piece ends in it', () => {
  for (const at of [0, 1, 2, 4093, 4094, 4095, 4096, piece - 2, piece - 1, piece, 2 * piece - 1, 3 * piece - 3]) {
    for (const offset of [0, 1, 2, 3]) {
      expect([at, isUtf8(withBytes(3 * piece, at, euro, offset))]).toEqual([at, true])
      expect([at, isUtf8(withBytes(3 * piece, at, [0xe2, 0x61], offset))]).toEqual([at, false])
      expect([at, isUtf8(withBytes(3 * piece, at, [0xff], offset))]).toEqual([at, false])
    }
  }
})

test('a character that is cut at the end is invalid', () => {
  for (const length of [1, 2, 3, 4, 5, 4096, 4097, 4099, piece, piece + 1]) {
    for (const missing of [1, 2]) {
      const cut = euro.slice(0, 3 - missing)
      if (cut.length <= length) expect(isUtf8(withBytes(length, length - cut.length, cut))).toBe(false)
    }
  }
})

test('ASCII of any length is valid', () => {
  for (const length of [0, 1, 2, 3, 4, 5, 4095, 4096, 4097, piece + 3]) {
    expect(isUtf8(withBytes(length, 0, []))).toBe(true)
    expect(isUtf8(withBytes(length, 0, [], 1))).toBe(true)
  }
})
