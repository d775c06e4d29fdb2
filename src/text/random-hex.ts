import { toHex } from './hex.js'

/** Unpredictable hexadecimal digits, two for each byte. */
export function randomHex(bytes: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(bytes)))
}
