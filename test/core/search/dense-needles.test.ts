/** Where a text that every match contains is in most lines, lines are matched together. The results are those of each line by itself. */
import { expect, test } from 'vitest'
import { acquireKernelSearch } from '../../../src/search/bytes/kernels/find-with-kernels.js'
import { compileMatcher } from '../../../src/search/patterns/matcher.js'
import { searchBytes } from '../../../src/search/run/search-file.js'
import { seededRandom } from '../../../src/text/seeded-random.js'

const patterns = [
  'value\\d+ = \\w+',
  '\\bvalue[0-9]+\\b',
  'value.*x',
  'value\\d*$',
  '^ *value',
  'é?value[0-9é]',
  '(?:value|other)[0-9]+x?',
  // Choices of texts.
  'value|other',
  'value23|value|value2',
  '(alue2|value23|er)',
  'yyyyyyyyyyyyyyyyyyyvalue|evalue|1yy',
  'otherother|ther|lue = ',
]
const pieces = [
  'value',
  'value1',
  'value23',
  'other',
  'x',
  'é',
  '日本',
  '😀',
  ' = ',
  ' ',
  '\r',
  'y'.repeat(40),
  '\t',
  'é1',
]

function textFrom(random: () => number): string {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  const lines = Array.from({ length: Math.floor(random() * 60) }, () =>
    Array.from({ length: Math.floor(random() * 8) }, () => pick(pieces)).join(''),
  )
  const isLong = random() < 0.3
  return lines.join(pick(['\n', '\n', '\r\n'])).repeat(isLong ? 8 : 1) + pick(['', '\n'])
}

/** Line by line, as plainly as can be. */
function oracle(text: string, pattern: string, occurrences: boolean) {
  const lines = text.split('\n').map((line, i, all) => (i < all.length - 1 ? line.replace(/\r$/, '') : line))
  if (lines.at(-1) === '') lines.pop()
  return lines.flatMap((line, i) => {
    const all = [...line.matchAll(new RegExp(pattern, 'gu'))]
    const [first] = all
    if (first === undefined) return []
    const bytes = new TextEncoder().encode(line.slice(0, first.index)).length
    const column = { bytes, units: first.index }
    return [{ line: i + 1, text: line, column, length: first[0].length, count: occurrences ? all.length : 1 }]
  })
}

test.each(patterns)('%s', (pattern) => {
  const random = seededRandom(7)
  const matcher = compileMatcher({ pattern, syntax: 'ecmascript' })
  const kernels = acquireKernelSearch()
  let found = 0
  for (let round = 0; round < 300; round += 1) {
    const text = textFrom(random)
    const occurrences = round % 2 === 0
    // With vectors and without.
    const { findBytes } = round % 3 === 0 ? { findBytes: undefined } : kernels
    const bytes =
      findBytes === undefined ? new TextEncoder().encode(text) : kernels.load(new TextEncoder().encode(text))
    const { records, matches } = searchBytes(bytes, matcher, { occurrences, findBytes })
    const expected = oracle(text, pattern, occurrences)
    const got = records.map((record) => {
      if (record.kind !== 'match') throw new Error('there is no context')
      const { line, text: shown, column, length, count } = record
      return { line, text: shown, column, length, count }
    })
    expect({ text, got }).toEqual({ text, got: expected })
    expect(matches).toBe(expected.length)
    found += matches
  }
  kernels.release()
  expect(found).toBeGreaterThan(100)
})
