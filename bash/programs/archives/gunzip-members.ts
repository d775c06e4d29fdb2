/** Decompresses gzip members one by one: the platforms differ in what they accept after the first. */
import type { Bytes } from '../../../src/fs/types.js'
import { crc32 } from '../../../src/text/crc32.js'
import { inflateRaw } from '../../../src/text/inflate-raw.js'
import type { Meter } from './codec.js'

const [hasText, hasCrc, hasExtra, hasName, hasComment] = [1, 2, 4, 8, 16]
const knownFlags = hasText | hasCrc | hasExtra | hasName | hasComment
const trailerBytes = 8

/** The content of each member. Returns false when one is in another format, damaged or cut off. */
export function* gunzipMembers(bytes: Bytes, meter: Meter): Generator<Bytes, boolean> {
  for (let at = 0; at < bytes.length || at === 0; ) {
    const start = afterHeader(bytes, at)
    const member = start === undefined ? undefined : inflateMember(bytes, start, meter)
    if (member === undefined || !isAsClaimed(bytes, member)) return false
    yield member.content
    at = member.end + trailerBytes
    // Archives on tapes are filled up with zeros.
    while (at < bytes.length && bytes[at] === 0) at += 1
  }
  return true
}

/** Where the compressed bytes begin. */
function afterHeader(bytes: Bytes, at: number): number | undefined {
  const flags = bytes[at + 3] ?? 0xff
  if (bytes[at] !== 0x1f || bytes[at + 1] !== 0x8b || bytes[at + 2] !== 8 || (flags & ~knownFlags) !== 0)
    return undefined
  let next = at + 10
  if (flags & hasExtra) next += 2 + ((bytes[next] ?? 0) | ((bytes[next + 1] ?? 0) << 8))
  for (const flag of [hasName, hasComment]) {
    if ((flags & flag) === 0) continue
    const end = bytes.indexOf(0, next)
    if (end === -1) return undefined
    next = end + 1
  }
  return flags & hasCrc ? next + 2 : next
}

/** Its size is not known before its end, so larger and larger sizes are tried. */
function inflateMember(bytes: Bytes, start: number, { account, step }: Meter) {
  for (let size = Math.max(1024, 2 * (bytes.length - start)); ; size *= 4) {
    step()
    account(size)
    const found = inflateRaw(bytes, start, size)
    account(-size)
    if (found === undefined || found.ends) return found
  }
}

function isAsClaimed(bytes: Bytes, { content, end }: { content: Bytes; end: number }): boolean {
  if (end + trailerBytes > bytes.length) return false
  const trailer = new DataView(bytes.buffer, bytes.byteOffset + end, trailerBytes)
  return trailer.getUint32(0, true) === crc32(content) && trailer.getUint32(4, true) === content.length >>> 0
}
