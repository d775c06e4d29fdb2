import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editBuffer } from '../../../src/text/edit/edit-buffer.js'
import { occurrencesAnyEnding } from '../../../src/text/edit/match/literal.js'
import { type LineCounting, type LineTable, lineTable } from '../../../src/text/lines/lines.js'

const countings: LineCounting[] = (['any', 'line-feed', 'bare-line-feed'] as const).flatMap((breaks) => [
  { breaks },
  { breaks, finalEmptyLine: true },
])

const text = fc.array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', '')).map((parts) => parts.join(''))

test('lines are the same after any changes as in the text that they leave', () => {
  // Places are in thousandths of the remaining text.
  const change = fc.record({ skip: fc.nat(999), length: fc.nat(999), replacement: text })
  const changes = fc.array(change, { maxLength: 40 })
  fc.assert(
    fc.property(text, fc.array(changes, { maxLength: 6 }), (given, rounds) => {
      const buffer = editBuffer(given)
      for (const counting of countings) buffer.linesOf(counting)
      let expected = given
      for (const round of rounds) {
        const spans = placed(expected, round)
        buffer.replace(spans)
        for (const { start, end, replacement } of [...spans].reverse()) {
          expected = expected.slice(0, start) + replacement + expected.slice(end)
        }
        expect(buffer.text).toBe(expected)
        for (const counting of countings) {
          const [actual, anew] = [buffer.linesOf(counting), lineTable(expected, counting)]
          expect({ counting, lines: listed(actual, expected) }).toEqual({ counting, lines: listed(anew, expected) })
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('a text is found in one with other line endings where it is found once both have the same', () => {
  fc.assert(
    fc.property(text, text, (given, find) => {
      const wanted = find.replace(/\r\n?/g, '\n')
      const found = occurrencesAnyEnding(given, find).map(({ start, end }) => ({
        start: given.slice(0, start).replace(/\r\n?/g, '\n').length,
        raw: given.slice(start, end).replace(/\r\n?/g, '\n'),
        isWhole:
          !(given[start - 1] === '\r' && given[start] === '\n') && !(given[end - 1] === '\r' && given[end] === '\n'),
      }))
      const folded = given.replace(/\r\n?/g, '\n')
      const expected = []
      for (let at = folded.indexOf(wanted); wanted !== '' && at >= 0; at = folded.indexOf(wanted, at + wanted.length)) {
        expected.push({ start: at, raw: wanted, isWhole: true })
      }
      expect(found).toEqual(expected)
    }),
    { numRuns: 1000 },
  )
})

function placed(content: string, round: readonly { skip: number; length: number; replacement: string }[]) {
  let at = 0
  return round.map(({ skip, length, replacement }) => {
    const start = at + Math.floor(((content.length - at) * skip) / 4000)
    const end = start + Math.floor(((content.length - start) * length) / 4000)
    at = end
    return { start, end, replacement }
  })
}

function listed(table: LineTable, content: string) {
  return {
    count: table.count,
    lines: Array.from({ length: table.count + 2 }, (_, line) => [
      table.start(line),
      table.contentEnd(line),
      table.end(line),
    ]),
    at: Array.from({ length: content.length + 1 }, (_, offset) => table.lineAt(offset)),
  }
}
