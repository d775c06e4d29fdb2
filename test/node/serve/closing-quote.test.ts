import fc from 'fast-check'
import { expect, test } from 'vitest'
import { closingQuote } from '../../../node/serve/closing-quote.js'
import { closingQuote as portable } from '../../../src/text/json-scanner.js'
import { scaled } from '../../scale.js'

/** One character after the other. */
function model(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] === 0x22) return at
    if (bytes[at] === 0x5c) at += 1
  }
  return -1
}

/** Text without a quote of its own; its parts lie across the ends of vectors and of what is looked at together. */
const part = fc.oneof(
  fc.nat(90).map((length) => 'x'.repeat(length)),
  fc.nat(1100).map((length) => 'é'.repeat(length)),
  fc.nat(40).map((length) => '\\"'.repeat(length)),
  fc.nat(700).map((length) => '\\\\'.repeat(length)),
  fc.constantFrom('\\n', '\\u0022', '\\\\\\"'),
)

const cases = fc.record({
  before: fc.constantFrom('', '"', '\\', '\\"', '{"a":"'),
  inside: fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
  after: fc.constantFrom('', '"', '","b":"\\""', '\\', '\\\\'),
})

test('the end of a long string is found with vectors and without', () => {
  fc.assert(
    fc.property(cases, ({ before, inside, after }) => {
      const bytes = Buffer.from(before + inside + after)
      const from = before.length
      const expected = model(bytes, from)
      expect([closingQuote(bytes, from), portable(bytes, from)]).toEqual([expected, expected])
    }),
    { numRuns: scaled(1000) },
  )
})
