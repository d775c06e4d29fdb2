/** The checks of integrity that the xz format has. */
import type { Hash } from '../../../../src/fs/digests/block-hash.js'
import { createSha256 } from '../../../../src/fs/digests/sha256.js'
import type { Bytes } from '../../../../src/fs/types.js'
import { crc32 } from '../../../../src/text/crc32.js'

export const checkIds = { none: 0, crc32: 1, crc64: 4, sha256: 10 } as const
export const checkNames: Readonly<Record<number, string>> = { 0: 'None', 1: 'CRC32', 4: 'CRC64', 10: 'SHA-256' }

/** The size of a check by its number, also of those that are not defined. */
export function checkBytes(id: number): number {
  return id === 0 ? 0 : 4 * 2 ** Math.floor((id - 1) / 3)
}

/** Undefined for a check that is not known: it is then skipped, as the format allows. */
export function checkOf(id: number): Hash | undefined {
  if (id === checkIds.none) return { update() {}, digest: () => new Uint8Array() }
  if (id === checkIds.crc32) return crc32Check()
  if (id === checkIds.crc64) return crc64Check()
  return id === checkIds.sha256 ? createSha256() : undefined
}

export function littleEndian(value: number): Bytes {
  return Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24)
}

function crc32Check(): Hash {
  let sum = 0
  return {
    update(bytes) {
      sum = crc32(bytes, sum)
    },
    digest: () => littleEndian(sum),
  }
}

/** The polynomial of ECMA-182, reflected, in two halves. */
const [lowTable, highTable] = [new Int32Array(256), new Int32Array(256)]
for (let byte = 0; byte < 256; byte += 1) {
  let [low, high] = [byte, 0]
  for (let bit = 0; bit < 8; bit += 1) {
    const isOdd = (low & 1) === 1
    low = (low >>> 1) | (high << 31)
    high >>>= 1
    if (!isOdd) continue
    low ^= 0xd7870f42
    high ^= 0xc96c5795
  }
  lowTable[byte] = low
  highTable[byte] = high
}

function crc64Check(): Hash {
  let [low, high] = [-1, -1]
  return {
    update(bytes) {
      let [below, above] = [low, high]
      for (let at = 0; at < bytes.length; at += 1) {
        const index = (below ^ (bytes[at] as number)) & 255
        below = ((below >>> 8) | (above << 24)) ^ (lowTable[index] as number)
        above = (above >>> 8) ^ (highTable[index] as number)
      }
      low = below
      high = above
    },
    digest() {
      const sum = new Uint8Array(8)
      sum.set(littleEndian(~low))
      sum.set(littleEndian(~high), 4)
      return sum
    },
  }
}
