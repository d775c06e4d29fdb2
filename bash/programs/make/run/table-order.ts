/** The order in which real make goes through its table of files, which shows where it removes several of them. */
import { encodeText } from '../../../io/byte-text.js'

const firstSize = 1024
const seed = 0xdeadbeef

/** `count`: how many files the table has. Two names that share a place keep their order. */
export function inTableOrder<Item extends { name: string }>(items: readonly Item[], count: number): Item[] {
  let size = firstSize
  while (count >= size - size / 16) size *= 2
  const placed = items.map((item) => ({ item, place: hashOf(item.name) & (size - 1) }))
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item)
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

/** The hash of Bob Jenkins's lookup3, as make uses it for names. */
function hashOf(name: string): number {
  const bytes = encodeText(name)
  const word = (at: number) =>
    (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
  let [a, b, c] = [seed | 0, seed | 0, seed | 0]
  let at = 0
  for (; bytes.length - at > 12; at += 12) {
    a = (a + word(at)) | 0
    b = (b + word(at + 4)) | 0
    c = (c + word(at + 8)) | 0
    a = ((a - c) ^ rotated(c, 4)) | 0
    c = (c + b) | 0
    b = ((b - a) ^ rotated(a, 6)) | 0
    a = (a + c) | 0
    c = ((c - b) ^ rotated(b, 8)) | 0
    b = (b + a) | 0
    a = ((a - c) ^ rotated(c, 16)) | 0
    c = (c + b) | 0
    b = ((b - a) ^ rotated(a, 19)) | 0
    a = (a + c) | 0
    c = ((c - b) ^ rotated(b, 4)) | 0
    b = (b + a) | 0
  }
  a = (a + word(at)) | 0
  b = (b + word(at + 4)) | 0
  c = (c + word(at + 8)) | 0
  c = ((c ^ b) - rotated(b, 14)) | 0
  a = ((a ^ c) - rotated(c, 11)) | 0
  b = ((b ^ a) - rotated(a, 25)) | 0
  c = ((c ^ b) - rotated(b, 16)) | 0
  a = ((a ^ c) - rotated(c, 4)) | 0
  b = ((b ^ a) - rotated(a, 14)) | 0
  return ((c ^ b) - rotated(b, 24)) | 0
}
