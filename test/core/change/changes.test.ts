import { describe, expect, test } from 'vitest'
import { createChanges } from '../../../src/change/changes.js'
import { contentHash } from '../../../src/change/content-hash.js'
import { createHistory } from '../../../src/change/history/history.js'
import { memoryJournal, storedJournal } from '../../../src/change/journal/journal.js'
import type { Image, Step } from '../../../src/change/journal/record.js'
import { type MemoryTree, memory } from '../../../src/fs/backends/memory.js'
import { confine } from '../../../src/fs/gate/confine.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'

const encode = (text: string) => new TextEncoder().encode(text)

async function tree(fs: FileSystem): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { path, kind } of walk(fs, '/')) {
    if (kind === 'directory') found[`${path}/`] = ''
    else if (kind === 'symlink') found[path] = `-> ${await fs.readLink?.(path)}`
    else found[path] = new TextDecoder().decode(await fs.readFile(path))
  }
  return found
}

describe.each([
  ['in memory', async () => memoryJournal()],
  ['stored', () => storedJournal(memory())],
] as const)('with a journal %s', (_name, openJournal) => {
  async function open(files: MemoryTree) {
    const raw = memory(files)
    const fs = confine(raw, { roots: [{ path: '/', access: 'read-write' }] })
    let ms = 1_000
    const changes = createChanges({ fs, journal: await openJournal(), now: () => ms++ })
    return { raw, fs, changes, history: createHistory(fs, changes) }
  }

  test('subscribers are notified of changes and checkpoints, and of nothing else', async () => {
    const { changes } = await open({ a: '1' })
    const reported: string[] = []
    const unsubscribe = changes.subscribe(({ label }) => reported.push(label))
    const write = (label: string, text: string) =>
      changes.run({ label, scopes: [{ path: '/a' }] }, (draft) => draft.write('/a', encode(text)))
    await write('made', '2')
    await write('no change', '2')
    await expect(
      changes.run({ label: 'failed', scopes: [{ path: '/a' }] }, async () => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await changes.checkpoint('point')
    unsubscribe()
    await write('unheard', '3')
    expect(reported).toEqual(['made', 'point'])
  })

  test('a directory that someone else creates meanwhile stays, with its entries', async () => {
    const { raw, changes } = await open({})
    const change = changes.run({ label: 'write', scopes: [{ path: '/new', tree: true }] }, async (draft) => {
      await draft.makeDirectory('/new')
      await raw.makeDir('/new')
      await raw.writeFile('/new/c', encode('theirs'))
      await draft.write('/new/c', encode('ours'))
    })
    await expect(change).rejects.toMatchObject({ code: 'CONFLICT', facts: { path: '/new' } })
    expect(await tree(raw)).toEqual({ '/new/': '', '/new/c': 'theirs' })
  })

  test('all of a call lands: files written, made, removed and directories with them', async () => {
    const { raw, changes } = await open({ 'a.txt': 'A', 'old/b.txt': 'B' })
    const scopes = ['/a.txt', '/old/b.txt', '/old', '/new/c.txt'].map((path) => ({ path }))
    const { record } = await changes.run({ label: 'edit', scopes }, async (draft, [a, b, old, c]) => {
      await draft.write(a as string, encode('A2'))
      await draft.remove(b as string)
      await draft.remove(old as string)
      await draft.makeParents(c as string)
      await draft.write(c as string, encode('C'))
    })
    expect(await tree(raw)).toEqual({ '/a.txt': 'A2', '/new/': '', '/new/c.txt': 'C' })
    expect(record?.steps.map(({ path }) => path)).toEqual(['/new', '/old/b.txt', '/old', '/a.txt', '/new/c.txt'])
    expect(await changes.journal.pending()).toEqual([])
  })

  test('a failure in the middle leaves everything as it was', async () => {
    const { raw, fs, changes } = await open({ 'a.txt': 'A', 'd/b.txt': 'B' })
    const scopes = [{ path: '/a.txt' }, { path: '/d' }]
    await expect(
      changes.run({ label: 'edit', scopes }, async (draft) => {
        await draft.write('/a.txt', encode('A2'))
        await draft.write('/new.txt', encode('N'))
        // Not empty, which shows only when it is done.
        await draft.remove('/d')
      }),
    ).rejects.toMatchObject({ code: 'NOT_EMPTY' })
    expect(await tree(raw)).toEqual({ '/a.txt': 'A', '/d/': '', '/d/b.txt': 'B' })
    expect(await changes.journal.pending()).toEqual([])
    expect(await fs.readDir('/')).toHaveLength(2)
  })

  test('a mode is preserved, and can be the only change', async () => {
    const { raw, changes } = await open({ 'run.sh': '1' })
    await raw.setMode?.('/run.sh', 0o755)
    await changes.run({ label: 'edit', scopes: [{ path: '/run.sh' }] }, (draft) => draft.write('/run.sh', encode('2')))
    expect((await raw.stat('/run.sh')).mode).toBe(0o755)
    await changes.run({ label: 'mode', scopes: [{ path: '/run.sh' }] }, (draft) => draft.setMode('/run.sh', 0o700))
    expect((await raw.stat('/run.sh')).mode).toBe(0o700)
  })

  test('a mode that makes a file unreadable can be undone, and changed again', async () => {
    const { raw, changes, history } = await open({ 'a.txt': 'A' })
    const setMode = (mode: number) =>
      changes.run({ label: 'mode', scopes: [{ path: '/a.txt' }] }, (draft) => draft.setMode('/a.txt', mode))
    const mode = async () => (await raw.stat('/a.txt')).mode
    await raw.setMode?.('/a.txt', 0o644)
    await setMode(0o000)
    await expect(raw.readFile('/a.txt')).rejects.toMatchObject({ code: 'DENIED' })
    await history.undo()
    expect(await mode()).toBe(0o644)
    await setMode(0o200)
    await setMode(0o600)
    expect(await mode()).toBe(0o600)
    for (const expected of [0o200, 0o644]) {
      await history.undo()
      expect(await mode()).toBe(expected)
    }
    await setMode(0o000)
    await raw.setMode?.('/a.txt', 0o644)
    await raw.writeFile('/a.txt', encode('theirs'))
    await raw.setMode?.('/a.txt', 0o000)
    await expect(history.undo()).rejects.toMatchObject({ code: 'CONFLICT', facts: { path: '/a.txt' } })
  })

  test('a crash while a file is unreadable for its owner is recovered', async () => {
    const { raw, changes, history } = await open({ 'a.txt': 'A' })
    const before: Image = { kind: 'file', hash: await contentHash(encode('A')), size: 1, mode: 0o644 }
    const step: Step = { do: 'set', path: '/a.txt', before, after: { ...before, mode: 0o000 } }
    const record = { id: '000000000000001', label: 'mode', atMs: 1, steps: [step], undoable: true }
    await changes.journal.begin(record, new Map())
    await changes.journal.commit(record.id)
    await raw.setMode?.('/a.txt', 0o000)
    expect(await changes.recover()).toMatchObject({ finished: [record], conflicts: [] })
    await history.undo()
    expect(await tree(raw)).toEqual({ '/a.txt': 'A' })
  })

  test('writing the same content is not a change', async () => {
    const { changes, history } = await open({ 'a.txt': 'A' })
    const { record } = await changes.run({ label: 'edit', scopes: [{ path: '/a.txt' }] }, (draft) =>
      draft.write('/a.txt', encode('A')),
    )
    expect(record).toBeUndefined()
    expect(await history.list()).toEqual([])
  })

  test('an edit of a file that changed since it was read is stale', async () => {
    const { raw, changes } = await open({ 'a.txt': 'A' })
    const [expected, actual] = [await contentHash(encode('old')), await contentHash(encode('A'))]
    await expect(
      changes.run({ label: 'edit', scopes: [{ path: '/a.txt' }] }, async (draft) => {
        await draft.expect('/a.txt', expected)
        await draft.write('/a.txt', encode('B'))
      }),
    ).rejects.toMatchObject({ code: 'STALE', facts: { path: '/a.txt', expected, actual } })
    expect(await tree(raw)).toEqual({ '/a.txt': 'A' })
  })

  test('a link is followed, and its target is changed', async () => {
    const { raw, changes } = await open({ 'd/a.txt': 'A' })
    await raw.symlink?.('d', '/link')
    await changes.run({ label: 'edit', scopes: [{ path: '/link/a.txt' }] }, (draft, [path]) =>
      draft.write(path as string, encode('B')),
    )
    expect(await tree(raw)).toEqual({ '/d/': '', '/d/a.txt': 'B', '/link': '-> d' })
  })

  test('parallel edits of one file all land', async () => {
    const { raw, changes } = await open({ 'a.txt': '' })
    const edits = Array.from({ length: 64 }, (_, index) =>
      changes.run({ label: 'append', scopes: [{ path: '/a.txt' }] }, async (draft) => {
        const { bytes } = await draft.entry('/a.txt')
        await draft.write('/a.txt', encode(`${new TextDecoder().decode(bytes)}${index}\n`))
      }),
    )
    await Promise.all(edits)
    const lines = new TextDecoder()
      .decode(await raw.readFile('/a.txt'))
      .trimEnd()
      .split('\n')
    expect(lines.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, index) => index))
  })

  test('where names that differ in case are one name, so are their locks', async () => {
    const { raw } = await open({ 'Dir/a.txt': '' })
    const folded = (path: string) => path.toLowerCase().replace('/dir', '/Dir')
    // Memory that knows no case: every path it is given is spelt as the entry is.
    const insensitive: FileSystem = {
      ...withoutFacets(raw),
      capabilities: { ...raw.capabilities, caseSensitive: false },
      stat: (path) => raw.stat(folded(path)),
      readFile: (path, range) => raw.readFile(folded(path), range),
      readDir: (path) => raw.readDir(folded(path)),
      writeFile: (path, data) => raw.writeFile(folded(path), data),
      rename: (from, to) => raw.rename(folded(from), folded(to)),
    }
    const fs = confine(insensitive, { roots: [{ path: '/', access: 'read-write' }] })
    const changes = createChanges({ fs, journal: await openJournal() })
    const spellings = ['/Dir/a.txt', '/dir/A.TXT', '/DIR/a.txt', '/Dir/A.txt']
    await Promise.all(
      Array.from({ length: 32 }, (_, index) => {
        const path = spellings[index % 4] as string
        return changes.run({ label: 'append', scopes: [{ path }] }, async (draft) => {
          const { bytes } = await draft.entry(path)
          await draft.write(path, encode(`${new TextDecoder().decode(bytes)}${index}\n`))
        })
      }),
    )
    const lines = new TextDecoder()
      .decode(await raw.readFile('/Dir/a.txt'))
      .trimEnd()
      .split('\n')
    expect(lines.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, index) => index))
  })

  test('a directory moves with all below it, and back', async () => {
    const { raw, changes, history } = await open({ 'a/b/c.txt': 'C' })
    const scopes = [
      { path: '/a', tree: true },
      { path: '/x/y', tree: true },
    ]
    await changes.run({ label: 'move', scopes }, async (draft) => {
      await draft.makeParents('/x/y')
      await draft.move('/a', '/x/y')
    })
    expect(await tree(raw)).toEqual({ '/x/': '', '/x/y/': '', '/x/y/b/': '', '/x/y/b/c.txt': 'C' })
    await history.undo()
    expect(await tree(raw)).toEqual({ '/a/': '', '/a/b/': '', '/a/b/c.txt': 'C' })
  })

  describe('history', () => {
    async function edited() {
      const opened = await open({ 'a.txt': '1', 'b.txt': 'B' })
      const write = (path: string, text: string) =>
        opened.changes.run({ label: `write ${path}`, scopes: [{ path }] }, async (draft) => {
          await draft.makeParents(path)
          await draft.write(path, encode(text))
        })
      return { ...opened, write }
    }

    test('undo finds the newest change that is not undone, however many were made and undone since', async () => {
      const { raw, changes, history } = await open({ 'a.txt': '0' })
      const write = (text: string) =>
        changes.run({ label: 'write', scopes: [{ path: '/a.txt' }] }, (draft) => draft.write('/a.txt', encode(text)))
      await write('1')
      for (let turn = 0; turn < 25; turn += 1) {
        await write(`turn ${turn}`)
        await history.undo()
      }
      expect(await tree(raw)).toEqual({ '/a.txt': '1' })
      await history.undo()
      expect(await tree(raw)).toEqual({ '/a.txt': '0' })
    })

    test('later changes sort later, even if the clock was set back and others share the journal', async () => {
      const raw = memory({ 'a.txt': '0' })
      const fs = confine(raw, { roots: [{ path: '/', access: 'read-write' }] })
      const journal = await openJournal()
      let ms = 1_000_000_000
      const start = () => {
        const changes = createChanges({ fs, journal, now: () => ms })
        const write = (text: string) =>
          changes.run({ label: text, scopes: [{ path: '/a.txt' }] }, (draft) => draft.write('/a.txt', encode(text)))
        return { write, changes, history: createHistory(fs, changes) }
      }
      const first = start()
      await first.write('1')
      ms -= 500_000_000
      const second = start()
      await first.write('2')
      await second.write('3')
      await second.changes.checkpoint('here')
      await first.write('4')
      await second.write('5')
      expect((await first.history.list()).map(({ label }) => label)).toEqual(['5', '4', 'here', '3', '2', '1'])
      await start().history.restore('here')
      expect(await tree(raw)).toEqual({ '/a.txt': '3' })
      for (const text of ['5', '4', '3', '2']) {
        await start().history.undo()
        expect(await tree(raw)).toEqual({ '/a.txt': text })
      }
    })

    test('undo reverts the newest change, then the one before', async () => {
      const { raw, write, history } = await edited()
      await write('/a.txt', '2')
      await write('/n/c.txt', 'C')
      await history.undo()
      expect(await tree(raw)).toEqual({ '/a.txt': '2', '/b.txt': 'B' })
      await history.undo()
      expect(await tree(raw)).toEqual({ '/a.txt': '1', '/b.txt': 'B' })
      await expect(history.undo()).rejects.toMatchObject({ code: 'UNKNOWN_POINT' })
    })

    test('a change too large for the history does not evict others, and is reported as not undoable', async () => {
      const raw = memory({ 'large.txt': 'x'.repeat(5000), 'b.txt': 'B' })
      const fs = confine(raw, { roots: [{ path: '/', access: 'read-write' }] })
      const changes = createChanges({ fs, journal: await openJournal(), limits: { maxHistoryBytes: 2000 } })
      const history = createHistory(fs, changes)
      await changes.run({ label: 'small', scopes: [{ path: '/b.txt' }] }, (draft) =>
        draft.write('/b.txt', encode('B2')),
      )
      await changes.run({ label: 'large', scopes: [{ path: '/large.txt' }] }, (draft) => draft.remove('/large.txt'))
      expect((await history.list()).map(({ label, undoable }) => [label, undoable])).toEqual([
        ['large', false],
        ['small', true],
      ])
      const [large, small] = await history.list()
      await expect(history.undo(large?.id)).rejects.toMatchObject({ code: 'NOT_UNDOABLE' })
      await history.undo(small?.id)
      expect(await tree(raw)).toEqual({ '/b.txt': 'B' })
    })

    test('a change whose files were edited since is not undone', async () => {
      const { raw, write, history } = await edited()
      await write('/a.txt', '2')
      await raw.writeFile('/a.txt', encode('theirs'))
      await expect(history.undo()).rejects.toMatchObject({ code: 'CONFLICT', facts: { path: '/a.txt' } })
      expect(await tree(raw)).toEqual({ '/a.txt': 'theirs', '/b.txt': 'B' })
    })

    test.each([
      [
        'a file in a directory that is to go',
        'make',
        async (raw: FileSystem) => raw.writeFile('/n/theirs', encode('T')),
        '/n',
      ],
      ['no directory for what is to come back', 'delete', async (raw: FileSystem) => raw.remove('/d'), '/d/e.txt'],
      [
        'a file in place of the directory',
        'delete',
        async (raw: FileSystem) => {
          await raw.remove('/d')
          await raw.writeFile('/d', encode('T'))
        },
        '/d/e.txt',
      ],
    ])('what someone else did since is a conflict: %s', async (_what, label, meddle, path) => {
      const { raw, changes, history } = await open({ 'd/e.txt': 'E' })
      await changes.checkpoint('start')
      const scopes = [{ path: '/n' }, { path: '/d/e.txt' }]
      await changes.run({ label, scopes }, (draft) =>
        label === 'make' ? draft.makeDirectory('/n') : draft.remove('/d/e.txt'),
      )
      await meddle(raw)
      const theirs = await tree(raw)
      const conflict = { code: 'CONFLICT', facts: { path } }
      await expect(history.undo()).rejects.toMatchObject(conflict)
      await expect(history.restore('start')).rejects.toMatchObject(conflict)
      expect(await tree(raw)).toEqual(theirs)
    })

    test('restore returns to a checkpoint in one change, which can itself be undone', async () => {
      const { raw, write, history, changes } = await edited()
      await write('/a.txt', '2')
      await changes.checkpoint('before the storm')
      await write('/a.txt', '3')
      await write('/n/c.txt', 'C')
      await write('/a.txt', '4')
      await history.restore('before the storm')
      expect(await tree(raw)).toEqual({ '/a.txt': '2', '/b.txt': 'B' })
      await history.undo()
      expect(await tree(raw)).toEqual({ '/a.txt': '4', '/b.txt': 'B', '/n/': '', '/n/c.txt': 'C' })
    })

    test('one path alone can be restored', async () => {
      const { raw, write, history, changes } = await edited()
      const { id } = await changes.checkpoint('start')
      await write('/a.txt', '2')
      await write('/b.txt', 'B2')
      await history.restore(id, { path: '/a.txt' })
      expect(await tree(raw)).toEqual({ '/a.txt': '1', '/b.txt': 'B2' })
    })

    test('one path is restored from where its directory has moved to, which stays there', async () => {
      const { raw, history, changes } = await open({ 'c/b': 'old', 'c/d/e': 'E', 'a/': '' })
      await changes.checkpoint('start')
      const scopes = [{ path: '/', tree: true }]
      await changes.run({ label: 'move', scopes }, (draft) => draft.move('/c', '/a/c'))
      await history.restore('start', { path: '/c/b' })
      const moved = { '/a/': '', '/a/c/': '', '/a/c/b': 'old', '/a/c/d/': '', '/a/c/d/e': 'E' }
      expect(await tree(raw)).toEqual({ ...moved, '/c/': '', '/c/b': 'old' })
      await history.restore('start', { path: '/c' })
      expect(await tree(raw)).toEqual({ ...moved, '/c/': '', '/c/b': 'old', '/c/d/': '', '/c/d/e': 'E' })
      await history.restore('start', { path: '/a' })
      expect(await tree(raw)).toEqual({ '/a/': '', '/c/': '', '/c/b': 'old', '/c/d/': '', '/c/d/e': 'E' })
    })

    test('a directory that was replaced by a link to itself is restored, also by restoring its entries', async () => {
      const { raw, history, changes } = await open({ 'a/x': 'X', 'a/b/y': 'Y' })
      await raw.symlink?.('a/b', '/to')
      const before = await tree(raw)
      await changes.checkpoint('start')
      await changes.run({ label: 'delete', scopes: [{ path: '/a', tree: true }] }, async (draft) => {
        for (const path of ['/a/b/y', '/a/b', '/a/x', '/a']) await draft.remove(path)
      })
      await changes.run({ label: 'copy', scopes: [{ path: '/a', last: 'keep' }] }, async (draft) => {
        await draft.link('/a', 'a/b')
      })
      // Alone it has nowhere to be.
      await expect(history.restore('start', { path: '/a/x' })).rejects.toMatchObject({ code: 'CONFLICT' })
      await history.restore('start')
      expect(await tree(raw)).toEqual(before)
      await history.undo()
      expect(await tree(raw)).toEqual({ '/a': '-> a/b', '/to': '-> a/b' })
    })

    test('differences between two points, and up to now', async () => {
      const { write, history, changes } = await edited()
      await changes.checkpoint('start')
      await write('/a.txt', '2')
      await changes.checkpoint('middle')
      await write('/a.txt', '3')
      await write('/c.txt', 'C')
      const reported = async (from: string, to?: string) =>
        (await history.differences(from, to === undefined ? {} : { to })).map(({ path, bytesBefore, bytesAfter }) => [
          path,
          bytesBefore && new TextDecoder().decode(bytesBefore),
          bytesAfter && new TextDecoder().decode(bytesAfter),
        ])
      expect(await reported('start', 'middle')).toEqual([['/a.txt', '1', '2']])
      expect(await reported('start')).toEqual([
        ['/a.txt', '1', '3'],
        ['/c.txt', undefined, 'C'],
      ])
    })

    test('a file that moved away with its directory differs from a new one in its place', async () => {
      const { history, changes } = await open({ 'c/b': 'old', 'a/': '' })
      await changes.checkpoint('start')
      const scopes = [{ path: '/', tree: true }]
      await changes.run({ label: 'move', scopes }, (draft) => draft.move('/c', '/a/c'))
      await changes.run({ label: 'write', scopes }, async (draft) => {
        await draft.makeParents('/c/b')
        await draft.write('/c/b', encode('new'))
      })
      const reported = await history.differences('start')
      const text = (bytes?: Uint8Array) => bytes && new TextDecoder().decode(bytes)
      expect(reported.map(({ path, bytesBefore, bytesAfter }) => [path, text(bytesBefore), text(bytesAfter)])).toEqual([
        ['/a/c', undefined, undefined],
        ['/c/b', 'old', 'new'],
      ])
    })

    test('earlier versions of a file, newest first', async () => {
      const { write, history } = await edited()
      await write('/a.txt', '2')
      await write('/b.txt', 'B2')
      await write('/a.txt', '3')
      const versions = await history.earlierVersions('/a.txt', 10)
      expect(versions.map((bytes) => new TextDecoder().decode(bytes))).toEqual(['2', '1'])
    })
  })
})
