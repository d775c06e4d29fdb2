import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFsError } from '../../../src/errors.js'
import { compileMatcher, type MatcherSpec } from '../../../src/search/patterns/matcher.js'
import { searchBytes } from '../../../src/search/run/search-file.js'
import corpus from '../../data/redos.json' with { type: 'json' }
import { timed } from '../processor-time.js'

type Part =
  | string
  | { repeat: string; times: number }
  | { from: number; times: number }
  | { counted: string; times: number }

/** What a search comes to: `too complex` when it was given up, at compiling or at this line. */
function outcome(spec: MatcherSpec, text: string): 'match' | 'none' | 'invalid' | 'too complex' {
  try {
    const { matches } = searchBytes(new TextEncoder().encode(text), compileMatcher(spec))
    return matches > 0 ? 'match' : 'none'
  } catch (error) {
    if (isFsError(error, 'INVALID_PATTERN')) return 'invalid'
    if (isFsError(error, 'PATTERN_TOO_COMPLEX')) return 'too complex'
    throw error
  }
}

function build(parts: string | readonly Part[]): string {
  if (typeof parts === 'string') return parts
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      if ('repeat' in part) return part.repeat.repeat(part.times)
      if ('from' in part) return String.fromCodePoint(...Array.from({ length: part.times }, (_, i) => part.from + i))
      return Array.from({ length: part.times }, (_, i) => `${part.counted}${i}`).join('|')
    })
    .join('')
}

describe('patterns that hang a backtracking engine', () => {
  for (const { id, kind, pattern, text, expect: expected } of corpus) {
    const shown = typeof pattern === 'string' ? pattern : `${build(pattern as Part[]).slice(0, 20)}…`
    it(`${id} ${kind}: ${shown} comes to ${expected}`, () => {
      const spec: MatcherSpec = { pattern: build(pattern as Part[]), syntax: 'ecmascript' }
      const line = build(text as Part[])
      const { result, ms } = timed(250, () => outcome(spec, line))
      expect(result).toBe(expected)
      expect(ms).toBeLessThan(250)
    })
  }

  it('are bounded multiline and with any letter case too', () => {
    for (const { pattern, text } of corpus) {
      const spec: MatcherSpec = {
        pattern: build(pattern as Part[]),
        syntax: 'ecmascript',
        multiline: true,
        ignoreCase: true,
      }
      const { ms } = timed(2_000, () => outcome(spec, `${build(text as Part[])}\n`.repeat(3)))
      expect(ms).toBeLessThan(2_000)
    }
  })

  it('are bounded however they are made up', () => {
    const atom = fc.constantFrom('a', 'b', '.', '\\w', '\\s', '[ab]', '[^b]', 'ab', 'a?', '\\b', '(?=a)', '\\1', '(?:)')
    const quantifier = fc.constantFrom('*', '+', '*?', '+?', '?', '{2,}', '{0,20}', '{1,100}')
    const { node } = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 6 },
        atom,
        fc.tuple(tie('node'), quantifier).map(([body, times]) => `(${body})${times}`),
        fc.tuple(tie('node'), tie('node')).map((parts) => parts.join('')),
        fc.tuple(tie('node'), tie('node')).map((parts) => `(?:${parts.join('|')})`),
        fc.tuple(fc.constantFrom('?=', '?!', '?<=', '?<!'), tie('node')).map(([kind, body]) => `(${kind}${body})`),
      ),
    }))
    const line = fc
      .tuple(fc.constantFrom('a', 'ab', 'a b ', 'aab'), fc.integer({ min: 1, max: 400 }), fc.constantFrom('', '!', 'c'))
      .map(([unit, times, end]) => unit.repeat(times) + end)
    fc.assert(
      fc.property(node, line, (pattern, text) => {
        const { ms } = timed(2_000, () => outcome({ pattern: `${pattern}$`, syntax: 'ecmascript' }, text))
        expect(ms).toBeLessThan(2_000)
      }),
      { numRuns: 300 },
    )
  })
})
