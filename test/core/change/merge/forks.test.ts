/** Forks and their merges: what comes together, what is a conflict, and how conflicts are resolved. */
import { describe, expect, test } from 'vitest'
import type { MergeOptions } from '../../../../src/change/merge/types.js'
import { limitBytes, roomFor } from '../../../../src/fs/backends/limit-bytes.js'
import { type MemoryTree, memory } from '../../../../src/fs/backends/memory.js'
import { overlay } from '../../../../src/fs/backends/overlay.js'
import { walk } from '../../../../src/fs/walk/walk.js'
import { moveEntry } from '../../../../src/ops/move-entry.js'
import { createWorkspace } from '../../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../../src/workspace/workspace.js'

const bytes = (text: string) => new TextEncoder().encode(text)

/** The ways in which a fork is made: by the nodes of a tree in memory, and as an overlay over any file system. */
const backends = {
  memory: (tree: MemoryTree) => memory(tree),
  'any file system': (tree: MemoryTree) => limitBytes(memory(tree), roomFor(1e9)),
  overlay: (tree: MemoryTree) => overlay(memory(tree), memory()),
}

async function write(workspace: Workspace, files: Readonly<Record<string, string | null>>): Promise<void> {
  const scopes = Object.keys(files).map((path) => ({ path }))
  await workspace.changes.run({ label: 'write', scopes }, async (draft) => {
    for (const [path, text] of Object.entries(files)) {
      if (text === null) await draft.remove(path)
      else {
        await draft.makeParents(path)
        await draft.write(path, bytes(text))
      }
    }
  })
}

async function change(workspace: Workspace, path: string, to: { mode?: number; link?: string; directory?: true }) {
  await workspace.changes.run({ label: 'change', scopes: [{ path, last: 'keep' }] }, async (draft) => {
    if (to.mode !== undefined) await draft.setMode(path, to.mode)
    if (to.directory) await draft.makeDirectory(path)
    if (to.link === undefined) return
    if ((await draft.entry(path)).image.kind !== 'absent') await draft.remove(path)
    await draft.link(path, to.link)
  })
}

/** Files with their texts, links with their targets, directories that are empty. */
async function contents({ fs }: Workspace): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { path, kind } of walk(fs, '/')) {
    if (kind === 'file') found[path] = new TextDecoder().decode(await fs.readFile(path))
    else if (kind === 'symlink') found[path] = `-> ${await fs.readLink?.(path)}`
    else if ((await fs.readDir(path)).length === 0) found[`${path}/`] = ''
  }
  return found
}

for (const [name, make] of Object.entries(backends)) {
  async function scenario(
    tree: MemoryTree,
    {
      ours,
      theirs,
      options,
    }: { ours?(w: Workspace): Promise<unknown>; theirs(w: Workspace): Promise<unknown>; options?: MergeOptions },
  ) {
    const base = createWorkspace({ fs: make(tree) })
    const fork = await base.fork()
    await theirs(fork)
    await ours?.(base)
    const before = await contents(base)
    const { record, ...outcome } = await base.merge(fork, options)
    const after = await contents(base)
    if (record === undefined) expect(after).toEqual(before)
    else {
      await base.history.undo(record.id)
      expect(await contents(base)).toEqual(before)
    }
    return { outcome, after, record }
  }

  describe(`on ${name}`, () => {
    test('a fork changes only itself until it is merged, as one change', async () => {
      const base = createWorkspace({ fs: make({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' }) })
      const fork = await base.fork()
      await write(fork, { '/a.txt': 'A\n', '/d/b.txt': null, '/new/c.txt': 'c\n' })
      expect(await contents(base)).toEqual({ '/a.txt': 'a\n', '/d/b.txt': 'b\n' })
      expect(await fork.differences()).toEqual([
        { path: '/a.txt', kind: 'file', change: 'modified' },
        { path: '/d/b.txt', kind: 'file', change: 'deleted' },
        { path: '/new', kind: 'directory', change: 'added' },
        { path: '/new/c.txt', kind: 'file', change: 'added' },
      ])
      const { record, ...outcome } = await base.merge(fork)
      expect(outcome).toEqual({
        conflicts: [],
        kept: [],
        merged: [
          { path: '/a.txt', change: 'modified' },
          { path: '/d/b.txt', change: 'deleted' },
          { path: '/new', change: 'added' },
          { path: '/new/c.txt', change: 'added' },
        ],
      })
      expect(record?.label).toBe('merge fork-1')
      expect(await contents(base)).toEqual({ '/a.txt': 'A\n', '/d/': '', '/new/c.txt': 'c\n' })
      await fork.discard()
      await expect(base.merge(fork)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    })

    test('lines that each side changed come together', async () => {
      const { after, outcome } = await scenario(
        { 'a.txt': '1\n2\n3\n4\n5\n' },
        {
          theirs: (w) => write(w, { '/a.txt': '1\n2\n3\n4\nfive\n' }),
          ours: (w) => write(w, { '/a.txt': 'one\n2\n3\n4\n5\n' }),
        },
      )
      expect(after).toEqual({ '/a.txt': 'one\n2\n3\n4\nfive\n' })
      expect(outcome.conflicts).toEqual([])
    })

    test('lines that both changed are a conflict, and nothing is changed', async () => {
      const sides = {
        theirs: (w: Workspace) => write(w, { '/a.txt': '1\ntwo of theirs\n3\n', '/b.txt': 'theirs\n' }),
        ours: (w: Workspace) => write(w, { '/a.txt': '0\n1\ntwo of ours\n3\n' }),
      }
      const tree = { 'a.txt': '1\n2\n3\n' }
      const { outcome } = await scenario(tree, sides)
      expect(outcome).toEqual({
        conflicts: [
          {
            path: '/a.txt',
            reason: 'lines',
            lines: { first: 3, last: 3 },
            ours: 'two of ours\n',
            theirs: 'two of theirs\n',
            base: '2\n',
          },
        ],
        merged: [{ path: '/b.txt', change: 'added' }],
        kept: [],
      })
      const resolved = async (resolution: NonNullable<MergeOptions['resolve']>[string]) =>
        (await scenario(tree, { ...sides, options: { resolve: { '/a.txt': resolution } } })).after['/a.txt']
      expect(await resolved('ours')).toBe('0\n1\ntwo of ours\n3\n')
      expect(await resolved('theirs')).toBe('0\n1\ntwo of theirs\n3\n')
      expect(await resolved('both')).toBe('0\n1\ntwo of ours\ntwo of theirs\n3\n')
      expect(await resolved({ text: 'own\n' })).toBe('own\n')
      const favored = await scenario(tree, { ...sides, options: { favor: 'theirs' } })
      expect(favored.after['/a.txt']).toBe('0\n1\ntwo of theirs\n3\n')
    })

    test('a resolution must have its conflict', async () => {
      const options = { resolve: { '/a.txt': 'ours' as const } }
      const refused = scenario({ 'a.txt': 'a\n' }, { theirs: (w) => write(w, { '/a.txt': 'b\n' }), options })
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    })

    test('a dry run says what would be done', async () => {
      const theirs = (w: Workspace) => write(w, { '/a.txt': 'b\n' })
      const { outcome, record } = await scenario({ 'a.txt': 'a\n' }, { theirs, options: { dryRun: true } })
      expect(record).toBeUndefined()
      expect(outcome.merged).toEqual([{ path: '/a.txt', change: 'modified' }])
    })

    test('binary files that both changed are a conflict of the whole file', async () => {
      const { outcome } = await scenario(
        { 'a.bin': 'a\0a' },
        { theirs: (w) => write(w, { '/a.bin': 'a\0b' }), ours: (w) => write(w, { '/a.bin': 'a\0c' }) },
      )
      expect(outcome.conflicts).toEqual([{ path: '/a.bin', reason: 'content' }])
      const both = scenario(
        { 'a.bin': 'a\0a' },
        {
          theirs: (w) => write(w, { '/a.bin': 'a\0b' }),
          ours: (w) => write(w, { '/a.bin': 'a\0c' }),
          options: { resolve: { '/a.bin': 'both' } },
        },
      )
      await expect(both).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    })

    test('a removed file that the other side changed is a conflict', async () => {
      const gone = { '/a.txt': null }
      const changed = { '/a.txt': 'b\n' }
      const tree = { 'a.txt': 'a\n' }
      const inTheirs = { theirs: (w: Workspace) => write(w, gone), ours: (w: Workspace) => write(w, changed) }
      expect((await scenario(tree, inTheirs)).outcome.conflicts).toEqual([
        { path: '/a.txt', reason: 'removed-in-theirs', ours: 'b\n', base: 'a\n' },
      ])
      expect((await scenario(tree, { ...inTheirs, options: { favor: 'theirs' } })).after).toEqual({})
      expect((await scenario(tree, { ...inTheirs, options: { favor: 'ours' } })).after).toEqual({ '/a.txt': 'b\n' })
      const inOurs = { theirs: (w: Workspace) => write(w, changed), ours: (w: Workspace) => write(w, gone) }
      expect((await scenario(tree, inOurs)).outcome.conflicts).toEqual([
        { path: '/a.txt', reason: 'removed-in-ours', theirs: 'b\n', base: 'a\n' },
      ])
      expect((await scenario(tree, { ...inOurs, options: { favor: 'theirs' } })).after).toEqual({ '/a.txt': 'b\n' })
      expect((await scenario(tree, { ...inOurs, options: { favor: 'ours' } })).after).toEqual({})
      const text = await scenario(tree, { ...inOurs, options: { resolve: { '/a.txt': { text: 'c\n' } } } })
      expect(text.after).toEqual({ '/a.txt': 'c\n' })
    })

    test('both removed it, or both changed it in the same way', async () => {
      const same = (w: Workspace) => write(w, { '/a.txt': null, '/b.txt': 'same\n' })
      const { outcome, record } = await scenario({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, { theirs: same, ours: same })
      expect([outcome, record]).toEqual([{ conflicts: [], merged: [], kept: [] }, undefined])
    })

    test('an edit follows a move, whichever side moved', async () => {
      const tree = { 'a.txt': '1\n2\n3\n4\n' }
      const move = async (w: Workspace) => {
        await w.run(moveEntry, { from: '/a.txt', to: '/d/b.txt', makeParents: true })
        await write(w, { '/d/b.txt': '1\n2\n3\nfour\n' })
      }
      const edit = (w: Workspace) => write(w, { '/a.txt': 'one\n2\n3\n4\n' })
      const expected = { '/d/b.txt': 'one\n2\n3\nfour\n' }
      expect((await scenario(tree, { theirs: move, ours: edit })).after).toEqual(expected)
      expect((await scenario(tree, { theirs: edit, ours: move })).after).toEqual(expected)
      expect((await scenario(tree, { theirs: move, ours: move })).outcome.conflicts).toEqual([])
    })

    test('moved to two places is a conflict', async () => {
      const to = (path: string) => (w: Workspace) => w.run(moveEntry, { from: '/a.txt', to: path })
      const sides = { theirs: to('/theirs.txt'), ours: to('/ours.txt') }
      const tree = { 'a.txt': '1\n' }
      expect((await scenario(tree, sides)).outcome.conflicts).toEqual([
        { path: '/ours.txt', reason: 'moved', theirPath: '/theirs.txt' },
      ])
      expect((await scenario(tree, { ...sides, options: { favor: 'theirs' } })).after).toEqual({ '/theirs.txt': '1\n' })
      expect((await scenario(tree, { ...sides, options: { favor: 'ours' } })).after).toEqual({ '/ours.txt': '1\n' })
    })

    test('a new file goes where its directory has been moved', async () => {
      const { after } = await scenario(
        { 'd/a.txt': 'a\n' },
        { theirs: (w) => write(w, { '/d/new.txt': 'new\n' }), ours: (w) => w.run(moveEntry, { from: '/d', to: '/e' }) },
      )
      expect(after).toEqual({ '/e/a.txt': 'a\n', '/e/new.txt': 'new\n' })
    })

    test('a directory that others use stays', async () => {
      const { after, outcome } = await scenario(
        { 'd/a.txt': 'a\n' },
        { theirs: (w) => w.run(moveEntry, { from: '/d', to: '/e' }), ours: (w) => write(w, { '/d/b.txt': 'b\n' }) },
      )
      expect(after).toEqual({ '/d/b.txt': 'b\n', '/e/a.txt': 'a\n' })
      expect(outcome.kept).toEqual(['/d'])
    })

    test('both made a file: the same, texts that differ, and a directory in its place', async () => {
      const theirs = (w: Workspace) => write(w, { '/n.txt': 'same\ntheirs\n' })
      expect(
        (await scenario({}, { theirs, ours: (w) => write(w, { '/n.txt': 'same\nours\n' }) })).outcome.conflicts,
      ).toEqual([
        { path: '/n.txt', reason: 'lines', lines: { first: 2, last: 2 }, ours: 'ours\n', theirs: 'theirs\n', base: '' },
      ])
      const directory = await scenario({}, { theirs, ours: (w) => write(w, { '/n.txt/a': 'a\n' }) })
      expect(directory.outcome.conflicts).toEqual([{ path: '/n.txt', reason: 'taken' }])
      const below = {
        theirs: (w: Workspace) => write(w, { '/n/a': 'a\n', '/n/b': 'b\n' }),
        ours: (w: Workspace) => write(w, { '/n': 'file\n' }),
      }
      expect((await scenario({}, below)).outcome.conflicts).toEqual([{ path: '/n', reason: 'taken' }])
      expect((await scenario({}, { ...below, options: { favor: 'theirs' } })).after).toEqual({
        '/n/a': 'a\n',
        '/n/b': 'b\n',
      })
      expect((await scenario({}, { ...below, options: { favor: 'ours' } })).after).toEqual({ '/n': 'file\n' })
    })

    test('a file becomes a directory, and a directory a file', async () => {
      const { after } = await scenario(
        { a: 'a\n', 'd/b': 'b\n' },
        {
          theirs: async (w) => {
            await write(w, { '/a': null, '/d/b': null })
            await write(w, { '/a/x': 'x\n' })
            await w.changes.run({ label: 'remove', scopes: [{ path: '/d', tree: true }] }, (draft) =>
              draft.remove('/d'),
            )
            await write(w, { '/d': 'now a file\n' })
          },
        },
      )
      expect(after).toEqual({ '/a/x': 'x\n', '/d': 'now a file\n' })
    })

    test('modes and links are merged', async () => {
      const base = createWorkspace({ fs: make({ 'a.sh': '1\n', 'b.sh': '1\n', d: '' }) })
      await change(base, '/l', { link: 'a.sh' })
      await change(base, '/dir', { directory: true })
      const fork = await base.fork()
      await change(fork, '/a.sh', { mode: 0o755 })
      await change(fork, '/b.sh', { mode: 0o755 })
      await change(fork, '/l', { link: 'b.sh' })
      await change(fork, '/dir', { mode: 0o700 })
      await write(base, { '/a.sh': '2\n' })
      await change(base, '/b.sh', { mode: 0o600 })
      expect((await base.merge(fork)).conflicts).toEqual([{ path: '/b.sh', reason: 'mode' }])
      expect((await base.merge(fork, { resolve: { '/b.sh': 'theirs' } })).conflicts).toEqual([])
      const modes = ['/a.sh', '/b.sh', '/dir'].map(async (path) => (await base.fs.stat(path)).mode)
      expect(await Promise.all(modes)).toEqual([0o755, 0o755, 0o700])
      expect(await contents(base)).toMatchObject({ '/a.sh': '2\n', '/l': '-> b.sh' })
    })

    test('merged again, only what was changed since is merged; after an undo, all of it', async () => {
      const base = createWorkspace({ fs: make({ 'a.txt': '1\n2\n3\n4\n5\n' }) })
      const fork = await base.fork()
      await write(fork, { '/a.txt': 'one\n2\n3\n4\n5\n' })
      const first = await base.merge(fork)
      await write(base, { '/a.txt': 'uno\n2\n3\n4\n5\n' })
      await write(fork, { '/a.txt': 'one\n2\n3\n4\nfive\n' })
      expect((await base.merge(fork)).conflicts).toEqual([])
      expect(await contents(base)).toEqual({ '/a.txt': 'uno\n2\n3\n4\nfive\n' })
      await base.history.undo()
      await base.history.undo()
      await base.history.undo(first.record?.id)
      await base.merge(fork)
      expect(await contents(base)).toEqual({ '/a.txt': 'one\n2\n3\n4\nfive\n' })
    })

    test('forks of forks, and of the same workspace, are merged into each other', async () => {
      const base = createWorkspace({ fs: make({ 'a.txt': '1\n2\n3\n4\n5\n' }) })
      const [one, other] = [await base.fork(), await base.fork({ name: 'other' })]
      const inner = await one.fork()
      await write(inner, { '/a.txt': '1\n2\nthree\n4\n5\n' })
      await write(other, { '/a.txt': '1\n2\n3\n4\nfive\n', '/b.txt': 'b\n' })
      await one.merge(inner)
      await one.merge(other)
      await base.merge(one)
      expect(await contents(base)).toEqual({ '/a.txt': '1\n2\nthree\n4\nfive\n', '/b.txt': 'b\n' })
      expect((await base.merge(other)).merged).toEqual([])
      const stranger = createWorkspace({ fs: make({}) })
      await expect(stranger.merge(one)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
      await expect(one.merge(one)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    })

    test('a fork may hold no more than it is allowed', async () => {
      const base = createWorkspace({ fs: make({ 'a.txt': 'a\n' }) })
      const fork = await base.fork({ maxBytes: 50_000 })
      await expect(write(fork, { '/b.txt': 'x'.repeat(60_000) })).rejects.toMatchObject({ code: 'NO_SPACE' })
      await write(fork, { '/b.txt': 'small\n' })
      await base.merge(fork)
      expect(await contents(base)).toEqual({ '/a.txt': 'a\n', '/b.txt': 'small\n' })
    })
  })
}
