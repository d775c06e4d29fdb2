/** Three-way merge of files as bytes: no byte is lost or changed, whatever the encoding and the line endings are. */
import type { Encoding } from '../decode/decode.js'
import { detectFormat } from '../decode/detect.js'
import { encodeText, openAs, type TextDocument } from '../decode/document.js'
import { type Favor, mergeTexts, type Overlap } from './merge-texts.js'

export interface MergedBytes {
  bytes: Uint8Array
  overlaps: Overlap[]
}

/** Undefined where the three can't be compared by lines: binary files, or different encodings. */
export function mergeBytes(
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
  options: { favor?: Favor } = {},
): MergedBytes | undefined {
  const encodings = new Set<Encoding | 'binary'>()
  for (const bytes of [base, ours, theirs]) if (bytes.length > 0) encodings.add(encodingOf(bytes))
  const [encoding = 'utf-8', ...others] = encodings
  if (encoding === 'binary' || others.length > 0) return undefined
  const [b, o, t] = [openWhole(base, encoding), openWhole(ours, encoding), openWhole(theirs, encoding)]
  if (b.trailingByte !== o.trailingByte || b.trailingByte !== t.trailingByte) return undefined
  const { text, overlaps } = mergeTexts(b.text, o.text, t.text, options)
  return { bytes: encodeText({ ...o, text }), overlaps }
}

/** Bytes beyond ASCII that are not UTF-8 are opened as single bytes, so Windows-1252 needs no encoding of its own here. */
function encodingOf(bytes: Uint8Array): Encoding | 'binary' {
  const format = detectFormat(bytes)
  if (format === 'binary') return format
  return format.encoding === 'windows-1252' ? 'utf-8' : format.encoding
}

/** The byte-order mark is a part of the first line, so that adding or removing it is a change like others. */
function openWhole(bytes: Uint8Array, encoding: Encoding): TextDocument {
  return openAs(bytes, { encoding, bom: false })
}
