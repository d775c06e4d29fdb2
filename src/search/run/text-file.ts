import type { Bytes } from '../../fs/types.js'
import { isUtf8, sniffEncoding } from '../../text/decode/decode.js'
import { formatOfInvalid, type TextFormat, unmarkedUtf16 } from '../../text/decode/detect.js'
import { showAs } from '../../text/decode/shown-text.js'
import { windows1252AsUtf8 } from '../../text/decode/windows-1252.js'
import { type FindBytes, findByte } from '../bytes/find-bytes.js'
import type { Matcher } from '../patterns/matcher.js'
import type { TextRule } from './records.js'

/** A file's text as UTF-8 without a byte-order mark, or `binary`. */
export function textOf(bytes: Bytes, rule: TextRule, find = findByte): Bytes | 'binary' {
  const { encoding, bom } = (bytes[0] ?? 0) < 0xef ? unmarked : sniffEncoding(bytes)
  if (encoding !== 'utf-8') {
    if (rule.utf16 === 'skip') return 'binary'
    return new TextEncoder().encode(new TextDecoder(encoding).decode(bytes))
  }
  if (rule.nul !== undefined) {
    const { first, last = 0 } = rule.nul
    const hasNul = find(bytes, 0, first) >= 0 || (last > 0 && bytes.subarray(-last).includes(0))
    if (hasNul) return (!bom && rule.detectEncoding && utf16Text(bytes)) || 'binary'
  }
  if (!bom) return bytes
  const body = bytes.subarray(3)
  return rule.detectEncoding && !isUtf8(body) ? utf8Of(body, { encoding, bom: false }) : body
}

/** UTF-16 without a byte-order mark; undefined for anything else. */
function utf16Text(bytes: Bytes): Bytes | undefined {
  const format = unmarkedUtf16(bytes)
  return format && utf8Of(bytes, format)
}

function utf8Of(bytes: Bytes, format: TextFormat): Bytes {
  if (format.encoding === 'windows-1252') return windows1252AsUtf8(bytes)
  return new TextEncoder().encode(showAs(bytes, format).text)
}

/** Whether bytes are valid UTF-8. */
export function isValidText(bytes: Bytes, find?: FindBytes): boolean {
  return find?.isUtf8?.(bytes) ?? (find?.isAscii?.(bytes, 0, bytes.length) || isUtf8(bytes))
}

/** The text of bytes that are not valid UTF-8 as it is shown, in UTF-8; undefined for valid UTF-8. */
export function guessedText(bytes: Bytes, find?: FindBytes): Bytes | undefined {
  if (isValidText(bytes, find)) return undefined
  const format = formatOfInvalid(bytes)
  return utf8Of(bytes, format === 'binary' ? { encoding: 'utf-8', bom: false } : format)
}

/** Whether a match may contain characters beyond ASCII in every place that the prefilter looks for: bytes of text that is not UTF-8 hide it. */
export function seeksBeyondAscii({ needles, sequences }: Pick<Matcher, 'needles' | 'sequences'>): boolean {
  if (needles !== undefined) return needles.some(({ bytes }) => bytes.some((byte) => byte >= 0x80))
  return sequences?.places.some(({ allowed }) => allowed.subarray(0x80).some((isAllowed) => isAllowed !== 0)) ?? false
}

const unmarked = { encoding: 'utf-8', bom: false } as const

export function hasBinaryExtension(path: string, rule: TextRule): boolean {
  if (rule.binaryExtensions === undefined) return false
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot > 0 && rule.binaryExtensions.includes(name.slice(dot + 1).toLowerCase())
}

/** Replaces carriage returns that end a line alone by line feeds. Offsets stay the same. */
export function withLineFeeds(bytes: Bytes, find = findByte): Bytes {
  let changed: Bytes | undefined
  // Most files have none, which the platform may find out faster.
  for (let at = find(bytes, 0x0d, bytes.length); at >= 0; at = bytes.indexOf(0x0d, at + 1)) {
    if (bytes[at + 1] === 0x0a) continue
    changed ??= bytes.slice()
    changed[at] = 0x0a
  }
  return changed ?? bytes
}

/** Whether the prefilter distinguishes line feeds from carriage returns: then those have to be replaced before it runs. */
export function feedsMatter({ needles, sequences }: Pick<Matcher, 'needles' | 'sequences'>): boolean {
  if (needles?.some(({ bytes }) => bytes.includes(0x0a))) return true
  return sequences?.places.some(({ allowed }) => (allowed[0x0a]! & ~allowed[0x0d]!) !== 0) ?? false
}
