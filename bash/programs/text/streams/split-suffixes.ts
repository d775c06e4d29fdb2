/** The names of the pieces of `split`. */
import { ProgramError } from '../../program-error.js'

export interface SuffixRules {
  prefix: string
  additional: string
  alphabet: string
  /** 0: two characters, or more when they do not suffice. */
  length: number
  /** The first suffix. */
  start: string | undefined
  /** The number of pieces, when it is known. */
  pieces: number | undefined
}

const usualLength = 2

export function* suffixes(rules: SuffixRules): Generator<string, never> {
  const { alphabet, start, pieces } = rules
  const needed = pieces === undefined ? 0 : digitsFor(pieces + startNumber(rules) - 1, alphabet.length)
  if (rules.length > 0 && needed > rules.length) {
    throw new ProgramError(`the suffix length needs to be at least ${needed}`)
  }
  const grows = rules.length === 0 && start === undefined && pieces === undefined
  let length = rules.length > 0 ? rules.length : Math.max(usualLength, needed)
  if (start !== undefined && start.length > length) {
    throw new ProgramError(`numerical suffix start value is too large for the suffix length`)
  }
  let base = rules.prefix
  let number = startNumber(rules)
  for (;;) {
    const size = alphabet.length ** length
    // The last first character is kept for longer suffixes.
    const end = grows ? size - size / alphabet.length : size
    for (; number < end; number += 1) yield base + digits(number, alphabet, length) + rules.additional
    if (!grows) throw new ProgramError('output file suffixes exhausted')
    base += alphabet.at(-1)
    length += 1
    number = 0
  }
}

function startNumber({ start, alphabet }: SuffixRules): number {
  return start === undefined ? 0 : Number.parseInt(start, alphabet.length)
}

function digitsFor(last: number, base: number): number {
  let count = 1
  for (let rest = Math.floor(last / base); rest > 0; rest = Math.floor(rest / base)) count += 1
  return count
}

function digits(number: number, alphabet: string, length: number): string {
  let text = ''
  for (let rest = number, left = length; left > 0; left -= 1) {
    text = alphabet.charAt(rest % alphabet.length) + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}
