/** Bytes as text whose units are bytes. */
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'

const piece = 8192

export function textOfBytes(bytes: Bytes): string {
  if (bytes.length <= piece) return String.fromCharCode.apply(null, bytes as unknown as number[])
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += piece) {
    pieces.push(String.fromCharCode.apply(null, bytes.subarray(at, at + piece) as unknown as number[]))
  }
  return pieces.join('')
}

export function bytesOfText(text: string): Bytes {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** From text of the shell, such as an argument, and to it, such as a name of a file. */
export function fromShell(text: string): string {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return textOfBytes(encodeText(text))
  return text
}

export function toShell(text: string): string {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return decodeText(bytesOfText(text))
  return text
}
