/** Stores in which a few values are a tree without end, because directories share what is in them. Every call ends, and says why. */
import { describe, expect, test } from 'vitest'
import { startTree } from '../../../harness/episode/start-tree.js'
import { keyValueJournal } from '../../../src/change/journal/key-value-journal.js'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { type KeyValueFileSystem, keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { maxRepeated } from '../../../src/fs/backends/key-value/places.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { overlay } from '../../../src/fs/backends/overlay.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { copyEntry } from '../../../src/ops/copy-entry.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import { directoryTree } from '../../../src/ops/directory-tree.js'
import { findFiles } from '../../../src/ops/find-files.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { endlessStore, mapStore, nodeHashes } from './key-value-stores.js'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const repeatsTooMuch = {
  code: 'IO',
  facts: { detail: expect.stringContaining('in so many places that they repeat more than 10000 entries') },
}

async function opened(): Promise<{ fs: KeyValueFileSystem; workspace: Workspace }> {
  const fs = keyValue(await endlessStore(), nodeHashes)
  return { fs, workspace: createWorkspace({ fs, journal: keyValueJournal(fs) }) }
}

/** How many entries are reached, and the failures of all directories that are not. */
async function walked(fs: FileSystem): Promise<{ entries: number; failures: unknown[] }> {
  const failures: unknown[] = []
  let entries = 0
  for await (const _ of walk(fs, '/', { onUnreadable: (_path, error) => failures.push(error) })) entries += 1
  return { entries, failures }
}

describe('a directory that is in 2^40 places', () => {
  test('is walked until too much is repeated; what was listed can be listed again, and anything be read', async () => {
    const { fs } = await opened()
    const { entries, failures } = await walked(fs)
    expect(entries).toBeGreaterThan(maxRepeated)
    expect(entries).toBeLessThan(2 * maxRepeated)
    expect(failures.length).toBeGreaterThan(30)
    for (const failure of failures) expect(failure).toMatchObject(repeatsTooMuch)
    expect((await walked(fs)).entries).toBe(entries)
    expect(decode(await fs.readFile('/top/file'))).toBe('content\n')
    expect(await fs.readLink?.(`/top${'/b'.repeat(40)}/link-1`)).toBe('nowhere')
  })

  test('is found and searched in part, and the result says so', async () => {
    const { workspace } = await opened()
    const found = await workspace.run(findFiles, { path: '/', include: ['**/nothing'] })
    expect(found.entries).toEqual([])
    expect(found.summary.unreadable).toBeGreaterThan(30)
    const [matches, notes] = (await tools(workspace).call('grep', { pattern: 'content' })).content
    expect(matches).toMatchObject({ text: expect.stringContaining('top/file') })
    expect(notes).toMatchObject({ text: expect.stringMatching(/not searched: \d+ unreadable/) })
    expect(await workspace.run(directoryTree, { path: '/' })).toMatchObject({ truncated: true })
  })

  test('is neither copied nor deleted', async () => {
    const { fs, workspace } = await opened()
    await expect(workspace.run(copyEntry, { from: '/top', to: '/other' })).rejects.toMatchObject(repeatsTooMuch)
    await expect(workspace.run(deleteEntry, { path: '/top', recursive: true })).rejects.toMatchObject(repeatsTooMuch)
    expect((await fs.readDir('/')).map(({ name }) => name)).toEqual(['top'])
    expect(await workspace.history.list()).toEqual([])
  })

  test('can be renamed, which lists nothing', async () => {
    const { fs } = await opened()
    await fs.rename('/top', '/other')
    expect(decode(await fs.readFile('/other/file'))).toBe('content\n')
  })

  test('is not a tree that an episode starts with', async () => {
    const { fs } = await opened()
    await expect(startTree(fs, 0)).rejects.toMatchObject(repeatsTooMuch)
  })

  test('is the same below an overlay', async () => {
    const { fs } = await opened()
    const { entries, failures } = await walked(overlay(fs, memory()))
    expect(entries).toBeLessThan(2 * maxRepeated)
    expect(failures[0]).toMatchObject(repeatsTooMuch)
  })

  test('is collected, which looks at each value once', async () => {
    const { fs } = await opened()
    await fs.collect()
    expect(decode(await fs.readFile('/top/file'))).toBe('content\n')
  })
})

describe('equal directories that polyfs has made', () => {
  test('are listed any number of times, wherever they are', async () => {
    const fs = keyValue(mapStore(), { ...nodeHashes, now: () => 0 })
    const repeats = 20
    for (let at = 0; at < repeats; at += 1) {
      await fs.makeDir(`/${at}`)
      for (const name of ['a', 'b', 'empty']) await fs.makeDir(`/${at}/${name}`)
      for (const name of ['a/file', 'b/file']) await fs.writeFile(`/${at}/${name}`, encode('same'))
    }
    // As many as twice the limit.
    for (let round = 0; round * repeats * 5 < 2 * maxRepeated; round += 1) {
      expect(await walked(fs)).toEqual({ entries: repeats * 6, failures: [] })
    }
  })

  test('are forgotten with the tree that had them', async () => {
    const { fs } = await opened()
    await walked(fs)
    await fs.rename('/top', '/other')
    await fs.makeDir('/new')
    expect((await walked(fs)).entries).toBeGreaterThan(maxRepeated)
  })
})
