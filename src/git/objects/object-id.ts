/** Object ids, and the order of paths in git. */
import { sha1 } from '../../change/sha1.js'
import type { Bytes } from '../../fs/types.js'

export async function objectId(type: 'blob' | 'tree' | 'commit' | 'tag', content: Bytes): Promise<string> {
  return toHex(await sha1(new TextEncoder().encode(`${type} ${content.length}\0`), content))
}

export function toHex(bytes: Bytes): string {
  let hex = ''
  for (const byte of bytes) hex += hexPairs[byte]
  return hex
}

export function fromHex(hex: string): Bytes {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i += 1) {
    bytes[i] = (digitOf(hex.charCodeAt(2 * i)) << 4) | digitOf(hex.charCodeAt(2 * i + 1))
  }
  return bytes
}

function digitOf(code: number): number {
  return code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x61 + 10
}

const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Compares paths by their bytes, as git does. */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0
  for (let at = 0; ; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left === right) continue
    if (Number.isNaN(left)) return -1
    if (Number.isNaN(right)) return 1
    // Surrogates encode the highest code points.
    const isSurrogate = left >= 0xd800 && left <= 0xdfff
    if (isSurrogate !== (right >= 0xd800 && right <= 0xdfff)) return isSurrogate ? 1 : -1
    return left - right
  }
}
