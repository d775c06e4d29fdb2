/** What a glance at a file's bytes tells. Most files have no match, and of those nothing is made, not even a view of their bytes. */
import type { Matcher, NeedleBytes } from '../../patterns/matcher.js'
import { kelvinSign, longSmallS } from '../../patterns/matcher.js'
import type { SearchRequest } from '../../run/records.js'
import { feedsMatter } from '../../run/text-file.js'
import { type Kernels, maxNeedleBytes } from './kernels.js'

/**
 * Of the first bytes of the kernels' buffer: whether they are no text, can't match, are text without a mark that has something in it without
 * which there is no match, or have to be looked at otherwise.
 */
export type Glance = (length: number) => 'binary' | 'nothing' | 'perhaps' | 'unclear'

/** For one search. Undefined where a glance would tell nothing. */
export function glanceWith(kernels: Kernels, request: SearchRequest, matcher: Matcher): Glance | undefined {
  const { buffer, hasByte } = kernels
  const { nul } = request.text ?? {}
  const { first = 0, last = 0 } = nul ?? {}
  const mayMatch = signOf(kernels, matcher)
  if (mayMatch === undefined || (request.carriageReturnEndsLine === true && feedsMatter(matcher))) return undefined

  return (length) => {
    // What may be a byte-order mark says how all of it is to be read.
    if (length === 0 || buffer[0]! >= 0xef) return 'unclear'
    if (nul !== undefined) {
      if (hasByte(0, 0, Math.min(first, length))) return 'binary'
      if (last > 0 && length > first && hasByte(0, Math.max(0, length - last), length)) return 'binary'
    }
    return mayMatch(length) ? 'perhaps' : 'nothing'
  }
}

type Sign = (length: number) => boolean

/** Whether there is something without which there is no match. */
function signOf(kernels: Kernels, { needles, sequences }: Matcher): Sign | undefined {
  if (sequences !== undefined) return (length) => kernels.hasSequence(sequences, length)
  if (needles === undefined || needles.some(({ bytes }) => bytes.length > maxNeedleBytes)) return undefined
  const signs = [...needles.map(({ bytes, folded }) => ({ bytes, folded })), ...foldedOtherwise(needles)]
  return (length) => {
    for (const { bytes, folded } of signs) if (kernels.hasNeedle(bytes, folded, length)) return true
    return false
  }
}

/** Characters that fold to ASCII letters of a needle: where one of them stands, the needle's own bytes prove nothing. */
function foldedOtherwise(needles: readonly NeedleBytes[]) {
  const kelvin = needles.some(({ foldsBeyondAscii }) => foldsBeyondAscii.kelvin)
  const longS = needles.some(({ foldsBeyondAscii }) => foldsBeyondAscii.longS)
  return [...(kelvin ? [kelvinSign] : []), ...(longS ? [longSmallS] : [])].map((bytes) => ({ bytes, folded: false }))
}
