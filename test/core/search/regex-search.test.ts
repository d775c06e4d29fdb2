import { describe, expect, test } from 'vitest'
import { regexSearch } from '../../../src/search/patterns/regex-search.js'
import { applyEdits } from '../../../src/text/edit/edit.js'

const spans = (pattern: string, text: string, options = {}) =>
  [...regexSearch(pattern, options)(text)].map(({ start, end, groups }) => [start, end, ...groups])

describe('matches with their groups', () => {
  test('as the platform reports them', () => {
    expect(spans('(\\w)(\\d)?', 'a1 b')).toEqual([
      [0, 2, 'a1', 'a', '1'],
      [3, 4, 'b', 'b', undefined],
    ])
  })

  test('edges are those of lines, and a dot stops at them unless asked', () => {
    expect(spans('^.+$', 'ab\ncd')).toEqual([
      [0, 2, 'ab'],
      [3, 5, 'cd'],
    ])
    expect(spans('^.+$', 'ab\ncd', { dotAll: true })).toEqual([[0, 5, 'ab\ncd']])
  })

  test('groups depend on all of the text, however far from the match', () => {
    const text = `x${'-'.repeat(500)}ab`
    expect(spans('(?<=(x)-*)(a)', text)).toEqual([[501, 502, 'a', 'x', 'a']])
  })

  test('of the longest patterns that are not tried first, with the largest sets', () => {
    for (const pattern of ['(\\p{L}{97})', '([^\\p{Nd}\\s]{97})', '((?:\\p{L}|\\p{N}|\\p{P}|\\p{S}){15})']) {
      for (const text of ['a'.repeat(97), 'ä\u0100'.repeat(50), '\u{10400}'.repeat(97)]) {
        const match = new RegExp(pattern, 'u').exec(text)!
        expect(spans(pattern, text)[0]).toEqual([0, match[0].length, ...match])
      }
    }
  })

  test('empty matches are reported once each', () => {
    expect(spans('x*', 'ax').map(([start, end]) => [start, end])).toEqual([
      [0, 0],
      [1, 2],
      [2, 2],
    ])
  })

  test('empty matches advance past characters of two code units', () => {
    expect(spans('b*', '😀b').map(([start, end]) => [start, end])).toEqual([
      [0, 0],
      [2, 3],
      [3, 3],
    ])
  })

  test('look-around sees the text around the match', () => {
    expect(spans('(?<=a)(b)(?=c)', 'abc xbc')).toEqual([[1, 2, 'b', 'b']])
  })

  test('letter case can be ignored', () => {
    expect(spans('(é)', 'É', { ignoreCase: true })).toEqual([[0, 1, 'É', 'É']])
  })
})

test('a pattern that backtracks without end is answered on a large text', () => {
  const text = `${'a'.repeat(50_000)}!`
  expect(spans('(?:a+)+$', text)).toEqual([])
})

test('a replacement by group in a large file', () => {
  const text = Array.from({ length: 20_000 }, (_, line) => `name${line} = ${line}\n`).join('')
  const outcome = applyEdits(text, [
    { kind: 'regex', find: regexSearch('(\\w+) = (\\d+)'), replace: '$2: $1', tokens: 'ecmascript', count: 'all' },
  ])
  const expected = Array.from({ length: 20_000 }, (_, line) => `${line}: name${line}\n`).join('')
  expect(outcome).toMatchObject({ ended: 'applied', text: expected })
})

test('an invalid pattern is reported before anything is searched', () => {
  expect(() => regexSearch('(')).toThrow(expect.objectContaining({ code: 'INVALID_PATTERN' }))
})
