import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFsError } from '../../../src/errors.js'
import { findBytes, findFolded } from '../../../src/search/bytes/find-bytes.js'
import { compileMatcher, inspectPattern, type MatcherSpec } from '../../../src/search/patterns/matcher.js'
import { searchBytes } from '../../../src/search/run/search-file.js'

const encoder = new TextEncoder()

/** Line numbers with a match. */
function lines(spec: MatcherSpec, text: string): number[] {
  return searchBytes(encoder.encode(text), compileMatcher(spec)).records.map((record) => record.line)
}

function failure(spec: MatcherSpec): unknown {
  try {
    compileMatcher(spec)
    return undefined
  } catch (error) {
    return isFsError(error) ? [error.code, error.facts] : error
  }
}

describe('a literal', () => {
  it('takes everything plainly', () => {
    expect(lines({ pattern: 'a.b(c)*', syntax: 'literal' }, 'a.b(c)*\naxb(c)*\n')).toEqual([1])
  })

  it('is searched as bytes, and decodes nothing', () => {
    expect(compileMatcher({ pattern: 'naïve', syntax: 'literal' }).bytes?.bytes).toEqual(encoder.encode('naïve'))
    expect(compileMatcher({ pattern: 'Foo', syntax: 'literal', ignoreCase: true }).bytes?.folded).toBe(true)
  })

  it('ignores letter case in every script', () => {
    const text = 'straße\nSTRASSE\nSTRAẞE\nΣΊΣΥΦΟΣ\nσίσυφος\n\u212aELVIN\nTaſk\n'
    const found = (pattern: string) => lines({ pattern, syntax: 'literal', ignoreCase: true }, text)
    expect(found('STRAßE')).toEqual([1, 3])
    expect(found('σίσυφος')).toEqual([4, 5])
    expect(found('kelvin')).toEqual([6])
    expect(found('task')).toEqual([7])
    expect(found('ELVIN')).toEqual([6])
  })

  it('does not go beyond a line', () => {
    expect(lines({ pattern: 'a\nb', syntax: 'literal' }, 'a\nb\n')).toEqual([])
    expect(lines({ pattern: 'a\nb', syntax: 'literal', multiline: true }, 'x\na\nb\n')).toEqual([2])
    expect(lines({ pattern: 'a\nb', syntax: 'literal', multiline: true }, 'x\r\na\r\nb\r\n')).toEqual([2])
    expect(lines({ pattern: 'a\r', syntax: 'literal' }, 'a\r\na\rb\n')).toEqual([2])
  })

  it('of nothing matches every line', () => {
    expect(lines({ pattern: '', syntax: 'literal' }, 'a\n\nb')).toEqual([1, 2, 3])
    expect(lines({ pattern: '', syntax: 'literal' }, '')).toEqual([])
  })
})

describe('whole words', () => {
  const text = 'test\ntesting\ncontest\na test.\n_test\ntéstest\n'

  it('stand between word edges', () => {
    expect(lines({ pattern: 'test', syntax: 'literal', wholeWord: true }, text)).toEqual([1, 4])
    expect(lines({ pattern: 't[a-z]+t', syntax: 'ecmascript', wholeWord: true }, text)).toEqual([1, 4])
    expect(lines({ pattern: 'TEST|X', syntax: 'rust', wholeWord: true, ignoreCase: true }, text)).toEqual([1, 4])
  })

  it('have letters of every script, but in ECMAScript patterns', () => {
    expect(lines({ pattern: 'stest', syntax: 'literal', wholeWord: true }, text)).toEqual([])
    expect(lines({ pattern: 'über', syntax: 'literal', wholeWord: true }, 'über\nüberall\n')).toEqual([1])
    expect(lines({ pattern: 'stest', syntax: 'ecmascript', wholeWord: true }, text)).toEqual([6])
  })
})

describe('a pattern that can not be', () => {
  it('is reported with its reason', () => {
    expect(failure({ pattern: 'a(', syntax: 'rust' })).toEqual([
      'INVALID_PATTERN',
      { pattern: 'a(', reason: 'a group without its closing parenthesis' },
    ])
    expect(failure({ pattern: 'x'.repeat(1_001), syntax: 'literal' })).toEqual([
      'INVALID_PATTERN',
      { pattern: 'x'.repeat(200), reason: 'longer than 1000 characters' },
    ])
    expect(failure({ pattern: '(a{1,1000}){1,1000}b', syntax: 'ecmascript' })).toEqual([
      'PATTERN_TOO_COMPLEX',
      { pattern: '(a{1,1000}){1,1000}b', reason: 'counted repetitions inside each other' },
    ])
  })
})

describe('inspecting a pattern', () => {
  it('reports the features it uses', () => {
    const inspect = (pattern: string) => inspectPattern({ pattern, syntax: 'ecmascript' })
    const plain = { lookAround: false, backReferences: false, starHeight: 0, lineBreaks: false }
    expect(inspect('(a+)+$')).toEqual({ ...plain, starHeight: 2 })
    expect(inspect('(?=(a))\\1b*')).toEqual({ ...plain, lookAround: true, backReferences: true, starHeight: 1 })
    for (const pattern of ['a\\nb', 'a\nb', '(?:a|\\x0a)', '[\\n]']) expect(inspect(pattern).lineBreaks).toBe(true)
    for (const pattern of ['a\\sb', '[^a]', '[^\\n]', '.$', '\\\\n']) expect(inspect(pattern).lineBreaks).toBe(false)
  })
})

describe('finding bytes', () => {
  const words = fc
    .array(fc.constantFrom('a', 'b', 'A', 'B', 'ab', 'é', '-', '\n'), { maxLength: 30 })
    .map((all) => all.join(''))

  it('finds the same place as a text search', () => {
    fc.assert(
      fc.property(words, words, fc.nat(10), (text, needle, from) => {
        const [haystack, bytes] = [encoder.encode(text), encoder.encode(needle)]
        const expected = String.fromCharCode(...haystack).indexOf(String.fromCharCode(...bytes), from)
        expect(findBytes(haystack, bytes, from)).toBe(bytes.length === 0 && from > haystack.length ? -1 : expected)
      }),
    )
  })

  it('finds in either case, place after place', () => {
    fc.assert(
      fc.property(words, words, (text, word) => {
        const needle = word.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
        if (needle === '') return
        const haystack = encoder.encode(text)
        const next = findFolded(haystack, encoder.encode(needle))
        const small = String.fromCharCode(...haystack.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte)))
        const sought = String.fromCharCode(...encoder.encode(needle))
        for (let from = 0; from >= 0; from = from < 0 ? -1 : from + 1) {
          const expected = small.indexOf(sought, from)
          expect(next(from)).toBe(expected)
          from = expected
          if (expected < 0) break
        }
      }),
    )
  })
})
