export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

export interface Decoded {
  text: string
  encoding: Encoding
  /** A byte-order mark stood at the start; it is not part of `text`. */
  bom: boolean
}

/** Text of a file: UTF-16 by its byte-order mark, else UTF-8; bytes that are not valid become U+FFFD. */
export function decode(bytes: Uint8Array): Decoded {
  const { encoding, bom } = sniffEncoding(bytes)
  return { text: new TextDecoder(encoding).decode(bytes), encoding, bom }
}

/** Reads the byte-order mark alone; the first three bytes are enough. */
export function sniffEncoding(bytes: Uint8Array): { encoding: Encoding; bom: boolean } {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', bom: true }
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', bom: true }
  return { encoding: 'utf-8', bom: first === 0xef && second === 0xbb && third === 0xbf }
}

/** A NUL among the first or last `window` bytes, in a file without a UTF-16 mark, is taken for binary. */
export function looksBinary(bytes: Uint8Array, window: number): boolean {
  if (sniffEncoding(bytes).encoding !== 'utf-8') return false
  return bytes.subarray(0, window).includes(0) || bytes.subarray(-window).includes(0)
}
