import { Volume } from 'memfs'
import { expect, test } from 'vitest'
import { fromMemfs } from '../../../src/fs/backends/memfs.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { mirror } from '../../../src/fs/backends/mirror.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { overlay } from '../../../src/fs/backends/overlay.js'
import { sqlite } from '../../../src/fs/backends/sqlite/workspaces.js'
import { confine } from '../../../src/fs/gate/confine.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { searchText } from '../../../src/ops/search-text.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { startTree, testSyncReads } from '../../sync-reads.js'
import { sqlJs } from './sqlite-database.js'

const openDatabase = await sqlJs()

/** The start in a file system that has no tree at its birth. */
async function filled(fs: FileSystem): Promise<FileSystem> {
  for (const directory of ['/a', '/a/b', '/c']) await fs.makeDir(directory)
  for (const [path, text] of Object.entries(startTree)) await fs.writeFile(path, new TextEncoder().encode(text))
  return fs
}

const all: Record<string, () => Promise<FileSystem>> = {
  memory: async () => memory(startTree),
  memfs: async () => fromMemfs(Volume.fromJSON(startTree)),
  'an overlay': async () => overlay(memory(startTree), memory()),
  'a mirror': async () => mirror(memory(startTree)),
  'a mount': async () =>
    mount({
      '/': memory({ '/two': 'top' }),
      '/a': memory({ one: 'one', two: 'two', 'b/one': 'deep' }),
      '/c': memory({ one: 'other' }),
    }),
  'a gate': async () => confine(memory(startTree), { roots: [{ path: '/', access: 'read-write' }] }),
  'a database': () => filled(sqlite(openDatabase())),
}

for (const [name, open] of Object.entries(all)) testSyncReads(name, open, { keepsReaders: true, rounds: 50 })

test('a search of a fork finds its changes, and not the files it removed', async () => {
  const base = memory({
    '/a/kept': 'needle\n',
    '/a/gone': 'needle\n',
    '/a/changed': 'needle\n',
    '/b/c/kept': 'needle\n',
  })
  const fork = createWorkspace({ fs: overlay(base, memory()) })
  await fork.fs.remove('/a/gone')
  await fork.fs.writeFile('/a/changed', new TextEncoder().encode('nothing\n'))
  await fork.fs.writeFile('/b/new', new TextEncoder().encode('a needle\n'))
  const found = async (workspace: typeof fork) => {
    const input = searchText.input.parse({
      path: '/',
      request: { matcher: { pattern: 'needle', syntax: 'literal' }, mode: 'files' },
    })
    return (await searchText.run(input, workspace, {})).files.map((file) => file.path)
  }
  expect(await found(fork)).toEqual(['/a/kept', '/b/c/kept', '/b/new'])
  expect(await found(createWorkspace({ fs: base }))).toEqual(['/a/changed', '/a/gone', '/a/kept', '/b/c/kept'])
})
