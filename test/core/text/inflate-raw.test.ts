import { constants, deflateRawSync, gzipSync, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gunzipMembers } from '../../../bash/programs/archives/gunzip-members.js'
import { inflateRaw } from '../../../src/text/inflate-raw.js'
import { seededRandom } from '../../../src/text/seeded-random.js'
import { trackedFiles } from '../../repository-files.js'
import { scaled } from '../../scale.js'
import { generatedDeflate } from './generated-deflate.js'

/** Text with repetitions, noise, and bytes of which some are so rare that their codes are long. */
function content(seed: number, size: number): Buffer {
  let state = seed + 1
  const next = () => {
    state = (state * 16_807) % 2_147_483_647
    return state
  }
  const words = Array.from({ length: 20 }, () => next().toString(36))
  if (seed % 3 === 0) return Buffer.from(Uint8Array.from({ length: size }, () => next() & 0xff))
  if (seed % 5 === 0)
    return Buffer.from(Uint8Array.from({ length: size }, () => Math.clz32(next() & next() & 0xffff) + (next() % 3)))
  let text = ''
  while (text.length < size) text += `${words[next() % words.length]} `
  return Buffer.from(text.slice(0, size))
}

function gunzip(bytes: Uint8Array): Buffer | undefined {
  const members = gunzipMembers(bytes, { account() {}, step() {} })
  const pieces: Uint8Array[] = []
  let next = members.next()
  for (; !next.done; next = members.next()) pieces.push(next.value)
  return next.value ? Buffer.concat(pieces) : undefined
}

test('what zlib deflates is inflated, and the end is found', () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const plain = content(seed, (seed * 977) % 70_000)
    const packed = deflateRawSync(plain, { level: seed % 10, strategy: seed % 5 })
    const around = Buffer.concat([Buffer.from('ab'), packed, Buffer.from('after')])
    const found = inflateRaw(around, 2, plain.length)
    expect(found).toMatchObject({ ends: true, end: 2 + packed.length })
    expect(Buffer.compare(found?.content ?? new Uint8Array(1), plain)).toBe(0)
    for (const cut of [1, 2, 9, 40]) {
      if (cut < packed.length) expect(inflateRaw(packed.subarray(0, -cut), 0, plain.length + 1)).toBe(undefined)
    }
    if (plain.length > 0) expect(inflateRaw(around, 2, plain.length - 1)?.ends).toBe(false)
  }
})

interface Verdict {
  content: Uint8Array
  end: number
}

function byZlib(bytes: Buffer): Verdict | undefined {
  try {
    const result: unknown = inflateRawSync(bytes, { info: true })
    const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } }
    return { content: buffer, end: engine.bytesWritten }
  } catch {
    return undefined
  }
}

/** Not with `toEqual`, which takes long for many bytes. */
function isSame(one: Verdict | undefined, other: Verdict | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.end === other.end && Buffer.compare(one.content, other.content) === 0
}

test('every file of this repository is inflated as by zlib', () => {
  const wrong: string[] = []
  let count = 0
  for (const { path, bytes } of trackedFiles({ maxBytes: 1024 * 1024 })) {
    for (const level of [1, 6, 9]) {
      const packed = deflateRawSync(bytes, { level })
      const found = inflateRaw(packed, 0, bytes.length)
      const isRight = found?.ends && found.end === packed.length && bytes.equals(found.content)
      if (!isRight) wrong.push(`${path}, level ${level}`)
      count += 1
    }
  }
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(3000)
})

test('codes of 15 bits, made by zlib from bytes as frequent as the numbers of Fibonacci', () => {
  const counts = [1, 1]
  while (counts.length < 22) counts.push((counts.at(-1) as number) + (counts.at(-2) as number))
  const random = seededRandom(1)
  const bytes = counts.flatMap((count, byte) => Array.from({ length: count }, () => ({ byte, at: random() })))
  const plain = Buffer.from(bytes.sort((a, b) => a.at - b.at).map(({ byte }) => byte))
  for (const strategy of [constants.Z_HUFFMAN_ONLY, constants.Z_DEFAULT_STRATEGY, constants.Z_RLE]) {
    const packed = deflateRawSync(plain, { strategy, memLevel: 9 })
    expect(isSame(inflateRaw(packed, 0, plain.length), { content: plain, end: packed.length })).toBe(true)
  }
})

test('generated streams: every code, length and distance, bytes behind, cut off and damaged, give what zlib gives', () => {
  const size = 1 << 18
  for (let seed = 0; seed < scaled(600); seed += 1) {
    const random = seededRandom(seed)
    const below = (count: number) => Math.floor(random() * count)
    const stream = generatedDeflate(seed)
    const plain = byZlib(stream) as Verdict
    expect(plain).toMatchObject({ end: stream.length })
    for (let round = 0; round < 30; round += 1) {
      const around = Buffer.concat([stream, Buffer.from('behind').subarray(0, below(7))])
      if (round % 3 === 1) around[below(around.length)] = below(256)
      const given = round % 3 === 2 ? around.subarray(0, below(around.length)) : around
      const [zlib, ours] = [byZlib(given), inflateRaw(given, 0, size)]
      const isRight = ours?.ends === false ? (zlib?.content.length ?? Infinity) > size : isSame(ours, zlib)
      expect(isRight && (round % 3 !== 0 || isSame(ours, plain)), `seed ${seed}, round ${round}`).toBe(true)
    }
    const { length } = plain.content
    expect(isSame(inflateRaw(stream, 0, length), plain)).toBe(true)
    if (length === 0) continue
    const part = below(length)
    const start = inflateRaw(stream, 0, part)
    expect(start?.ends).toBe(false)
    expect(Buffer.compare(start?.content ?? stream, plain.content.subarray(0, part))).toBe(0)
  }
})

test('several members, names in headers and zeros at the end', () => {
  const [one, two] = [content(1, 5000), content(2, 300_000)]
  const named = Buffer.from(gzipSync(one))
  named[3] = 8
  const withName = Buffer.concat([named.subarray(0, 10), Buffer.from('name.txt\0'), named.subarray(10)])
  expect(gunzip(Buffer.concat([gzipSync(one), gzipSync(two)]))?.equals(Buffer.concat([one, two]))).toBe(true)
  expect(gunzip(Buffer.concat([withName, Buffer.alloc(512)]))?.equals(one)).toBe(true)
  expect(gunzip(gzipSync(Buffer.alloc(20_000_000)))?.length).toBe(20_000_000)
})

// Long content is decoded by tables.
test.each([3000, 9000])('damage of every kind is found in %i bytes, and nothing hangs', (size) => {
  const packed = gzipSync(content(4, size))
  expect(gunzip(new Uint8Array())).toBe(undefined)
  for (let cut = 0; cut < packed.length; cut += 7) expect(gunzip(packed.subarray(0, cut))).toBe(undefined)
  for (let at = 10; at < packed.length; at += 1) {
    const bad = Buffer.from(packed)
    bad[at] = (bad[at] as number) ^ (1 << (at & 7))
    expect(gunzip(bad)).toBe(undefined)
  }
  expect(gunzip(Buffer.concat([packed, Buffer.from('junk')]))).toBe(undefined)
})
