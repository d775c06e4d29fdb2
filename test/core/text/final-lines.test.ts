import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEdits } from '../../../src/text/edit/edit.js'
import type { Edit } from '../../../src/text/edit/edit-types.js'
import { finalLines } from '../../../src/text/edit/final-lines.js'
import { scaled } from '../../scale.js'

/** Begins every replacement, and is nowhere else: so it shows where the places are at the end. */
const mark = '\ue000'

const word = fc.constantFrom('a', 'b', 'c', 'ab', '\n', '\n\n', '\r\n', ' ')
const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(''))
const replacement = fc
  .array(fc.constantFrom('x', 'y\n', '\n', 'z'), { maxLength: 3 })
  .map((parts) => mark + parts.join(''))
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant('literal' as const),
    find: fc.constantFrom('a', 'b', 'c', 'ab', 'a\n', '\n'),
    replace: replacement,
    count: fc.constant('all' as const),
    optional: fc.constant(true),
  }),
  fc.record({
    kind: fc.constant('insert' as const),
    before: fc.constantFrom(1, 'end' as const),
    lines: replacement.map((lines) => lines.split('\n')),
  }),
)

test('places of several edits are where their marks are at the end, in order', () => {
  fc.assert(
    fc.property(text, fc.array(edit, { minLength: 1, maxLength: 5 }), (before, edits) => {
      const outcome = applyEdits(before, edits)
      if (outcome.ended !== 'applied') throw new Error(JSON.stringify(outcome))
      const expected = outcome.text
        .split(/\r\n|\n|\r/)
        .flatMap((line, index) => Array(line.split(mark).length - 1).fill(index + 1))
      // A later edit may replace a line break right after a mark, not the mark itself: so none is lost.
      const lines = finalLines(outcome.edits, outcome.text)
      expect(lines.length).toBe(expected.length)
      const isAppended = outcome.edits.some(
        ({ rule }, index) => rule === 'lines' && 'before' in edits[index]! && edits[index].before === 'end',
      )
      if (!isAppended) expect(lines).toEqual(expected)
      expect(lines).toEqual([...lines].sort((a, b) => a - b))
      expect(finalLines(outcome.edits, outcome.text, 2)).toEqual(lines.slice(0, 2))
    }),
    { numRuns: scaled(4000) },
  )
})

test('a place inside what a later edit replaces is where that begins', () => {
  const edits: Edit[] = [
    { kind: 'literal', find: 'b', replace: 'B' },
    { kind: 'literal', find: 'a\nB\nc', replace: 'x\ny' },
  ]
  const outcome = applyEdits('0\na\nb\nc\n', edits)
  if (outcome.ended !== 'applied') throw new Error('refused')
  expect(finalLines(outcome.edits, outcome.text)).toEqual([2, 2])
})
