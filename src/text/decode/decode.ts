export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

export interface Decoded {
  text: string
  encoding: Encoding
  /** There was a byte-order mark; it is not part of `text`. */
  bom: boolean
}

/** Decodes a file for reading: UTF-16 by its byte-order mark, else UTF-8. Invalid bytes become U+FFFD; for editing use `openText`, which is lossless. */
export function decode(bytes: Uint8Array): Decoded {
  const { encoding, bom } = sniffEncoding(bytes)
  const decoder = encoding === 'utf-8' ? utf8 : new TextDecoder(encoding)
  return { text: decoder.decode(bytes), encoding, bom }
}

const utf8 = new TextDecoder()

/** Checks the byte-order mark; the first three bytes are enough. */
export function sniffEncoding(bytes: Uint8Array): { encoding: Encoding; bom: boolean } {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', bom: true }
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', bom: true }
  return { encoding: 'utf-8', bom: first === 0xef && second === 0xbb && third === 0xbf }
}

/** The length of the byte-order mark in bytes; 0 without one. */
export function markLength({ encoding, bom }: { encoding: Encoding; bom: boolean }): number {
  if (!bom) return 0
  return encoding === 'utf-8' ? 3 : 2
}

/** Bytes that are decoded at once to be checked: a string of a whole large file would only be collected again. */
const checkedBytes = 64 * 1024

/** Whether the bytes are valid UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  const from = asciiBytes(bytes)
  if (from === bytes.length) return true
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (let at = from; at < bytes.length; at += checkedBytes) {
      decoder.decode(bytes.subarray(at, at + checkedBytes), { stream: true })
    }
    decoder.decode()
    return true
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return false
  }
}

const blockWords = 1024

/** How many bytes at the beginning are ASCII, in whole blocks. Words are four times as fast as bytes. */
function asciiBytes({ buffer, byteOffset, length }: Uint8Array): number {
  if (byteOffset % 4 !== 0) return 0
  const words = new Uint32Array(buffer, byteOffset, length >> 2)
  for (let block = 0; block < words.length; block += blockWords) {
    const end = Math.min(block + blockWords, words.length)
    let all = 0
    let at = block
    for (; at + 8 <= end; at += 8) {
      all |= words[at]! | words[at + 1]! | words[at + 2]! | words[at + 3]!
      all |= words[at + 4]! | words[at + 5]! | words[at + 6]! | words[at + 7]!
    }
    for (; at < end; at += 1) all |= words[at]!
    if ((all & 0x80808080) !== 0) return 4 * block
  }
  return 4 * words.length
}

export interface BinaryRule {
  /** Check only the first bytes, or (default) the first and the last. */
  ends?: 'first' | 'both'
  /** Which byte-order mark makes a file text in any case: that of UTF-16 (default), any, or none. */
  textMark?: 'utf-16' | 'any' | 'none'
}

/** A NUL among the first or last `window` bytes means binary, unless there is a byte-order mark. */
export function looksBinary(
  bytes: Uint8Array,
  window: number,
  { ends = 'both', textMark = 'utf-16' }: BinaryRule = {},
): boolean {
  const { encoding, bom } = sniffEncoding(bytes)
  if (textMark !== 'none' && encoding !== 'utf-8') return false
  if (textMark === 'any' && bom) return false
  if ((bytes.length <= window ? bytes : bytes.subarray(0, window)).includes(0)) return true
  return ends === 'both' && bytes.length > window && bytes.subarray(-window).includes(0)
}
