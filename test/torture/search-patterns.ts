/** Patterns generated from a seed, in two equivalent spellings: for ECMAScript and for ripgrep. */
import type { Random } from '../core/search/generated-trees.js'

export interface SamePattern {
  ours: string
  theirs: string
}

export interface PatternOptions {
  multiline: boolean
  ignoreCase: boolean
}

export const words = [
  'foo',
  'Foo',
  'bar',
  'foobar',
  'näh',
  '😀',
  'error(x)',
  'İ',
  'K',
  'ſ',
  'a.b',
  '[x]',
  '$1',
  'β',
  'ΒΑΣ',
]

export function patternFrom(random: Random, options: PatternOptions, depth = 2): SamePattern {
  const count = 1 + random(3)
  let made = { ours: '', theirs: '' }
  for (let item = 0; item < count; item += 1) made = join(made, itemFrom(random, options, depth))
  // Only where lines begin and end: ripgrep 13 does not find an empty line by `$^`.
  if (random(6) === 0) made = join(same('^'), made)
  if (random(6) === 0) made = join(made, same('$'))
  if (random(5) > 0) return made
  const other = patternFrom(random, options, 0)
  return { ours: `${made.ours}|${other.ours}`, theirs: `${made.theirs}|${other.theirs}` }
}

function itemFrom(random: Random, options: PatternOptions, depth: number): SamePattern {
  if (random(12) === 0) return options.ignoreCase ? same('') : { ours: '\\b', theirs: '(?-u:\\b)' }
  const atom = atomFrom(random, options, depth)
  const quantifier = ['', '', '', '', '*', '+', '?', '{1,2}', '*?', '+?', '{2}'][random(11)]
  if (quantifier === '') return atom
  return { ours: `(?:${atom.ours})${quantifier}`, theirs: `(?:${atom.theirs})${quantifier}` }
}

function atomFrom(random: Random, options: PatternOptions, depth: number): SamePattern {
  if (depth > 0 && random(4) === 0) {
    const inner = patternFrom(random, options, depth - 1)
    const open = random(2) === 0 ? '(?:' : '('
    return { ours: `${open}${inner.ours})`, theirs: `${open}${inner.theirs})` }
  }
  const classes: SamePattern[] = [
    same('.'),
    same('[a-f]'),
    same('[^a-z]'),
    same('[^\\sx]'),
    same('\\s'),
    same('\\S'),
    same('\\p{L}'),
    same('\\p{Lu}'),
    // Shorthands match ASCII here, and all of Unicode in ripgrep.
    { ours: options.ignoreCase ? '[0-9A-Za-z_]' : '\\w', theirs: '[0-9A-Za-z_]' },
    { ours: '\\d', theirs: '[0-9]' },
    ...(options.multiline ? [same('\\n'), same('\\n'), same('\\n')] : []),
  ]
  return random(2) === 0 ? (classes[random(classes.length)] as SamePattern) : same(escaped(wordFrom(random)))
}

export function wordFrom(random: Random): string {
  const word = words[random(words.length)] as string
  return random(3) === 0 ? ([...word][random([...word].length)] as string) : word
}

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function same(text: string): SamePattern {
  return { ours: text, theirs: text }
}

function join(a: SamePattern, b: SamePattern): SamePattern {
  return { ours: a.ours + b.ours, theirs: a.theirs + b.theirs }
}
