/** What must be in a text for a pattern to match it, as sequences of bytes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteSequences, findSequences } from '../../../src/search/bytes/byte-sequences.js'
import { compileMatcher, openCursor } from '../../../src/search/patterns/matcher.js'
import { parse } from '../../../src/search/patterns/regex/parse.js'
import { requiredBytes } from '../../../src/search/patterns/regex/required-bytes.js'

const encoder = new TextEncoder()

function sequencesOf(pattern: string, syntax: 'rust' | 'ecmascript' = 'rust'): string[] | undefined {
  const options = { syntax, ignoreCase: false, dotAll: false, maxLength: 1000, maxNesting: 50 }
  return requiredBytes(parse(pattern, options).root)?.map((sequence) =>
    sequence.map((set) => `${set.filter((has) => has === 1).length}`).join(' '),
  )
}

describe('required bytes', () => {
  it.each([
    ['[0-9a-f]{8}-[0-9a-f]{4}', ['16 16 16 16 16 16 16 16 1 16 16 16 16']],
    ['[A-Z][0-9]+x', ['10 1']],
    ['(?:[0-9]{3}-|[A-Z]{4}_)z?', ['10 10 10 1', '26 26 26 26 1']],
    ['#[0-9a-f]{6}|@[a-z]{2}[0-9]{4}', ['1 16 16 16 16 16 16', '1 26 26 10 10 10 10']],
    ['[a-z]+', undefined],
    ['[0-9]*', undefined],
    ['', undefined],
  ])('of %s are %j', (pattern, expected) => {
    expect(sequencesOf(pattern, 'ecmascript')).toEqual(expected)
  })

  it('allow for characters beyond ASCII: any byte of one is worth a look', () => {
    expect(sequencesOf('\\d{4}-\\d{2}-\\d{2}')).toEqual(['10 10 10 10 1 10 10 1 10 10', '128'])
  })

  it('are in every text that matches', () => {
    const atom = fc.constantFrom(
      '[a-c]',
      '[0-9]',
      'x',
      '-',
      '\\d',
      '[^a]',
      'ſ',
      '[aé]',
      '[b😀]',
      '(?:a|-0)',
      '\\b',
      '^',
    )
    const count = fc.constantFrom('', '', '+', '?', '*', '{2}', '{2,3}', '{1,}')
    const piece = fc.tuple(atom, count).map(([each, times]) => (/b$|\^/.test(each) ? each : each + times))
    const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '0', '7', 'x', '-', 'ſ', 'é', '😀', ' '), { maxLength: 24 })
    fc.assert(
      fc.property(pattern, pattern, text, (one, other, characters) => {
        const options = {
          syntax: 'ecmascript' as const,
          ignoreCase: false,
          dotAll: false,
          maxLength: 1000,
          maxNesting: 50,
        }
        const source = `${one}|${other}`
        const line = characters.join('')
        const sequences = requiredBytes(parse(source, options).root)
        if (sequences === undefined || !new RegExp(source, 'u').test(line)) return
        expect(findSequences(encoder.encode(line), byteSequences(sequences), 0)).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 1500 },
    )
  })

  it('lead to the lines that can match', () => {
    const matcher = compileMatcher({ pattern: '[0-9a-f]{8}-[0-9a-f]{4}', syntax: 'rust' })
    const text = encoder.encode('nothing here, bed-dead\nid = 0123abcd-beef\n')
    const cursor = openCursor(text, matcher)
    expect(cursor?.(0)).toBeGreaterThan(text.indexOf(0x0a))
    expect(cursor?.(text.length - 3)).toBe(-1)
  })
})
