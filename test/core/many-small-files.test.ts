/** Many small files are hashed and compressed without waiting: others must have their turn all the same. */
import { expect, test } from 'vitest'
import { writeArchive } from '../../src/archive/write-archive.js'
import { memory } from '../../src/fs/backends/memory.js'
import { gitAdd } from '../../src/ops/git/add.js'
import { gitInit } from '../../src/ops/git/init.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { longestStretch } from './longest-stretch.js'

const files = Array.from({ length: 6000 }, (_, at): [string, string] => [
  `/part-${at % 50}/file-${at}.txt`,
  `line ${at} of a file\n`.repeat(200),
])
/** Of the processor, so that a busy machine does not count. Without turns it would be seconds. */
const longestMs = 500

test('adding them to a repository', async () => {
  const workspace = createWorkspace({ fs: memory(Object.fromEntries(files)) })
  await workspace.run(gitInit, {})
  let added = 0
  const stretch = await longestStretch(async () => {
    added = (await workspace.run(gitAdd, { paths: ['.'] })).changes.length
  })
  expect(added).toBe(files.length)
  expect(stretch).toBeLessThan(longestMs)
})

test('packing them into an archive', async () => {
  const encoder = new TextEncoder()
  const entries = files.map(([path, text]) => ({
    path: path.slice(1),
    kind: 'file' as const,
    bytes: encoder.encode(text),
  }))
  let size = 0
  const stretch = await longestStretch(async () => {
    size = (await writeArchive(entries)).length
  })
  expect(size).toBeGreaterThan(files.length * 100)
  expect(stretch).toBeLessThan(longestMs)
})
