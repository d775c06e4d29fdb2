/** The changes that faults are tried on, and what a tree looks like to the last byte. */
import { createChanges } from '../../../src/change/changes.js'
import { createHistory } from '../../../src/change/history/history.js'
import { storedJournal } from '../../../src/change/journal/journal.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { confine } from '../../../src/fs/gate/confine.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'
import type { Engine, EngineOptions, Scenario } from './scenario.js'
import { severalEntries } from './several-entries.js'

export type { Engine, EngineOptions, Scenario } from './scenario.js'

export const encode = (text: string) => new TextEncoder().encode(text)
export const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

export type Snapshot = Record<string, string>

/** Kind, mode, and bytes or target of every entry, files that wait to be renamed included. */
export async function snapshot(fs: FileSystem): Promise<Snapshot> {
  const found: Snapshot = {}
  for await (const { path, kind } of walk(fs, '/')) {
    const mode = ((await fs.stat(path)).mode ?? 0).toString(8)
    if (kind === 'symlink') found[path] = `link to ${await fs.readLink?.(path)}`
    else if (kind === 'directory') found[path] = `directory ${mode}`
    else found[path] = `file ${mode} ${decode(await fs.readFile(path))}`
  }
  return found
}

/** One clock for all engines, as on one machine. */
const now = (() => {
  let ms = 1_000
  return () => ms++
})()

export async function openEngine(tree: FileSystem, store: FileSystem, options: EngineOptions = {}): Promise<Engine> {
  const fs = confine(tree, { roots: [{ path: '/', access: 'read-write' }] })
  const changes = createChanges({ fs, journal: await storedJournal(store), now, ...options })
  return { fs, changes, history: createHistory(fs, changes) }
}

/** A tree and a journal's store in which a scenario has been prepared. */
export async function stage(scenario: Scenario): Promise<{ tree: FileSystem; store: FileSystem }> {
  const { files, prepare, options, on = (fs) => fs } = scenario
  const [tree, store] = [on(memory(files)), memory()]
  await prepare?.(await openEngine(tree, store, options), tree)
  return { tree, store }
}

export function write({ changes }: Engine, path: string, text: string) {
  return changes.run({ label: 'write', scopes: [{ path }] }, async (draft) => {
    await draft.makeParents(path)
    await draft.write(path, encode(text))
  })
}

function streamOf(...texts: string[]) {
  return {
    async *pieces() {
      for (const text of texts) yield encode(text)
    },
  }
}

const edited = Array.from({ length: 10 }, (_, index) => `/src/file-${index}.txt`)

/** Ten edits, a file in a new directory, and a file that goes. */
export const twelveFiles: Scenario = {
  name: 'a change of twelve files',
  files: { ...Object.fromEntries(edited.map((path) => [path, `old ${path}\n`])), '/src/gone.txt': 'going\n' },
  act: ({ changes }) =>
    changes.run(
      {
        label: 'patch',
        scopes: [
          { path: '/src', tree: true },
          { path: '/new', tree: true },
        ],
      },
      async (draft) => {
        for (const path of edited) await draft.write(path, encode(`new ${path}\n`.repeat(3)))
        await draft.makeParents('/new/deep/made.txt')
        await draft.write('/new/deep/made.txt', encode('made\n'))
        await draft.remove('/src/gone.txt')
      },
    ),
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'a write over a file',
    files: { 'a.txt': 'old' },
    act: (engine) => write(engine, '/a.txt', 'new'),
  },
  {
    name: 'a file in new directories',
    files: { 'a.txt': 'a' },
    act: (engine) => write(engine, '/x/y/z.txt', 'new'),
  },
  twelveFiles,
  {
    name: 'a change that keeps what it replaces while it writes what is new',
    files: { 'a.txt': 'old a', 'b.txt': 'old b', 'gone.txt': 'going' },
    options: { storeWhileStagingBytes: 0 },
    act: ({ changes }) => {
      const scopes = ['/a.txt', '/b.txt', '/gone.txt', '/new'].map((path) => ({ path, tree: true }))
      return changes.run({ label: 'replace', scopes }, async (draft) => {
        await draft.write('/a.txt', encode('new a'))
        await draft.write('/b.txt', encode('new b'))
        await draft.remove('/gone.txt')
        await draft.makeDirectory('/new')
        await draft.write('/new/c.txt', encode('new c'))
      })
    },
  },
  {
    name: 'a recursive delete',
    files: { 'd/a.txt': 'a', 'd/e/b.txt': 'b', 'd/e/f/': '', 'keep.txt': 'k' },
    prepare: async (_engine, tree) => {
      await tree.symlink?.('a.txt', '/d/link')
      await tree.setMode?.('/d/e', 0o700)
      await tree.setMode?.('/d/e/b.txt', 0o600)
    },
    act: ({ changes }) =>
      changes.run({ label: 'delete', scopes: [{ path: '/d', tree: true }], everyDirectory: true }, async (draft) => {
        for (const path of ['/d/a.txt', '/d/link', '/d/e/b.txt', '/d/e/f', '/d/e', '/d']) await draft.remove(path)
      }),
  },
  {
    name: 'a directory that moves',
    files: { 'a/b/c.txt': 'c', 'a/d.txt': 'd' },
    act: ({ changes }) => {
      const scopes = ['/a', '/x/y'].map((path) => ({ path, tree: true }))
      return changes.run({ label: 'move', scopes }, async (draft) => {
        await draft.makeParents('/x/y')
        await draft.move('/a', '/x/y')
      })
    },
  },
  {
    name: 'a directory that moves and is changed',
    files: { 'a/b/c.txt': 'c', 'a/d.txt': 'd' },
    act: ({ changes }) => {
      const scopes = ['/a', '/x'].map((path) => ({ path, tree: true }))
      return changes.run({ label: 'move', scopes }, async (draft) => {
        await draft.move('/a', '/x')
        await draft.write('/x/d.txt', encode('D'))
      })
    },
  },
  {
    name: 'a file that moves over another',
    files: { 'a.txt': 'a', 'd/b.txt': 'b' },
    prepare: async (_engine, tree) => tree.setMode?.('/a.txt', 0o755),
    act: ({ changes }) =>
      changes.run({ label: 'move', scopes: [{ path: '/a.txt' }, { path: '/d/b.txt' }] }, async (draft) => {
        await draft.remove('/d/b.txt')
        await draft.write('/d/b.txt', encode('a'), { mode: 0o755 })
        await draft.remove('/a.txt')
      }),
  },
  {
    name: 'modes of a file and of a directory',
    files: { 'run.sh': 'x', 'd/a.txt': 'a' },
    act: ({ changes }) =>
      changes.run(
        { label: 'mode', scopes: [{ path: '/run.sh' }, { path: '/d' }, { path: '/d/a.txt' }] },
        async (draft) => {
          await draft.setMode('/run.sh', 0o755)
          await draft.setMode('/d', 0o700)
          await draft.write('/d/a.txt', encode('A'), { mode: 0o600 })
        },
      ),
  },
  {
    name: 'entries that change their kind',
    files: { file: 'f', 'dir/': '', 'other/': '' },
    prepare: async (_engine, tree) => tree.symlink?.('file', '/link'),
    act: ({ changes }) => {
      const scopes = ['/file', '/dir', '/other', '/link'].map((path) => ({ path, last: 'keep' as const }))
      return changes.run({ label: 'kinds', scopes }, async (draft) => {
        for (const { path } of scopes) await draft.remove(path)
        await draft.makeDirectory('/file', { mode: 0o700 })
        await draft.write('/file/inner.txt', encode('i'))
        await draft.link('/dir', 'other')
        await draft.write('/other', encode('o'))
        await draft.write('/link', encode('l'))
      })
    },
  },
  {
    name: 'links that come to lead elsewhere',
    files: { file: 'f', 'd/': '' },
    prepare: async (_engine, tree) => {
      await tree.symlink?.('file', '/link')
      await tree.symlink?.('../d', '/d/self')
    },
    act: ({ changes }) => {
      const scopes = ['/link', '/d/self'].map((path) => ({ path, last: 'keep' as const }))
      return changes.run({ label: 'links', scopes }, async (draft) => {
        for (const { path } of scopes) await draft.remove(path)
        await draft.link('/link', 'd')
        await draft.link('/d/self', 'self')
      })
    },
  },
  {
    name: 'a file too large to be read that moves',
    files: { big: 'a large file', 'd/': '' },
    options: { limits: { maxUndoBytes: 5 } },
    act: ({ changes }) => {
      const scopes = ['/big', '/d/e'].map((path) => ({ path, tree: true }))
      return changes.run({ label: 'move', scopes }, async (draft) => {
        await draft.makeParents('/d/e/moved')
        await draft.move('/big', '/d/e/moved')
      })
    },
  },
  {
    name: 'files too large to be read that go, are replaced, and move over others',
    files: { 'd/gone': 'a large file', over: 'another one', from: 'the third', to: 'and the last', small: 's' },
    options: { limits: { maxUndoBytes: 5 } },
    act: ({ changes }) =>
      changes.run({ label: 'large', scopes: [{ path: '/', tree: true }] }, async (draft) => {
        await draft.write('/over', encode('n'))
        await draft.remove('/d/gone')
        await draft.remove('/d')
        await draft.remove('/to')
        await draft.move('/from', '/to')
        await draft.write('/small', encode('S'))
        await draft.setMode('/to', 0o644)
      }),
  },
  {
    name: 'a file too large to be read that becomes a directory',
    files: { big: 'a large file', other: 'another one' },
    options: { limits: { maxUndoBytes: 5 } },
    act: ({ changes }) =>
      changes.run({ label: 'kind', scopes: [{ path: '/', tree: true }] }, async (draft) => {
        await draft.remove('/big')
        await draft.makeDirectory('/big')
        await draft.move('/other', '/big/inner')
        await draft.link('/other', 'big')
      }),
  },
  {
    name: 'content that is streamed, and copies of files too large to be read',
    files: { over: 'an old text', big: 'a large file', 'd/': '' },
    options: { limits: { maxUndoBytes: 5 } },
    act: ({ changes }) =>
      changes.run({ label: 'stream', scopes: [{ path: '/', tree: true }] }, async (draft) => {
        await draft.write('/over', streamOf('a', ' new', ' text'), { mode: 0o600 })
        await draft.write('/d/made', streamOf())
        await draft.copy('/big', '/d/copy')
        await draft.copy('/d/copy', '/d/again')
        await draft.move('/d/again', '/d/moved')
        await draft.remove('/big')
      }),
  },
  {
    name: 'an undo',
    files: { 'a.txt': 'old', 'd/b.txt': 'b' },
    prepare: ({ changes }) =>
      changes.run(
        { label: 'edit', scopes: [{ path: '/a.txt' }, { path: '/d', tree: true }, { path: '/n' }] },
        async (draft) => {
          await draft.write('/a.txt', encode('new'))
          await draft.remove('/d/b.txt')
          await draft.remove('/d')
          await draft.makeDirectory('/n')
          await draft.write('/n/c.txt', encode('c'))
        },
      ),
    act: ({ history }) => history.undo(),
  },
  {
    name: 'an undo of directories that are closed',
    files: { 'a.txt': 'old' },
    prepare: ({ changes }) =>
      changes.run({ label: 'make', scopes: [{ path: '/n', tree: true }] }, async (draft) => {
        await draft.makeDirectory('/n', { mode: 0o555 })
        await draft.write('/n/b.txt', encode('b'))
        await draft.makeDirectory('/n/m', { mode: 0o500 })
        await draft.write('/n/m/c.txt', encode('c'))
      }),
    act: ({ history }) => history.undo(),
  },
  {
    name: 'a restore',
    files: { 'a.txt': '1', 'b.txt': 'b', 'd/e.txt': 'e' },
    prepare: async (engine) => {
      await engine.changes.checkpoint('start')
      await write(engine, '/a.txt', '2')
      await write(engine, '/n/c.txt', 'c')
      await write(engine, '/a.txt', '3')
      const scopes = [
        { path: '/d', tree: true },
        { path: '/moved', tree: true },
      ]
      await engine.changes.run({ label: 'move', scopes }, (draft) => draft.move('/d', '/moved'))
    },
    act: ({ history }) => history.restore('start'),
  },
  ...severalEntries,
]

/** A change that can't succeed, which shows only at its last step. */
export const doomed: Scenario = {
  name: 'a change that fails at its end',
  files: { 'a.txt': 'a', 'b.txt': 'b', 'd/c.txt': 'c', 'z/used.txt': 'u' },
  act: ({ changes }) => {
    const scopes = ['/a.txt', '/b.txt', '/d', '/n', '/z'].map((at) => ({ path: at, tree: true }))
    return changes.run({ label: 'doomed', scopes }, async (draft) => {
      await draft.write('/a.txt', encode('A'), { mode: 0o600 })
      await draft.setMode('/b.txt', 0o600)
      await draft.remove('/d/c.txt')
      await draft.remove('/d')
      await draft.makeDirectory('/n')
      await draft.write('/d', encode('a file now'))
      // Not empty.
      await draft.remove('/z')
      await draft.write('/z', encode('never'))
    })
  },
}
