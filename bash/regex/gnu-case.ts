/**
 * Which characters GNU's programs take for the same without regard to case. They go by capitals and small letters one to one, not by
 * Unicode's folding: the dotless i is an i, and the Kelvin sign is no k.
 */
import { type CodePoints, codePoints, contains, rangesOf, union } from '../../src/search/patterns/regex/code-points.js'
import { caseVariants } from '../../src/search/patterns/regex/unicode.js'

/** Signs and letters that are the same as their small letter in one direction only, which is not enough. */
const alone = new Set([0x1e9e, 0x2126, 0x212a, 0x212b, 0x3f4])

/** Old forms of Cyrillic letters: as patterns they are also the letter, and no other pattern is one of them. */
const isOldForm = (code: number) => code >= 0x1c80 && code <= 0x1c88

/** Two characters that differ only in case have the same key. */
export function gnuCaseKey(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code | 0x20 : code
  if (alone.has(code)) return code
  const character = String.fromCodePoint(code)
  return single(single(character, 'toUpperCase'), 'toLowerCase').codePointAt(0) as number
}

/** A mapping to several characters does not count. */
function single(character: string, change: 'toUpperCase' | 'toLowerCase'): string {
  const changed = character[change]()
  return [...changed].length === 1 ? changed : character
}

let groups: Map<number, number[]> | undefined

function caseGroups(): Map<number, number[]> {
  if (groups !== undefined) return groups
  const byKey = new Map<number, number[]>()
  for (const code of caseVariants()) {
    if (isOldForm(code)) continue
    const key = gnuCaseKey(code)
    const group = byKey.get(key)
    if (group === undefined) byKey.set(key, [code])
    else group.push(code)
  }
  groups = byKey
  return byKey
}

/** The set with all characters that differ from one of its own only in case. */
export function closeOverGnuCase(set: CodePoints): CodePoints {
  const extra: [number, number][] = []
  for (const [low, high] of rangesOf(set)) {
    if (high - low > 1000) return closeOverMany(set)
    for (let code = low; code <= high; code += 1) {
      const letter = code | 0x20
      // Of the others, two ASCII letters have relatives outside of ASCII.
      if (code < 0x80 && letter !== 0x69 && letter !== 0x73) {
        if (letter >= 0x61 && letter <= 0x7a) extra.push([code ^ 0x20, code ^ 0x20])
      } else for (const other of caseGroups().get(gnuCaseKey(code)) ?? []) extra.push([other, other])
    }
  }
  return extra.length === 0 ? set : union(set, codePoints(extra))
}

function closeOverMany(set: CodePoints): CodePoints {
  const keys = new Set<number>()
  for (const code of caseVariants()) if (contains(set, code)) keys.add(gnuCaseKey(code))
  const extra: [number, number][] = []
  for (const key of keys) for (const code of caseGroups().get(key) ?? []) extra.push([code, code])
  return union(set, codePoints(extra))
}
