/** Many edits of one text: as one after the other, at little more than the cost of one. */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { regexSearch } from '../../../src/search/patterns/regex-search.js'
import { applyEdits } from '../../../src/text/edit/edit.js'
import type { Edit, EditOptions } from '../../../src/text/edit/edit-types.js'
import { matchRules } from '../../../src/text/edit/match/rules.js'
import { dominantEnding } from '../../../src/text/lines/line-endings.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { scaled } from '../../scale.js'
import { timed } from '../processor-time.js'

const piece = fc.constantFrom('a', 'foo', ' b', '\tc', 'foo bar', '“q”', '')
const ending = fc.constantFrom('\n', '\r\n', '\r')
const text = fc
  .array(fc.tuple(piece, piece, ending), { maxLength: 12 })
  .map((lines) => lines.map((parts) => parts.join('')).join(''))
const words = fc.array(fc.oneof(piece, ending), { maxLength: 4 }).map((parts) => parts.join(''))
const line = fc.integer({ min: -3, max: 12 })
const count = fc.constantFrom('only' as const, 'all' as const, { first: 2 })

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('literal' as const), find: words, replace: words, count }),
  fc.record({
    kind: fc.constant('literal' as const),
    find: words,
    replace: words,
    within: fc.record({ first: line, last: line }),
  }),
  fc
    .tuple(fc.constantFrom('a+', '(o)(\\s)?', '^', '$', '^.*$', '\\n'), fc.constantFrom('x', '$1', '$&\n', ''), count)
    .map(([pattern, replace, some]) => {
      return { kind: 'regex' as const, find: regexSearch(pattern), replace, count: some, tokens: 'ecmascript' as const }
    }),
  fc.record({ kind: fc.constant('lines' as const), first: line, last: line, lines: fc.array(piece, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('insert' as const), before: line, lines: fc.array(piece, { maxLength: 3 }) }),
)

const options: fc.Arbitrary<EditOptions> = fc.record(
  {
    rules: fc.constant(matchRules),
    endings: fc.constantFrom('neighbour', 'verbatim'),
    counting: fc.record({
      breaks: fc.constantFrom('any', 'line-feed', 'bare-line-feed'),
      finalEmptyLine: fc.boolean(),
    }),
  },
  { requiredKeys: [] },
)

test('edits made together give the same result as one by one', () => {
  let made = 0
  fc.assert(
    fc.property(text, fc.array(edit, { minLength: 1, maxLength: 12 }), options, (given, edits, how) => {
      const together = applyEdits(given, edits, { ...how, failures: 'skip' })
      let current = given
      let isWithout = false
      const places = edits.map((one) => {
        const outcome = applyEdits(current, [one], { ...how, failures: 'skip' })
        if (outcome.ended !== 'applied') throw new Error('refused')
        current = outcome.text
        isWithout ||= dominantEnding(current, how.counting) === undefined
        return outcome.edits[0]?.places
      })
      if (together.ended !== 'applied') throw new Error('refused')
      // A text without endings uses those before the first edit, which a single edit can't know.
      fc.pre(!isWithout)
      expect({ text: together.text, places: together.edits.map((one) => one.places) }).toEqual({
        text: current,
        places,
      })
      made += together.edits.filter((one) => one.places.length > 0).length
    }),
    { numRuns: scaled(300) },
  )
  expect(made).toBeGreaterThan(scaled(300))
})

const row = (at: number) => `const value${at} = compute(${at}, 'some text', ${at * 7}) // row ${at}`
const rows = Array.from({ length: 16_000 }, (_, at) => row(at))

describe('many edits of a large file take little more than one', () => {
  /** Several times the usual time, and a fraction of the time with all lines found again for each edit. */
  const cases: [what: string, mostMs: number, text: string, edits: Edit[]][] = [
    [
      'two lines each, of a file with other endings',
      1500,
      rows.join('\r\n'),
      every(200, (at) => ({ kind: 'literal', find: `${row(at)}\n${row(at + 1)}`, replace: 'x\ny' })),
    ],
    [
      'a pattern each',
      2000,
      rows.join('\n'),
      every(200, (at) => {
        const find = regexSearch(`value${at} = (\\w+)`)
        return { kind: 'regex', find, replace: '$1', count: 'only', tokens: 'ecmascript' }
      }),
    ],
    [
      'a line each, by number',
      1200,
      rows.join('\n').repeat(6),
      every(100, (at) => ({ kind: 'lines', first: at + 1, last: at + 1, lines: ['new', 'two'] })),
    ],
  ]
  it.each(cases)('%s', (_, mostMs, given, edits) => {
    const { result, ms } = timed(mostMs, () => applyEdits(given, edits, { rules: matchRules, lineNumbers: 'original' }))
    expect(result.ended).toBe('applied')
    expect(ms).toBeLessThan(mostMs)
  })
})

function every(count: number, make: (at: number) => Edit): Edit[] {
  return Array.from({ length: count }, (_, index) => make(Math.floor((index * rows.length) / count)))
}

test('other calls are answered while many edits are made', async () => {
  const workspace = createWorkspace({ fs: memory({ 'large.txt': `${rows.join('\n')}\n`, 'small.txt': 'hello\n' }) })
  const edits = rows.slice(0, 4000).map((_, at) => ({ old_string: `value${at} =`, new_string: `changed${at} =` }))
  let isDone = false
  const editing = callTool(workspace, polyfs, 'edit_file', { path: 'large.txt', edits }).finally(() => {
    isDone = true
  })
  let answered = 0
  while (!isDone) {
    const read = await callTool(workspace, polyfs, 'read_file', { path: 'small.txt' })
    expect(read.isError ?? false).toBe(false)
    await new Promise((resolve) => setTimeout(resolve, 0))
    if (!isDone) answered += 1
  }
  expect((await editing).facts).toMatchObject({ places: 4000, added: 4000, removed: 4000 })
  expect(answered).toBeGreaterThan(3)
})
