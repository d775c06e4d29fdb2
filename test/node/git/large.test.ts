import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Streamed } from '../../../src/change/streamed-content.js'
import { gather } from '../../../src/fs/pieces.js'
import { compressor } from '../../../src/git/objects/deflate.js'
import { objectInMemory, objectOfFile } from '../../../src/git/objects/new-object.js'
import { writePack } from '../../../src/git/objects/pack-writer.js'
import { gitAdd } from '../../../src/ops/git/add.js'
import { gitCheckout } from '../../../src/ops/git/checkout.js'
import { gitCommit } from '../../../src/ops/git/commit.js'
import { gitDiff } from '../../../src/ops/git/diff.js'
import { gitRestore } from '../../../src/ops/git/restore.js'
import { isFull, onlyInFull } from '../../scale.js'
import { openStage, type Stage } from './real-git.js'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
  stage.git('commit', '-q', '--allow-empty', '-m', 'first')
})
afterEach(() => stage.close())

const mebibyte = 1024 * 1024

/** Peak growth of buffer memory during a call. */
async function heldDuring(call: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().arrayBuffers
  let most = before
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers)
  }, 1)
  try {
    await call()
  } finally {
    clearInterval(watching)
  }
  return most - before
}

test('a file is staged, compared and put back without being held', async ({ skip }) => {
  if (!isFull) skip(onlyInFull)
  const file = path.join(stage.directory, 'large')
  const size = 96 * mebibyte
  fs.closeSync(fs.openSync(file, 'w'))
  fs.truncateSync(file, size)
  const held = [await heldDuring(() => stage.run(gitAdd, { all: true }))]
  await stage.run(gitCommit, { message: 'large' })
  expect(stage.git('status', '--porcelain')).toBe('')
  fs.appendFileSync(file, 'x')
  held.push(
    await heldDuring(async () => {
      expect(await stage.run(gitDiff, {})).toMatchObject([
        { path: 'large', binary: true, sizeBefore: size, sizeAfter: size + 1 },
      ])
    }),
    await heldDuring(() => stage.run(gitRestore, { paths: ['large'] })),
  )
  expect(stage.git('status', '--porcelain')).toBe('')
  expect(stage.git('fsck', '--strict')).toBe('')
  // A few chunks of a megabyte each, plus garbage.
  expect(Math.max(...held)).toBeLessThan(64 * mebibyte)
})

test('files of every size class match git’s own result', async () => {
  const sizes = [0, 1, mebibyte - 1, mebibyte, mebibyte + 1, 4 * mebibyte, 4 * mebibyte + 1]
  for (const [i, size] of sizes.entries()) stage.write(`one/${i}`, content(i, size))
  // More than fits in memory, in more files than stay loose; some are incompressible.
  for (let i = 0; i < 44; i += 1) {
    const size = mebibyte + i - 40
    stage.write(`many/${i}`, i % 8 === 0 ? randomBytes(size) : content(100 + i, size))
  }
  await stage.run(gitAdd, { all: true })
  await stage.run(gitCommit, { message: 'sizes' })
  expect(stage.git('status', '--porcelain')).toBe('')
  expect(stage.git('fsck', '--strict', '--full')).toBe('')
  const before = hashes()
  await stage.run(gitCheckout, { revision: 'HEAD~' })
  expect(hashes()).toEqual([])
  await stage.run(gitCheckout, { revision: 'main' })
  expect(hashes()).toEqual(before)
  expect(stage.git('status', '--porcelain')).toBe('')
})

test.each([false, true])('a pack that is not held in memory is the same (reproducible: %s)', async (isReproducible) => {
  const compress = compressor(isReproducible)
  const objects = Array.from({ length: 30 }, (_, i) =>
    objectInMemory(`${10 + i}`.repeat(20), 'blob', content(i, 5000 + i)),
  )
  const held = await writePack(objects, { compress })
  const streamed = await writePack(objects, { compress, maxBytes: 1000 })
  expect(streamed).toMatchObject({ name: held.name, index: held.index })
  const { pieces, size } = streamed.pack as Streamed
  const bytes = await gather(pieces)
  expect(size).toBe(bytes.length)
  expect(Buffer.compare(bytes, held.pack as Uint8Array)).toBe(0)
})

test('a file that changes while it is staged is not staged as something else', async () => {
  stage.write('a', 'new\n')
  const { oid } = { oid: stage.git('hash-object', 'a').trim() }
  const object = objectOfFile(oid, 4, stage.workspace.fs, path.join(stage.directory, 'a'))
  const read = async () => {
    let text = ''
    for await (const piece of object.pieces()) text += new TextDecoder().decode(piece)
    return text
  }
  expect(await read()).toBe('new\n')
  stage.write('a', 'NEW\n')
  await expect(read()).rejects.toMatchObject({ code: 'CONFLICT' })
})

/** Compressible bytes, different for each seed. */
function content(seed: number, size: number): Buffer {
  return Buffer.alloc(size, createHash('sha512').update(`${seed}`).digest())
}

function hashes(): string[] {
  const found: string[] = []
  for (const directory of ['one', 'many']) {
    const full = path.join(stage.directory, directory)
    for (const name of fs.existsSync(full) ? fs.readdirSync(full).sort() : []) {
      const hash = createHash('sha1')
        .update(fs.readFileSync(path.join(full, name)))
        .digest('hex')
      found.push(`${directory}/${name} ${hash}`)
    }
  }
  return found
}
