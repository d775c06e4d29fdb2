/** Counting four bytes at a time gives what counting one by one does. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainCounter } from '../../bash/programs/text/streams/plain-words.js'

const isSpace = (byte: number) => byte === 32 || (byte >= 9 && byte <= 13)
const isPlain = (byte: number) => isSpace(byte) || (byte > 32 && byte < 127)

function oneByOne(bytes: Uint8Array, isIn: boolean) {
  let words = 0
  let isInWord = isIn
  for (const byte of bytes) {
    if (isInWord && isSpace(byte)) words += 1
    isInWord = !isSpace(byte)
  }
  return { words, lines: bytes.filter((byte) => byte === 10).length, isInWord }
}

const byte = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...new TextEncoder().encode('ab~!z \n\t\r\v\f')) },
  { weight: 1, arbitrary: fc.nat({ max: 255 }) },
)

test('words and lines of plain text, wherever it lies in memory', () => {
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 3000 }), fc.nat({ max: 7 }), fc.boolean(), (given, offset, isInWord) => {
      const bytes = new Uint8Array(given.length + offset).fill(0x80)
      bytes.set(given, offset)
      const text = bytes.subarray(offset)
      const count = plainCounter(text)
      for (let from = 0; from < Math.min(text.length, 20); from += 1) {
        const counts = count(from, isInWord)
        if (counts === undefined) continue
        const { until, ...rest } = counts
        expect(rest).toEqual(
          until === from ? { words: 0, lines: 0, isInWord } : oneByOne(text.subarray(from, until), isInWord),
        )
        const next = text.findIndex((one, at) => at >= from && !isPlain(one))
        const end = next < 0 ? text.length : next
        expect(until).toBeLessThanOrEqual(end)
        expect(until).toBeGreaterThan(end - 4)
      }
    }),
    { numRuns: 500 },
  )
})

test('every pair of bytes', () => {
  for (let first = 0; first < 256; first += 1) {
    for (let second = 0; second < 256; second += 1) {
      const text = Uint8Array.of(first, second, 97, 10)
      const counts = plainCounter(text)(0, true)
      const plain = text.every(isPlain)
      expect(counts).toEqual(
        plain ? { ...oneByOne(text, true), until: 4 } : { words: 0, lines: 0, until: 0, isInWord: true },
      )
    }
  }
})
