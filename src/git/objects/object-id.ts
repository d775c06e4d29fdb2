/** Object ids, and the order of paths in git. */
import { sha1 } from '../../fs/digests/sha1.js'
import type { Bytes } from '../../fs/types.js'
import { toHex } from '../../text/hex.js'

export async function objectId(type: 'blob' | 'tree' | 'commit' | 'tag', content: Bytes): Promise<string> {
  return toHex(await sha1(new TextEncoder().encode(`${type} ${content.length}\0`), content))
}

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
