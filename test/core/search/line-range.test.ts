/** Searches in some lines of a file, and the reported part of long lines, compared with models on strings. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { compileMatcher, type MatcherSpec } from '../../../src/search/patterns/matcher.js'
import type { LineRange } from '../../../src/search/run/line-range.js'
import { fileToSearch, type MatchRecord, type SearchRequest } from '../../../src/search/run/records.js'
import { searchBytes } from '../../../src/search/run/search-file.js'
import { collectMatches, search } from '../../../src/search/run/searcher.js'
import { scaled } from '../../scale.js'

const encoder = new TextEncoder()

async function recordsIn(text: string, request: Partial<SearchRequest> & { matcher: MatcherSpec }) {
  async function* files() {
    yield fileToSearch('/a')
  }
  const fs = memory({ '/a': text })
  const { files: found, summary } = await collectMatches(search(fs, files(), { mode: 'content', ...request }))
  expect(summary.matches).toBe(found[0]?.records.filter(({ kind }) => kind === 'match').length ?? 0)
  return found[0]?.records ?? []
}

const line = fc.constantFrom('hit', 'a hit hit', 'miss', '', 'naïve hit 😀', 'end')
const file = fc
  .tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n')), { maxLength: 12 }), fc.option(line))
  .map(([lines, last]) => lines.map(([text, end]) => text + end).join('') + (last ?? ''))
const bound = fc.integer({ min: -14, max: 14 }).filter((number) => number !== 0)
const range = fc.record({ first: bound, last: bound }, { requiredKeys: [] })

/** The lines of a text with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Indexes of the lines in a range: from, and until. */
function bounds(count: number, { first = 1, last = -1 }: LineRange): [from: number, until: number] {
  const from = first > 0 ? first - 1 : Math.max(0, count + first)
  const until = last > 0 ? Math.min(count, last) : count + last + 1
  return [from, Math.max(from, until)]
}

test.each<MatcherSpec>([
  { pattern: 'hit', syntax: 'literal' },
  { pattern: 'h[ix]t\\b', syntax: 'ecmascript' },
  { pattern: '^$|^e', syntax: 'ecmascript' },
  { pattern: '\\w$', syntax: 'ecmascript' },
])('only lines in the range match, and context comes from everywhere: %j', async (matcher) => {
  await fc.assert(
    fc.asyncProperty(file, range, fc.integer({ min: 0, max: 2 }), async (text, lines, context) => {
      const all = linesOf(text).map((each) => each.replace(/\r?\n$/, ''))
      const [from, until] = bounds(all.length, lines)
      const expression = new RegExp(matcher.pattern)
      const matching = all.flatMap((each, i) => (i >= from && i < until && expression.test(each) ? [i] : []))
      const expected = all.flatMap((each, i) => {
        if (matching.includes(i)) return [`${i + 1}: ${each}`]
        return matching.some((match) => Math.abs(match - i) <= context) ? [`${i + 1}- ${each}`] : []
      })
      const records = await recordsIn(text, { matcher, lines, before: context, after: context })
      const rows = records.map((each) => `${each.line}${each.kind === 'match' ? ':' : '-'} ${each.text}`)
      expect({ text, lines, rows }).toEqual({ text, lines, rows: expected })
    }),
    { numRuns: scaled(300) },
  )
})

test('a pattern over lines finds what it finds in a file with only these lines', async () => {
  const matcher: MatcherSpec = { pattern: 't\\s+(a|e)|^miss$', syntax: 'ecmascript', multiline: true }
  await fc.assert(
    fc.asyncProperty(file, range, async (text, lines) => {
      const all = linesOf(text)
      const [from, until] = bounds(all.length, lines)
      const alone = await recordsIn(all.slice(from, until).join(''), { matcher })
      const expected = alone.map((record) => ({ ...record, line: record.line + from }))
      expect({ text, lines, records: await recordsIn(text, { matcher, lines }) }).toEqual({
        text,
        lines,
        records: expected,
      })
    }),
    { numRuns: scaled(400) },
  )
})

const piece = fc.constantFrom('a', 'é', '€', '😀', ' ', 'word ')
const long = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

test.each<MatcherSpec>([
  { pattern: 'needle', syntax: 'literal' },
  { pattern: 'n[e]+dle', syntax: 'ecmascript' },
  { pattern: '\\bneed\\w+', syntax: 'ecmascript' },
  { pattern: '(?=needle)', syntax: 'ecmascript' },
])('a long line is cut around its match: %j', (matcher) => {
  const compiled = compileMatcher(matcher)
  fc.assert(
    fc.property(long, long, fc.integer({ min: 9, max: 60 }), (before, after, maxReportedUnits) => {
      const text = `${before} needle ${after}`
      const bytes = encoder.encode(`first\n${text}\n`)
      const [record] = searchBytes(bytes, compiled, { maxReportedUnits, aroundMatch: true }).records as MatchRecord[]
      const { text: shown, cut, cutBefore, column } = record as MatchRecord
      const isWhole = text.length <= maxReportedUnits
      expect({ line: record?.line, column: column.units }).toEqual({ line: 2, column: before.length + 1 })
      if (isWhole) {
        expect({ shown, cut, cutBefore }).toEqual({ shown: text, cut: false, cutBefore: undefined })
        return
      }
      expect(text).toContain(shown)
      expect({ cut, cutBefore: cutBefore ?? false }).toEqual({
        cut: !text.endsWith(shown),
        cutBefore: !text.startsWith(shown),
      })
      expect(shown).toContain('needle'.slice(0, maxReportedUnits - Math.floor(maxReportedUnits / 3)))
      expect(shown).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/)
      // Half a character is left out at each end.
      expect(shown.length).toBeGreaterThanOrEqual(maxReportedUnits - 2)
      expect(shown.length).toBeLessThanOrEqual(maxReportedUnits)
    }),
    { numRuns: scaled(400) },
  )
})

test('a match far into a line of megabytes is shown, and bytes that are not text do no harm', () => {
  const filler = Uint8Array.from({ length: 3_000_000 }, (_, i) => [0x61, 0x80, 0xff, 0xe2][i % 4] as number)
  const bytes = new Uint8Array([...filler, ...encoder.encode(' needle'), ...filler, 0x0a])
  for (const pattern of ['needle', 'n[e]+dle']) {
    const matcher = compileMatcher({ pattern, syntax: 'ecmascript' })
    const [record] = searchBytes(bytes, matcher, {
      maxReportedUnits: 90,
      maxLineUnits: 10_000_000,
      aroundMatch: true,
    }).records
    expect(record).toMatchObject({ cut: true, cutBefore: true })
    expect(record?.text).toHaveLength(90)
    expect(record?.text.indexOf('needle')).toBe(30)
  }
})

test('of a block of lines the first is cut around the match, and each may be long', () => {
  const matcher = compileMatcher({ pattern: 'needle\\n\\w+', syntax: 'ecmascript', multiline: true })
  const text = `${'x'.repeat(500)} needle\n${'y'.repeat(250)}\n`
  const [record] = searchBytes(encoder.encode(text), matcher, { maxReportedUnits: 90, aroundMatch: true }).records
  expect(record).toMatchObject({
    text: `${'x'.repeat(83)} needle\n${'y'.repeat(250)}`,
    cut: false,
    cutBefore: true,
    lineCount: 2,
  })
})
