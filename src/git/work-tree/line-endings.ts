/**
 * Converts line endings between the working tree and git, according to `core.autocrlf`, `core.eol` and the attributes
 * `text` and `eol`.
 */
import type { Bytes } from '../../fs/types.js'
import { type GitConfig, isTrue, lastValue } from '../config.js'
import type { Attributes } from './attributes.js'

export interface LineEndings {
  /** `auto` where git decides from the content whether it is text. */
  text: boolean | 'auto'
  /** The line ending in the working tree. */
  eol: 'lf' | 'crlf'
}

/** Undefined where bytes are not converted. */
export function lineEndingsOf(attributes: Attributes, config: GitConfig): LineEndings | undefined {
  const text = attributes.get('text') ?? attributes.get('crlf')
  const eol = attributes.get('eol')
  if (text === false) return undefined
  const guesses = text === 'auto'
  if (eol === 'lf' || eol === 'crlf') return { text: guesses ? 'auto' : true, eol }
  if (text === 'input') return { text: true, eol: 'lf' }
  const isInput = lastValue(config, 'core.autocrlf')?.toLowerCase() === 'input'
  const isAutomatic = isTrue(config, 'core.autocrlf') === true
  const native = !isInput && (isAutomatic || lastValue(config, 'core.eol')?.toLowerCase() === 'crlf') ? 'crlf' : 'lf'
  if (text === true || guesses) return { text: guesses ? 'auto' : true, eol: native }
  return isInput || isAutomatic ? { text: 'auto', eol: isInput ? 'lf' : 'crlf' } : undefined
}

/** The bytes git stores for a file. With `auto`, a file that already `wasCrlf` in the index is not converted. */
export function toGit(bytes: Bytes, { text }: LineEndings, wasCrlf: boolean): Bytes {
  if (!bytes.includes(carriageReturn)) return bytes
  const counts = count(bytes)
  if (counts.crlf === 0) return bytes
  if (text === 'auto' && (wasCrlf || isBinary(counts))) return bytes
  return bytes.filter((byte, at) => byte !== carriageReturn || bytes[at + 1] !== lineFeed)
}

/** The bytes a checkout writes. */
export function toWorkTree(bytes: Bytes, { text, eol }: LineEndings): Bytes {
  if (eol === 'lf' || !bytes.includes(lineFeed)) return bytes
  const counts = count(bytes)
  if (counts.loneLf === 0) return bytes
  if (text === 'auto' && (counts.crlf > 0 || isBinary(counts))) return bytes
  const converted = new Uint8Array(bytes.length + counts.loneLf)
  let at = 0
  for (const [i, byte] of bytes.entries()) {
    if (byte === lineFeed && bytes[i - 1] !== carriageReturn) converted[at++] = carriageReturn
    converted[at++] = byte
  }
  return converted
}

export function hasCrlf(bytes: Bytes): boolean {
  const counts = count(bytes)
  return counts.crlf > 0 && !isBinary(counts)
}

const carriageReturn = 0x0d
const lineFeed = 0x0a

interface Counts {
  crlf: number
  loneCr: number
  loneLf: number
  nul: number
  printable: number
  other: number
}

function count(bytes: Bytes): Counts {
  const counts: Counts = { crlf: 0, loneCr: 0, loneLf: 0, nul: 0, printable: 0, other: 0 }
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte === carriageReturn && bytes[at + 1] === lineFeed) {
      counts.crlf += 1
      at += 1
    } else if (byte === carriageReturn) counts.loneCr += 1
    else if (byte === lineFeed) counts.loneLf += 1
    else if (byte === 0) counts.nul += 1
    // Backspace, tab, form feed and escape occur in text.
    else if (byte === 0x7f || (byte < 0x20 && ![0x08, 0x09, 0x0c, 0x1b].includes(byte))) counts.other += 1
    else counts.printable += 1
  }
  // The end-of-file mark of DOS.
  if (bytes.at(-1) === 0x1a) counts.other -= 1
  return counts
}

/** The same heuristic as git's. */
function isBinary({ loneCr, nul, printable, other }: Counts): boolean {
  return loneCr > 0 || nul > 0 || Math.floor(printable / 128) < other + nul
}
