import { deflateRawSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gunzipMembers } from '../../../src/shell/programs/archives/gunzip-members.js'
import { inflateRaw } from '../../../src/text/inflate-raw.js'

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
