import { expect, test } from 'vitest'
import { countBreaks, countLineFeeds } from '../../../src/text/lines/count-line-breaks.js'
import { randomFrom } from '../search/generated-trees.js'

const [feed, back] = [0x0a, 0x0d]

function oneByOne(bytes: Uint8Array) {
  return { lineFeeds: bytes.filter((byte) => byte === feed).length, hasReturns: bytes.includes(back) }
}

test('bytes anywhere in a buffer are counted as one by one', () => {
  const random = randomFrom(1)
  // Those that differ from a line end in one bit, too.
  const likely = [feed, feed, feed, 0x8a, 0x0b, 0x1a, 0x4a, 0x8d, 0x00, 0xff]
  for (let round = 0; round < 50; round += 1) {
    const usesReturns = random(2) === 0
    const all = Uint8Array.from({ length: 64 }, () => (usesReturns && random(9) === 0 ? back : likely[random(10)]!))
    for (let start = 0; start < 8; start += 1) {
      for (let length = 0; length + start <= 40; length += 1) {
        const bytes = all.subarray(start, start + length)
        expect(countBreaks(bytes)).toEqual(oneByOne(bytes))
        expect(countLineFeeds(all, start, start + length)).toBe(oneByOne(bytes).lineFeeds)
      }
    }
  }
})

test.each([0, 1, 2, 3])('many lines in a row, from offset %i', (start) => {
  const bytes = new Uint8Array(10_000).fill(feed).subarray(start)
  expect(countBreaks(bytes)).toEqual({ lineFeeds: 10_000 - start, hasReturns: false })
})
