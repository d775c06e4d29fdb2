import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { checkPack } from '../../../src/git/objects/check-pack.js'
import { openStage } from './real-git.js'

const damaged = { facts: { reason: 'damaged-repository' } }
const tooLarge = { facts: { reason: 'too-large' } }

/** An object of a pack that says it has `size` bytes. */
function entry(type: number, content: Uint8Array, { size = content.length, base = Buffer.alloc(0) } = {}): Buffer {
  const head = [(type << 4) | (size % 16)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    head[head.length - 1] = (head.at(-1) as number) | 0x80
    head.push(rest % 128)
  }
  return Buffer.concat([Buffer.from(head), base, deflateSync(content)])
}

function pack(entries: readonly Buffer[], { count = entries.length } = {}): Buffer {
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0')
  head.writeUInt32BE(count, 8)
  const all = Buffer.concat([head, ...entries])
  return Buffer.concat([all, createHash('sha1').update(all).digest()])
}

/** A difference that says its result has `size` bytes. */
function delta(size: number): Uint8Array {
  const bytes = [1]
  for (let rest = size; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0))
    if (rest < 128) return Uint8Array.from(bytes)
  }
}

test('packs of git pass, with both kinds of differences', async () => {
  const stage = await openStage()
  try {
    const lines = Array.from(
      { length: 500 },
      (_, i) => `line ${i} ${createHash('sha1').update(String(i)).digest('hex')}`,
    )
    for (let i = 0; i < 8; i += 1) {
      stage.write('a.txt', lines.map((line, at) => (at === i * 7 ? `changed ${i}` : line)).join('\n'))
      stage.write('empty', '')
      stage.git('add', '.')
      stage.git('commit', '-qm', `commit ${i}`)
    }
    for (const option of ['--delta-base-offset', '--no-reuse-delta']) {
      const name = stage.git('pack-objects', '--all', '-q', option, 'made').trim()
      const bytes = fs.readFileSync(path.join(stage.directory, `made-${name}.pack`))
      await checkPack(bytes)
      for (const cut of [bytes.length - 1, bytes.length - 25, 400, 31, 12, 0])
        await expect(checkPack(bytes.subarray(0, cut)), `${cut}`).rejects.toMatchObject(damaged)
    }
  } finally {
    stage.close()
  }
})

test('what claims to be larger or smaller than it is, is refused', async () => {
  const text = Buffer.from('text')
  await checkPack(pack([entry(3, text)]))
  await expect(checkPack(pack([entry(3, text, { size: 3 })]))).rejects.toMatchObject(damaged)
  await expect(checkPack(pack([entry(3, text, { size: 5 })]))).rejects.toMatchObject(damaged)
  await expect(checkPack(pack([entry(3, new Uint8Array(50_000_000), { size: 10 })]))).rejects.toMatchObject(damaged)
  await expect(checkPack(pack([entry(3, text)], { count: 2 }))).rejects.toMatchObject(damaged)
  await expect(checkPack(pack([entry(3, text), entry(3, text)], { count: 1 }))).rejects.toMatchObject(damaged)
  for (const type of [0, 5]) await expect(checkPack(pack([entry(type, text)]))).rejects.toMatchObject(damaged)
})

test('objects that would not fit into memory are refused before they are unpacked', async () => {
  const limit = 128 * 1024 * 1024
  await expect(checkPack(pack([entry(3, Buffer.from('x'), { size: limit + 1 })]))).rejects.toMatchObject(tooLarge)
  await expect(checkPack(pack([entry(3, Buffer.from('x'), { size: 2 ** 48 })]))).rejects.toMatchObject(tooLarge)
  // A few bytes that say "copy this a million times".
  const bases = { 6: Buffer.from([0x81, 0x01]), 7: Buffer.alloc(20, 1) }
  for (const [type, base] of Object.entries(bases)) {
    await checkPack(pack([entry(Number(type), delta(1000), { base })]))
    await expect(checkPack(pack([entry(Number(type), delta(limit + 1), { base })]))).rejects.toMatchObject(tooLarge)
    await expect(checkPack(pack([entry(Number(type), Buffer.from([0x80]), { base })]))).rejects.toMatchObject(damaged)
  }
  // Each within the limit, and all together not.
  const many = Array.from({ length: 65 }, () => entry(7, delta(limit), { base: bases[7] }))
  await expect(checkPack(pack(many))).rejects.toMatchObject(tooLarge)
})

test('the check can be stopped', async () => {
  const many = Array.from({ length: 2000 }, (_, i) => entry(3, Buffer.alloc(20_000, i)))
  const stop = new Error('stopped')
  await expect(
    checkPack(pack(many), {
      check() {
        throw stop
      },
    }),
  ).rejects.toBe(stop)
})
