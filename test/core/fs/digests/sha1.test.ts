import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSha1, portableSha1, sha1 } from '../../../../src/fs/digests/sha1.js'

function expected(content: Uint8Array): string {
  return createHash('sha1').update(content).digest('hex')
}

/** Bytes that differ with the size. */
function content(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31 + size * 7) & 0xff)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

const sizes = [...Array.from({ length: 200 }, (_, size) => size), 1000, 4096, 65_537]

test.each(Object.entries({ createSha1, portableSha1 }))('%s is that of OpenSSL, in pieces of any size', (_, create) => {
  for (const bytes of sizes.map(content)) {
    for (const step of [1, 63, 64, 65, 100_000]) {
      const { update, digest } = create()
      for (let at = 0; at < bytes.length; at += step) update(bytes.subarray(at, at + step))
      expect(hex(digest())).toBe(expected(bytes))
    }
  }
})

test('pieces are hashed together, whatever their size', async () => {
  for (const size of [0, 100, 16_384, 1_048_576, 1_048_577]) {
    const bytes = content(size)
    expect(hex(await sha1(bytes))).toBe(expected(bytes))
    expect(hex(await sha1(bytes.subarray(0, 10), bytes.subarray(10, 70), bytes.subarray(70)))).toBe(expected(bytes))
  }
  expect(hex(await sha1())).toBe(expected(new Uint8Array()))
})
