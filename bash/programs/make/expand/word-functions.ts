/** Functions on words and text. */
import { encodeText } from '../../../io/byte-text.js'
import { patternOf, stemOf, stripped, wordsOf } from '../characters.js'
import type { MakeFunction, MakeState } from '../state.js'
import { substitutePattern, substituteText } from './substitute.js'

export const wordFunctions: Readonly<Record<string, MakeFunction>> = {
  subst: { least: 3, most: 3, run: (make, [from = '', to = '', text = '']) => substituteText(make.io, text, from, to) },
  patsubst: {
    least: 3,
    most: 3,
    run: (make, [from = '', to = '', text = '']) => substitutePattern(make.io, text, patternOf(from), patternOf(to)),
  },
  strip: { least: 0, most: 1, run: (_, [text = '']) => wordsOf(text).join(' ') },
  findstring: { least: 2, most: 2, run: (_, [part = '', text = '']) => (text.includes(part) ? part : '') },
  filter: { least: 2, most: 2, run: (make, args) => filtered(make, args, true) },
  'filter-out': { least: 2, most: 2, run: (make, args) => filtered(make, args, false) },
  sort: { least: 0, most: 1, run: (_, [text = '']) => sorted(text) },
  word: { least: 2, most: 2, run: oneWord },
  wordlist: { least: 3, most: 3, run: someWords },
  words: { least: 0, most: 1, run: (_, [text = '']) => `${wordsOf(text).length}` },
  firstword: { least: 0, most: 1, run: (_, [text = '']) => wordsOf(text)[0] ?? '' },
  lastword: { least: 0, most: 1, run: (_, [text = '']) => wordsOf(text).at(-1) ?? '' },
}

function filtered(make: MakeState, [given = '', text = '']: readonly string[], keeps: boolean): string {
  const literals = new Set<string>()
  const patterns: ReturnType<typeof patternOf>[] = []
  for (const word of wordsOf(given)) {
    const pattern = patternOf(word)
    if (pattern.percent < 0) literals.add(pattern.text)
    else patterns.push(pattern)
  }
  const isMatched = (word: string) => {
    make.io.step(patterns.length + 1)
    return literals.has(word) || patterns.some((pattern) => stemOf(pattern, word) !== undefined)
  }
  return wordsOf(text)
    .filter((word) => isMatched(word) === keeps)
    .join(' ')
}

function sorted(text: string): string {
  const words = [...new Set(wordsOf(text))].map((word) => ({ word, bytes: encodeText(word) }))
  return words
    .sort((a, b) => order(a.bytes, b.bytes))
    .map(({ word }) => word)
    .join(' ')
}

/** By bytes, of which the first has a sign. */
function order(a: Uint8Array, b: Uint8Array): number {
  const first = (((a[0] as number) << 24) >> 24) - (((b[0] as number) << 24) >> 24)
  if (first !== 0) return first
  for (let index = 1; index < Math.min(a.length, b.length); index += 1) {
    const difference = (a[index] as number) - (b[index] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

function numberOf(make: MakeState, text: string, problem: string): number {
  const digits = stripped(text)
  if (!/^[0-9]+$/.test(digits)) throw make.failExpanding(`${problem}: '${text}'`)
  return Number(digits)
}

function oneWord(make: MakeState, [index = '', text = '']: readonly string[]): string {
  const number = numberOf(make, index, "non-numeric first argument to 'word' function")
  if (number === 0) throw make.failExpanding("first argument to 'word' function must be greater than 0")
  return wordsOf(text)[number - 1] ?? ''
}

function someWords(make: MakeState, [from = '', to = '', text = '']: readonly string[]): string {
  const first = numberOf(make, from, "non-numeric first argument to 'wordlist' function")
  const last = numberOf(make, to, "non-numeric second argument to 'wordlist' function")
  if (first < 1) throw make.failExpanding(`invalid first argument to 'wordlist' function: '${first}'`)
  return wordsOf(text)
    .slice(first - 1, last)
    .join(' ')
}
