import { expect, test } from 'vitest'
import { type AppendableFiles, commandTree } from '../../bash/io/command-tree.js'
import { readAll } from '../../bash/io/streams.js'
import { memory } from '../../src/fs/backends/memory.js'

const chunkBytes = 256 * 1024
const size = 5 * chunkBytes + 100
const content = new Uint8Array(size).map((_, index) => (index * 7 + (index >> 11)) & 0xff)

/** A tree whose reads of pieces are noted, and answered only when all that can go on has gone on. */
async function noted() {
  const fs = memory({})
  await fs.writeFile('/big', content)
  const offsets: number[] = []
  const files: AppendableFiles = {
    ...fs,
    async readFile(path, range) {
      offsets.push(range?.start ?? 0)
      await new Promise((resolve) => setImmediate(resolve))
      return fs.readFile(path, range)
    },
    async readStart(path, length) {
      return { stat: await fs.stat(path), bytes: await fs.readFile(path, { start: 0, end: length }) }
    },
    realPath: async (path) => path,
    async append(path, data) {
      const before = await fs.readFile(path)
      await fs.writeFile(path, Buffer.concat([before, data]))
    },
  }
  return { tree: commandTree(files), fs, offsets }
}

test('a file is read in pieces, the next one while the last one is used, and each once', async () => {
  const { tree, offsets } = await noted()
  const reader = await tree.openRead('/big')
  const all = await readAll(reader)
  expect(all.length).toBe(size)
  expect(Buffer.compare(all, content)).toBe(0)
  expect(offsets).toEqual([1, 2, 3, 4, 5].map((piece) => piece * chunkBytes))
})

test('nothing is asked for that only the first piece of is read', async () => {
  const { tree, offsets } = await noted()
  const reader = await tree.openRead('/big')
  expect((await reader.read())?.length).toBe(chunkBytes)
  reader.close()
  expect(offsets).toEqual([])
})

test.each(['another file of the command', 'a program of the host'])(
  'what was read ahead is read again after a change by %s',
  async (by) => {
    const { tree, fs } = await noted()
    const reader = await tree.openRead('/big')
    await reader.read()
    await reader.read()
    const changed = content.slice().fill(1, 2 * chunkBytes)
    if (by === 'a program of the host') {
      await tree.settle()
      await fs.writeFile('/big', changed)
    } else await tree.writeFile('/big', changed)
    expect(Buffer.compare(await readAll(reader), changed.subarray(2 * chunkBytes))).toBe(0)
  },
)

test('what is appended while a file is read is read too', async () => {
  const { tree } = await noted()
  const reader = await tree.openRead('/big')
  const pieces: Uint8Array[] = []
  const writer = await tree.openWrite('/big', { append: true })
  for (let piece = await reader.read(); piece !== undefined; piece = await reader.read()) {
    pieces.push(piece)
    if (pieces.length < 4) await writer.write(new Uint8Array(10).fill(pieces.length))
  }
  const more = [1, 2, 3].flatMap((byte) => Array.from({ length: 10 }, () => byte))
  expect(Buffer.compare(Buffer.concat(pieces), Buffer.concat([content, Uint8Array.from(more)]))).toBe(0)
})
