import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { gather } from '../../../src/fs/pieces.js'
import { storedDeflate, storedGzip, storedZlib } from '../../../src/text/stored-deflate.js'

function bytesOf(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 7919 + (at >> 8)) & 0xff)
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const sizes = [0, 1, 2, 5551, 5552, 5553, 65_534, 65_535, 65_536, 131_070, 131_071, 400_000]

describe.each([
  ['deflate', storedDeflate, inflateRawSync],
  ['zlib', storedZlib, inflateSync],
  ['gzip', storedGzip, gunzipSync],
] as const)('%s', (_name, store, restore) => {
  test.each(sizes)('of %i bytes is read by zlib, checksum included', async (size) => {
    const bytes = bytesOf(size)
    const whole = await gather(() => store(inPieces(bytes, Math.max(1, size))))
    expect(Buffer.compare(restore(whole), bytes)).toBe(0)
  })

  test.each([1, 1000, 65_535, 100_000])('does not depend on the pieces: %i bytes each', async (pieceSize) => {
    const bytes = bytesOf(140_000)
    const whole = await gather(() => store(inPieces(bytes, bytes.length)))
    const pieced = await gather(() => store(inPieces(bytes, pieceSize)))
    expect(Buffer.compare(pieced, whole)).toBe(0)
  })
})
