/** Encodings of one byte per character. */
import { toHex } from '../hex.js'

export type ByteEncoding = 'ascii' | 'latin1' | 'base64' | 'hex'

export function encodeBytes(bytes: Uint8Array, encoding: ByteEncoding): string {
  switch (encoding) {
    case 'latin1':
      return latin1(bytes)
    case 'ascii':
      return latin1(bytes.map((byte) => byte & 0x7f))
    case 'base64':
      return btoa(latin1(bytes))
    case 'hex':
      return toHex(bytes)
  }
}

/** Each byte is the code point of the same number; `TextDecoder`'s `latin1` is another encoding. In parts, as the number of arguments is limited. */
export function latin1(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 8192) {
    pieces.push(Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + 8192)))
  }
  return pieces.join('')
}

/** The bytes of a text made by `latin1`. */
export function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
