/** Decides for most files that they have no match, without allocating anything, not even a view of their bytes. */
import type { Matcher, NeedleBytes } from '../../patterns/matcher.js'
import { kelvinSign, longSmallS } from '../../patterns/matcher.js'
import type { SearchRequest } from '../../run/records.js'
import { feedsMatter, seeksBeyondAscii } from '../../run/text-file.js'
import { type Kernels, maxNeedleBytes } from './kernels.js'

/**
 * Checks the first `length` bytes of the kernels' buffer: a file, or a part of one that begins at offset `at`. `candidate`: text without a
 * byte-order mark that has bytes which every match contains. `undecided`: the full checks have to be made.
 */
export type Prefilter = (length: number, at?: number) => 'binary' | 'no-match' | 'candidate' | 'undecided'

/** How far the parts of a file have to overlap: whatever is searched for lies in one of them, with the bytes beside it. */
export const partOverlap = 2 * maxNeedleBytes

/** A prefilter for one search; undefined where it could decide nothing. */
export function createPrefilter(kernels: Kernels, request: SearchRequest, matcher: Matcher): Prefilter | undefined {
  const { buffer, hasByte } = kernels
  const { nul, detectEncoding = false } = request.text ?? {}
  const { first = 0, last = 0 } = nul ?? {}
  const mayMatch = candidateTest(kernels, matcher)
  const hidesInGuessed = detectEncoding && seeksBeyondAscii(matcher)
  const binary = detectEncoding ? 'undecided' : 'binary'
  if (mayMatch === undefined || (request.carriageReturnEndsLine === true && feedsMatter(matcher))) return undefined

  return (length, at = 0) => {
    // A byte-order mark may change how the file is decoded.
    if (at === 0 && (length === 0 || buffer[0]! >= 0xef)) return 'undecided'
    if (nul !== undefined) {
      if (at < first && hasByte(0, 0, Math.min(first - at, length))) return binary
      if (last > 0 && length > first && hasByte(0, Math.max(0, length - last), length)) return binary
    }
    if (mayMatch(length)) return 'candidate'
    return hidesInGuessed && !kernels.isAscii(buffer, 0, length) ? 'undecided' : 'no-match'
  }
}

/** Tests for bytes that every match contains. */
function candidateTest(kernels: Kernels, { needles, sequences }: Matcher): ((length: number) => boolean) | undefined {
  if (sequences !== undefined) return (length) => kernels.hasSequence(sequences, length)
  if (needles === undefined || needles.some(({ bytes }) => bytes.length > maxNeedleBytes)) return undefined
  const wanted = [...needles.map(({ bytes, folded }) => ({ bytes, folded })), ...foldedOtherwise(needles)]
  return (length) => {
    for (const { bytes, folded } of wanted) if (kernels.hasNeedle(bytes, folded, length)) return true
    return false
  }
}

/** Characters beyond ASCII that fold to letters of a needle: a file with one of them may match without the needle's own bytes. */
function foldedOtherwise(needles: readonly NeedleBytes[]) {
  const kelvin = needles.some(({ foldsBeyondAscii }) => foldsBeyondAscii.kelvin)
  const longS = needles.some(({ foldsBeyondAscii }) => foldsBeyondAscii.longS)
  return [...(kelvin ? [kelvinSign] : []), ...(longS ? [longSmallS] : [])].map((bytes) => ({ bytes, folded: false }))
}
