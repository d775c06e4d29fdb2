/** The checksums of `cksum` and `sum`. Their digests are numbers, big-endian. */
import type { Bytes } from '../../../../src/fs/types.js'

export interface Checksum {
  update(bytes: Bytes): void
  digest(): { sum: number; size: number }
}

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit += 1) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value
})

/** The CRC of POSIX, which also covers the length. */
export function posixCrc(): Checksum {
  let crc = 0
  let size = 0
  return {
    update(bytes) {
      size += bytes.length
      let value = crc
      for (let at = 0; at < bytes.length; at += 1) {
        value = (value << 8) ^ (crcTable[((value >>> 24) ^ (bytes[at] as number)) & 255] as number)
      }
      crc = value
    },
    digest() {
      let value = crc
      for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) {
        value = (value << 8) ^ (crcTable[((value >>> 24) ^ (rest & 255)) & 255] as number)
      }
      return { sum: ~value >>> 0, size }
    },
  }
}

export function bsdSum(): Checksum {
  let sum = 0
  let size = 0
  return {
    update(bytes) {
      size += bytes.length
      for (let at = 0; at < bytes.length; at += 1) {
        sum = ((sum >> 1) + ((sum & 1) << 15) + (bytes[at] as number)) & 0xffff
      }
    },
    digest: () => ({ sum, size }),
  }
}

export function systemVSum(): Checksum {
  let total = 0
  let size = 0
  return {
    update(bytes) {
      size += bytes.length
      for (let at = 0; at < bytes.length; at += 1) total += bytes[at] as number
    },
    digest() {
      const low = (total % 2 ** 32) >>> 0
      const folded = (low & 0xffff) + (low >>> 16)
      return { sum: (folded & 0xffff) + (folded >>> 16), size }
    },
  }
}
