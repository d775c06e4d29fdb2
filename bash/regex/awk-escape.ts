/** Backslashes in awk's regular expressions. */
import type { CodePoints } from '../../src/search/patterns/regex/code-points.js'
import { negated, spaceCharacters, wordCharacters } from './character-sets.js'

const controls: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7, b: 8 }

/** What the backslash at `at` and what follows stand for. */
export function awkEscape(
  source: readonly string[],
  at: number,
  bytes = false,
): { code: number; set?: CodePoints; next: number } {
  const letter = source[at + 1]
  if (letter === undefined) return { code: 0x5c, next: at + 1 }
  if (letter >= '0' && letter <= '7') {
    let next = at + 1
    let digits = ''
    while (digits.length < 3 && /^[0-7]$/.test(source[next] ?? '')) digits += source[next++]
    return { code: byte(Number.parseInt(digits, 8) & 0xff), next }
  }
  if (letter === 'x') {
    let next = at + 2
    let digits = ''
    while (digits.length < 2 && /^[0-9a-fA-F]$/.test(source[next] ?? '')) digits += source[next++]
    if (digits !== '') return { code: byte(Number.parseInt(digits, 16)), next }
  }
  const next = at + 2
  const set = classOf(letter, bytes)
  if (set !== undefined) return { code: 0, set, next }
  return { code: controls[letter] ?? (letter.codePointAt(0) as number), next }

  function byte(value: number): number {
    return bytes && value >= 0x80 ? 0xdc00 + value : value
  }
}

function classOf(letter: string, bytes: boolean): CodePoints | undefined {
  if (letter === 'w') return wordCharacters()
  if (letter === 'W') return negated(wordCharacters(), bytes)
  if (letter === 's') return spaceCharacters()
  if (letter === 'S') return negated(spaceCharacters(), bytes)
  return undefined
}
