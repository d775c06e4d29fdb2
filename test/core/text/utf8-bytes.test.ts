import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8Bytes } from '../../../src/text/utf8-bytes.js'
import { scaled } from '../../scale.js'

test('long and short texts are encoded as the platform encodes them', () => {
  const part = fc.tuple(fc.constantFrom('a', 'é', '→', '😀', '\u0000', 'plain text '), fc.nat(5000))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.constantFrom(0, 65_535, 65_536, 70_000), (parts, length) => {
      const text = 'x'.repeat(length) + parts.map(([characters, times]) => characters.repeat(times)).join('')
      expect(Buffer.compare(utf8Bytes(text), Buffer.from(text))).toBe(0)
    }),
    { numRuns: scaled(300) },
  )
})
