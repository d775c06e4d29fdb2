import { randomBytes } from 'node:crypto'
import { inflateRawSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { deflateSmall, deflatesSmall } from '../../../src/text/deflate-small.js'

test('small content is compressed in both formats, and takes no more memory than its bytes', () => {
  for (const content of [Buffer.alloc(0), Buffer.from('a'), Buffer.alloc(16_384, 'abc'), randomBytes(16_384)]) {
    for (const [format, inflate] of [['zlib', inflateSync] as const, ['raw', inflateRawSync] as const]) {
      const small = deflateSmall(content, format)
      expect(inflate(small ?? new Uint8Array()).equals(content)).toBe(true)
      expect(small?.buffer.byteLength).toBe(small?.length)
    }
  }
})

test('larger content is left to a stream', () => {
  expect(deflatesSmall(16_384)).toBe(true)
  expect(deflatesSmall(16_385)).toBe(false)
  expect(deflateSmall(new Uint8Array(16_385), 'raw')).toBe(undefined)
})
