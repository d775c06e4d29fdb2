/** A text and two versions of it, with all kinds of line endings, repeated lines, and bytes that are not text. */
import fc from 'fast-check'

type Versions = [base: Uint8Array, ours: Uint8Array, theirs: Uint8Array]

/** Few, so that lines repeat. Some have bytes that are not UTF-8. */
const content = fc.constantFrom('a', 'b', 'c', '  d', '', 'ä', '}', 'word\xe4', '\xff', 'x\ry')
const ending = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r\r\n')
const line = fc.tuple(content, ending).map((parts) => parts.join(''))

/** Some lines from a place on are replaced by others. */
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.nat(2),
  add: fc.array(line, { maxLength: 2 }),
})
const edits = fc.array(edit, { maxLength: 3 })

export const versions: fc.Arbitrary<Versions> = fc
  .record({
    lines: fc.array(line, { maxLength: 16 }),
    edits: fc.tuple(edits, edits),
    cut: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    mark: fc.boolean(),
  })
  .map(({ lines, edits: [one, other], cut, mark }) => {
    const all = [lines, edited(lines, one), edited(lines, other)].map((version, index) => {
      const text = version.join('')
      const whole = cut[index] && cut[0] ? text.replace(/\n$/, '') : text
      return Uint8Array.from(Buffer.from(mark ? `\xef\xbb\xbf${whole}` : whole, 'latin1'))
    })
    return all as Versions
  })

function edited(lines: readonly string[], changes: readonly { at: number; drop: number; add: string[] }[]): string[] {
  const result = [...lines]
  for (const { at, drop, add } of changes) result.splice(Math.floor(at * (result.length + 1)), drop, ...add)
  return result
}
