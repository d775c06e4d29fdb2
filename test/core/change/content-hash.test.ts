import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { contentHash } from '../../../src/change/content-hash.js'

test('the hash is SHA-256 for content of any length', async () => {
  const all = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 7919) >> 5)
  const lengths = [...Array.from({ length: 200 }, (_, length) => length), 4096, 16_383, 16_384, 16_385, 70_000]
  for (const length of lengths) {
    // At an odd place of its buffer too.
    const bytes = all.subarray(length % 3, Math.min(all.length, (length % 3) + length))
    expect(await contentHash(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'))
  }
})
