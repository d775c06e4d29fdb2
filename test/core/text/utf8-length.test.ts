import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutBytes, utf8Length } from '../../../src/text/lines/lines.js'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom('a', 'é', '€', '😀', '\ud83d', '\ude00', '\u07ff', '\u0800')).map((parts) => parts.join('')),
)

test('the length is that of the encoded text, for any content', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(utf8Length(given)).toBe(new TextEncoder().encode(given).length)
    }),
  )
})

test('a long text is counted across pieces, and no pair is counted apart', () => {
  for (const given of ['a'.repeat(50_000), `a${'😀'.repeat(20_000)}`, `${'é'.repeat(8191)}€${'\ud83d'.repeat(9000)}`])
    expect(utf8Length(given)).toBe(new TextEncoder().encode(given).length)
})

test('pairs and halves of pairs around the end of a piece are counted as the encoder does', () => {
  // A piece is a third of 16 kB.
  for (let before = 5455; before < 5467; before += 1) {
    for (const rest of ['😀', '😀😀', '\ud83d', '\ude00\ud83d', 'é', '€'.repeat(6000)]) {
      const given = 'x'.repeat(before) + rest
      expect([before, rest, utf8Length(given)]).toEqual([before, rest, new TextEncoder().encode(given).length])
    }
  }
})

test('truncation keeps whole characters, and as many as fit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (given, maxBytes) => {
      const cut = cutBytes(given, maxBytes)
      expect(given.startsWith(cut)).toBe(true)
      expect(utf8Length(cut)).toBeLessThanOrEqual(maxBytes)
      if (utf8Length(given) <= maxBytes) expect(cut).toBe(given)
    }),
  )
})
