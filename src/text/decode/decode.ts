export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

export interface Decoded {
  text: string
  encoding: Encoding
  /** A byte-order mark stood at the start; it is not part of `text`. */
  bom: boolean
}

/** Text of a file for reading: UTF-16 by its byte-order mark, else UTF-8; bytes that are not valid become U+FFFD. `openText` loses nothing. */
export function decode(bytes: Uint8Array): Decoded {
  const { encoding, bom } = sniffEncoding(bytes)
  const decoder = encoding === 'utf-8' ? utf8 : new TextDecoder(encoding)
  return { text: decoder.decode(bytes), encoding, bom }
}

const utf8 = new TextDecoder()

/** Reads the byte-order mark alone; the first three bytes are enough. */
export function sniffEncoding(bytes: Uint8Array): { encoding: Encoding; bom: boolean } {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', bom: true }
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', bom: true }
  return { encoding: 'utf-8', bom: first === 0xef && second === 0xbb && third === 0xbf }
}

/** Bytes the byte-order mark takes: 0 without one. */
export function markLength({ encoding, bom }: { encoding: Encoding; bom: boolean }): number {
  if (!bom) return 0
  return encoding === 'utf-8' ? 3 : 2
}

/** Whether all of it is valid UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return false
  }
}

export interface BinaryRule {
  /** Look at the first bytes only, or (default) at the first and the last. */
  ends?: 'first' | 'both'
  /** Which byte-order mark makes a file text whatever follows: that of UTF-16 (default), any, or none. */
  textMark?: 'utf-16' | 'any' | 'none'
}

/** A NUL among the first or last `window` bytes is taken for binary, unless a byte-order mark says otherwise. */
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
