import { joinBytes } from './join-bytes.js'

const encoder = new TextEncoder()

/** Shorter texts are not worth a second thought. */
const longText = 64 * 1024

/**
 * A well-formed text in UTF-8. The platform reads a text twice to encode it, the first time for the length. A long one is put into as many
 * bytes as it has units, which is enough for ASCII; what does not fit is added.
 */
export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  if (text.length < longText) return encoder.encode(text)
  const bytes = new Uint8Array(text.length)
  const { read, written } = encoder.encodeInto(text, bytes)
  if (read === text.length) return written === bytes.length ? bytes : bytes.slice(0, written)
  return joinBytes([bytes.subarray(0, written), encoder.encode(text.slice(read))])
}
