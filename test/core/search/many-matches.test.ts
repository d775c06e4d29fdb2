/** Multiline searches of texts with many matches: as a model finds them, and in time that grows with the text. */
import { expect, it } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { compileMatcher } from '../../../src/search/patterns/matcher.js'
import type { SearchRequest } from '../../../src/search/run/records.js'
import { collectMatches, search } from '../../../src/search/run/searcher.js'
import { filesIn, randomFrom } from './generated-trees.js'

async function find(text: string, pattern: string, more: Partial<SearchRequest> = {}) {
  const fs = memory({ '/a.txt': text })
  const request: SearchRequest = {
    matcher: { pattern, syntax: 'rust', multiline: true },
    mode: 'content',
    maxReportedUnits: 100_000,
    ...more,
  }
  return collectMatches(search(fs, filesIn(fs, '/'), request))
}

/** Each took minutes when a match made the rest of the text be looked at again. */
it.each([
  ['one line', 'foo bar ', 'foo', 1],
  ['one line', 'foo bar ', 'fo+', 1],
  ['one line', 'föo bar ', '(foo|bar|baz)', 1],
  ['one line', 'foo bar ', 'foo ba{1,3}', 1],
  ['lines', 'foo bar\n', 'fo+', 500_000],
])('%s of 4 MB made of %j has all matches of %j', async (_, part, pattern, lines) => {
  const { summary } = await find(part.repeat(500_000), pattern, { timeoutMs: 60_000, maxReportedUnits: 10 })
  expect(summary).toMatchObject({ matches: lines })
  expect(summary).not.toHaveProperty('truncated')
})

it('blocks of lines are those of a model', async () => {
  const random = randomFrom(11)
  const patterns = ['fo+', 'a\\s*b', '(foo|ba)\\s', 'b(a|\\n)+', '\\n\\n', 'o\\n?f', '[^f]+', '(foo|zzz)?']
  const parts = ['foo', 'ba', 'b', 'a', '\n', '\r\n', ' ', 'é']
  for (let i = 0; i < 400; i += 1) {
    const text = Array.from({ length: random(40) }, () => parts[random(parts.length)]).join('')
    const pattern = patterns[random(patterns.length)]!
    const { files } = await find(text, pattern)
    const found = files.flatMap(({ records }) =>
      records.map((record) => [record.line, 'lineCount' in record ? record.lineCount : 0, record.text]),
    )
    expect({ text, pattern, found }).toEqual({ text, pattern, found: blocksOf(text, pattern) })
  }
})

/** Lines that a match touches, joined where a match spans lines and while matches touch the next line. */
function blocksOf(given: string, pattern: string): [number, number, string][] {
  const text = given.replaceAll('\r\n', '\n')
  const lines = text.split('\n')
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  const matches: { first: number; last: number }[] = []
  for (const { 0: matched, index } of text.matchAll(new RegExp(pattern, 'gu'))) {
    const end = index + matched.length
    const isAfterLast = index === text.length && (text === '' || text.endsWith('\n'))
    if (matched === '' && isAfterLast) continue
    const first = lineAt(index)
    const last = Math.max(first, lineAt(matched.endsWith('\n') ? end - 1 : end))
    if (matched === '' && matches.some((match) => first <= match.last)) continue
    matches.push({ first, last })
  }
  const runs: { first: number; last: number; spans: boolean; each: Set<number> }[] = []
  for (const { first, last } of matches) {
    const run = runs.at(-1)
    if (run !== undefined && first <= run.last + 1) {
      run.last = Math.max(run.last, last)
      run.spans ||= last > first
      run.each.add(first)
    } else runs.push({ first, last, spans: last > first, each: new Set([first]) })
  }
  return runs.flatMap(({ first, last, spans, each }) =>
    spans
      ? [[first, last - first + 1, lines.slice(first - 1, last).join('\n')] as [number, number, string]]
      : [...each].map((line) => [line, 1, lines[line - 1]!] as [number, number, string]),
  )
}

it.each([
  ['a\\nb', true],
  ['a\\s*\\nb', true],
  ['(a\\n|b\\n)', true],
  ['(a\\n|b)', false],
  ['a\\n*b', false],
  ['(a\\n)+', true],
  ['a\\sb', false],
  ['(?s)a.b', false],
])('whether every match of %j has a line feed: %s', async (pattern, expected) => {
  expect(compileMatcher({ pattern, syntax: 'rust', multiline: true }).needsFeed).toBe(expected)
  expect(compileMatcher({ pattern: 'a', syntax: 'rust' }).needsFeed).toBe(false)
  expect((await find('a b ab a', pattern)).files.length === 0 || !expected).toBe(true)
})
