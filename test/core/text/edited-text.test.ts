/** A text in pieces against a plain string: any changes, any searches, the same text and places. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { regexSearch } from '../../../src/search/patterns/regex-search.js'
import { compactCounts, compactHunks } from '../../../src/text/diff/compact-diff.js'
import { editBuffer } from '../../../src/text/edit/edit-buffer.js'
import { changesOf } from '../../../src/text/edit/edit-plan.js'
import type { Edit } from '../../../src/text/edit/edit-types.js'
import { type EditedText, plainText, textInPieces } from '../../../src/text/edit/edited-text.js'
import { matchRules } from '../../../src/text/edit/match/rules.js'
import { replaceSpans } from '../../../src/text/spans.js'
import { scaled } from '../../scale.js'

/** Few letters, so that needles overlap and occur often. */
const letters = fc.constantFrom('a', 'b', 'ab', 'aab', '\n', '\r\n', '\r', 'ä', '😀')
const someText = (maxLength: number) => fc.array(letters, { maxLength }).map((parts) => parts.join(''))

const text = someText(300)
const needle = fc.oneof(
  someText(4),
  fc.array(fc.constantFrom('a', 'b'), { minLength: 8, maxLength: 14 }).map((parts) => parts.join('')),
)
const change = fc.record({ skip: fc.nat(999), length: fc.nat(999), replacement: someText(12) })

/** Lines of which many are the same, and changes of some of them. */
const manyLines = fc
  .tuple(fc.array(fc.constantFrom('', 'a', 'b', '  }'), { maxLength: 150 }), fc.constantFrom('', '\n'))
  .map(([lines, end]) => lines.join('\n') + end)
const smallChange = fc.record({ skip: fc.nat(999), length: fc.nat(60), replacement: someText(6) })

function inPieces(given: string, needles: readonly string[], pieceUnits: number): EditedText {
  const steps = textInPieces(given, needles, { pieceUnits })
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Spans in thousandths of a quarter of the remaining text. */
function placed(length: number, changes: readonly { skip: number; length: number; replacement: string }[]) {
  let at = 0
  return changes.map(({ skip, length: wanted, replacement }) => {
    const start = at + Math.floor(((length - at) * skip) / 4000)
    const end = start + Math.floor(((length - start) * wanted) / 4000)
    at = end
    return { start, end, replacement }
  })
}

test('a text in pieces is the same as a plain one, after any changes', () => {
  let found = 0
  fc.assert(
    fc.property(
      text,
      fc.array(fc.oneof(needle, fc.tuple(fc.nat(999), fc.nat(20))), { minLength: 1, maxLength: 5 }),
      fc.array(fc.array(change, { maxLength: 5 }), { maxLength: 5 }),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      (given, wanted, rounds, pieceUnits, isLong) => {
        // Where all needles are long, not every place is looked up.
        const needles = wanted
          .map((one) => (typeof one === 'string' ? one : partOf(given, ...one)))
          .filter(({ length }) => length >= (isLong ? 11 : 1))
        const [plain, pieces] = [plainText(given), inPieces(given, needles, pieceUnits)]
        for (const round of [[], ...rounds]) {
          const changes = placed(plain.length, round)
          plain.replace(changes)
          pieces.replace(changes)
          // Before the whole text is asked for, which joins the pieces.
          for (const one of [...needles, 'ab', 'aabaabaab']) {
            for (const step of [1, one.length]) {
              const starts = [...plain.startsOf(one, step)]
              found += starts.length
              expect([...pieces.startsOf(one, step)]).toEqual(starts)
            }
          }
          for (let at = -2; at < plain.length + 2; at += 7) {
            expect(pieces.slice(at, at + 9)).toBe(plain.slice(at, at + 9))
          }
          expect({ text: pieces.text, length: pieces.length }).toEqual({ text: plain.text, length: plain.length })
          if (plain.hasReturns) expect(pieces.hasReturns).toBe(true)
        }
      },
    ),
    { numRuns: scaled(1600) },
  )
  expect(found).toBeGreaterThan(scaled(1600))
})

function partOf(given: string, place: number, length: number): string {
  const start = Math.floor((given.length * place) / 1000)
  return given.slice(start, start + length)
}

test('a piece that grows is divided again', () => {
  const [plain, pieces] = [plainText('0123456789'.repeat(20)), inPieces('0123456789'.repeat(20), ['ab456789x'], 10)]
  const changes = [{ start: 55, end: 55, replacement: 'ab456789x'.repeat(100) }]
  plain.replace(changes)
  pieces.replace(changes)
  expect(pieces.text).toBe(plain.text)
  expect([...pieces.startsOf('ab456789x', 9)]).toEqual([...plain.startsOf('ab456789x', 9)])
})

const patterns = [
  'ab',
  'a+ab',
  '^ab|baa',
  '(a)(b)?$',
  'a.b',
  '\\bab',
  'b[^a]',
  'aab\\s',
  '(?<=a)ab',
  'ab(?!a)',
  '[äb]aab',
]

test('edits find the same in a text in pieces, patterns too', () => {
  const literal = fc.record({
    kind: fc.constant('literal' as const),
    find: needle,
    replace: someText(3),
    count: fc.constantFrom('all' as const, 'only' as const),
  })
  const regex = fc.constantFrom(...patterns).map((pattern) => {
    return {
      kind: 'regex' as const,
      find: regexSearch(pattern),
      replace: '[$&]',
      count: 'all' as const,
      tokens: 'ecmascript' as const,
    }
  })
  fc.assert(
    fc.property(
      text,
      fc.array(fc.oneof(literal, regex), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 40 }),
      (given, edits: Edit[], pieceUnits) => {
        const needles = edits.flatMap((edit) =>
          edit.kind === 'literal' ? [edit.find] : edit.kind === 'regex' ? (edit.find.inLines ?? []) : [],
        )
        const [plain, pieces] = [editBuffer(given), editBuffer(inPieces(given, needles, pieceUnits))]
        for (const edit of edits) {
          const [expected, actual] = [plain, pieces].map((buffer) => changesOf(buffer, edit, { rules: matchRules }))
          expect(actual).toEqual(expected)
          if (expected === undefined || 'code' in expected) continue
          plain.replace(expected.changes)
          pieces.replace(expected.changes)
        }
      },
    ),
    { numRuns: scaled(2000) },
  )
})

test('a pattern that is matched in the lines of its needles finds what it finds in the whole text', () => {
  let inLines = 0
  fc.assert(
    fc.property(text, fc.constantFrom(...patterns), (given, pattern) => {
      const find = regexSearch(pattern)
      const whole = (searched: string) => find(searched)
      const changes = [find, whole].map((search) => {
        return changesOf(
          editBuffer(given),
          { kind: 'regex', find: search, replace: '$&!', count: 'all', tokens: 'ecmascript' },
          {},
        )
      })
      if (find.inLines !== undefined) inLines += 1
      expect(changes[0]).toEqual(changes[1])
    }),
    { numRuns: scaled(2000) },
  )
  expect(inLines).toBeGreaterThan(scaled(500))
})

test('a diff of known changes leads from one text to the other, with the same context as one of the whole texts', () => {
  let same = 0
  fc.assert(
    fc.property(
      manyLines,
      fc.array(smallChange, { minLength: 1, maxLength: 8 }),
      fc.nat(3),
      (before, changes, context) => {
        const changed = placed(before.length, changes).map(({ replacement, ...span }) => ({
          ...span,
          text: replacement,
        }))
        const after = replaceSpans(before, changed)
        const options = { context, longest: Infinity }
        const { text: hunks, ...counts } = compactHunks(before, after, { ...options, changed })
        expect(applied(before, hunks, context)).toBe(after)
        expect(compactCounts(before, after, { context, changed })).toEqual(counted(hunks))
        expect(counts).toEqual({ ...counted(hunks), isCut: false })
        const most = changed.reduce((sum, { start, end }) => sum + before.slice(start, end).split('\n').length + 1, 0)
        expect(counts.removed).toBeLessThanOrEqual(most)
        if (hunks === compactHunks(before, after, options).text) same += 1
      },
    ),
    { numRuns: scaled(2000) },
  )
  expect(same).toBeGreaterThan(scaled(500))
})

function counted(hunks: string) {
  const rows = hunks.split('\n')
  return {
    added: rows.filter((row) => row.startsWith('+')).length,
    removed: rows.filter((row) => row.startsWith('-')).length,
  }
}

/** Applies hunks exactly where they say, and insists on all the context that there is, and on hunks that are apart. */
function applied(before: string, hunks: string, context: number): string {
  const old = linesIn(before)
  const now: string[] = []
  let at = 0
  for (const hunk of hunks.split(/^(?=@@)/m).filter((part) => part !== '')) {
    const [header = '', ...rows] = hunkRows(hunk)
    const [oldFrom = 0, oldCount = 1, newFrom = 0, newCount = 1] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$/
      .exec(header)!
      .slice(1)
      .map((number) => (number === undefined ? undefined : Number(number)))
    const start = oldCount === 0 ? oldFrom : oldFrom - 1
    const [removed, added] = ['-', '+'].map((sign) =>
      rows.filter((row) => row[0] === sign || row[0] === ' ').map((row) => row.slice(1)),
    ) as [string[], string[]]
    expect([removed.length, added.length]).toEqual([oldCount, newCount])
    expect(old.slice(start, start + oldCount)).toEqual(removed)
    expect(start === at && at > 0).toBe(false)
    now.push(...old.slice(at, start))
    expect(now.length).toBe(newCount === 0 ? newFrom : newFrom - 1)
    now.push(...added)
    at = start + oldCount
    const changes = rows.flatMap((row, index) => (row[0] === ' ' ? [] : [index]))
    expect(changes[0]).toBe(Math.min(context, start + changes[0]!))
    const below = rows.length - 1 - changes.at(-1)!
    expect(below).toBe(Math.min(context, old.length - at + below))
  }
  return [...now, ...old.slice(at)].join('')
}

/** A row that is followed by the mark has no line ending. */
function hunkRows(hunk: string): string[] {
  const rows = linesIn(hunk)
  return rows.flatMap((row, at) => {
    if (row.startsWith('\\')) return []
    return rows[at + 1]?.startsWith('\\') ? [row.slice(0, -1)] : [row]
  })
}

function linesIn(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== '')
}
