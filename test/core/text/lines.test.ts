import { describe, expect, it } from 'vitest'
import { editBuffer } from '../../../src/text/edit/edit-buffer.js'
import { dominantEnding, endingsOf } from '../../../src/text/lines/line-endings.js'
import { type LineCounting, lineTable } from '../../../src/text/lines/lines.js'

describe('positions of lines', () => {
  const lines = (text: string, counting?: LineCounting) => {
    const table = lineTable(text, counting)
    return Array.from({ length: table.count }, (_, index) => [
      text.slice(table.start(index + 1), table.contentEnd(index + 1)),
      text.slice(table.contentEnd(index + 1), table.end(index + 1)),
    ])
  }

  it.each<[string, string, LineCounting, string[][]]>([
    ['an empty text has none', '', {}, []],
    [
      'a final ending starts no other',
      'a\nb\n',
      {},
      [
        ['a', '\n'],
        ['b', '\n'],
      ],
    ],
    [
      'nor need there be one',
      'a\nb',
      {},
      [
        ['a', '\n'],
        ['b', ''],
      ],
    ],
    [
      'all endings end lines',
      'a\r\nb\rc\n\r',
      {},
      [
        ['a', '\r\n'],
        ['b', '\r'],
        ['c', '\n'],
        ['', '\r'],
      ],
    ],
    [
      'a CR may be left to the line',
      'a\rb\r\nc',
      { breaks: 'line-feed' },
      [
        ['a\rb', '\r\n'],
        ['c', ''],
      ],
    ],
    [
      'the place after a final ending may count',
      'a\n',
      { finalEmptyLine: true },
      [
        ['a', '\n'],
        ['', ''],
      ],
    ],
    ['and then an empty text has one', '', { finalEmptyLine: true }, [['', '']]],
  ])('%s', (_, text, counting, expected) => {
    expect(lines(text, counting)).toEqual(expected)
  })

  it('an offset belongs to the line that holds it', () => {
    const table = lineTable('ab\r\nc\n')
    expect([0, 2, 3, 4, 5, 6].map(table.lineAt)).toEqual([1, 1, 1, 2, 2, 2])
    expect(lineTable('').lineAt(0)).toBe(1)
  })
})

describe('line endings', () => {
  it('the most frequent is the dominant one, the first of equals', () => {
    expect(dominantEnding('a\nb\r\nc\r\n')).toBe('\r\n')
    expect(dominantEnding('a\rb\nc')).toBe('\r')
    expect(dominantEnding('abc')).toBeUndefined()
    expect(dominantEnding('a\rb\rc\n', { breaks: 'line-feed' })).toBe('\n')
  })

  it('a last line without one takes after the line before', () => {
    const { near } = endingsOf(editBuffer('a\nb\r\nc'))
    expect([0, 1, 2, 5, 6].map(near)).toEqual(['\n', '\n', '\r\n', '\r\n', '\r\n'])
    expect(endingsOf(editBuffer('c')).near(1)).toBeUndefined()
  })
})
