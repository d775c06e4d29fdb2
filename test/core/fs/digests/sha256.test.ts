import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { portableSha256, sha256, sha256InPieces, sha256Soon } from '../../../../src/fs/digests/sha256.js'

function expected(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Bytes that differ with the size. */
function content(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31 + size * 7) & 0xff)
}

const sizes = [...Array.from({ length: 200 }, (_, size) => size), 1000, 4096, 65_537]

test('our own hash of every length around a block is that of OpenSSL', () => {
  for (const size of sizes) expect(portableSha256(content(size))).toBe(expected(content(size)))
})

test('so is that of content in pieces of any size', () => {
  for (const bytes of sizes.map(content)) {
    for (const step of [1, 63, 64, 65, 1000]) {
      const running = sha256InPieces()
      for (let at = 0; at < bytes.length; at += step) running.add(bytes.subarray(at, at + step))
      expect(running.end()).toBe(expected(bytes))
    }
  }
})

test('texts are hashed as UTF-8, halves of pairs as the replacement character', () => {
  for (const text of ['', 'plain', 'Grüße 🙂', 'half \ud83d', '\udc00 half']) {
    expect(sha256(text)).toBe(expected(new TextEncoder().encode(text)))
    expect(portableSha256(new TextEncoder().encode(text))).toBe(expected(new TextEncoder().encode(text)))
  }
})

test('Node has a hash of its own, so that a megabyte is hashed at once', () => {
  expect(sha256Soon(content(1_000_000))).toBe(expected(content(1_000_000)))
})
