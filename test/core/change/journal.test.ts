import { describe, expect, test } from 'vitest'
import { createChanges } from '../../../src/change/changes.js'
import { createHistory } from '../../../src/change/history/history.js'
import { type Journal, memoryJournal, storedJournal } from '../../../src/change/journal/journal.js'
import { journalPerRoot } from '../../../src/change/journal/journal-per-root.js'
import { keyValueJournal } from '../../../src/change/journal/key-value-journal.js'
import type { ChangeRecord, Step } from '../../../src/change/journal/record.js'
import { sqliteJournal } from '../../../src/change/journal/sqlite-journal.js'
import { historyPatch } from '../../../src/engine/history-patch.js'
import { keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { sqlite } from '../../../src/fs/backends/sqlite/workspaces.js'
import { sha256 } from '../../../src/fs/digests/sha256.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { undoChange } from '../../../src/ops/history/change-history.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { mapStore } from '../fs/key-value-stores.js'
import { sqlJs } from '../fs/sqlite-database.js'
import { decode, encode } from './faulty-disk.js'

const openDatabase = await sqlJs()

function record(id: string, more: Partial<ChangeRecord> = {}): ChangeRecord {
  const step = { do: 'set', path: '/r/a.txt', before: { kind: 'absent' }, after: { kind: 'absent' } } as const
  return { id, label: 'edit', atMs: Number(id), steps: [step], undoable: true, ...more }
}

const contents = new Map([
  ['first', encode('one\nwith a line')],
  ['second', encode('')],
  ['third', new Uint8Array([0, 10, 255])],
])

describe.each([
  ['in memory', async () => memoryJournal()],
  ['stored', () => storedJournal(memory())],
  ['in the database of the tree', async () => sqliteJournal(sqlite(openDatabase()))],
  ['in the store of the tree', async () => keyValueJournal(keyValue(mapStore()))],
  [
    'one for each root',
    async () => journalPerRoot(() => '/r', new Map<string, Journal>([['/r', await storedJournal(memory())]])),
  ],
] as const)('a journal %s', (_name, open) => {
  test('reports the state of each change', async () => {
    const journal = await open()
    for (const id of ['1', '2', '3', '4', '5']) await journal.begin(record(id), contents)
    for (const id of ['2', '3', '4']) await journal.commit(id)
    await journal.withdraw('3')
    await journal.finish(record('4'))
    await journal.abandon('5')
    const states = (await journal.pending()).map(({ record: { id }, state }) => [id, state])
    expect(states).toEqual([
      ['1', 'begun'],
      ['2', 'committed'],
      ['3', 'withdrawn'],
    ])
    expect((await journal.pending(new Set(['1', '3']))).map(({ record: { id } }) => id)).toEqual(['2'])
    expect(await journal.history()).toEqual([record('4')])
  })

  test('a change that is not committed is not withdrawn, only abandoned', async () => {
    const journal = await open()
    await journal.begin(record('1'), contents)
    await journal.withdraw('1')
    expect(await journal.pending()).toMatchObject([{ state: 'begun' }])
    await journal.abandon('1')
    expect(await journal.pending()).toEqual([])
  })

  test('stores the bytes with the change, before and after it is finished', async () => {
    const journal = await open()
    await journal.begin(record('1'), contents)
    const kept = async () => Promise.all([...contents.keys()].map((hash) => journal.content('1', hash)))
    expect(await kept()).toEqual([...contents.values()])
    await journal.commit('1')
    expect(await kept()).toEqual([...contents.values()])
    await journal.finish(record('1'))
    expect(await kept()).toEqual([...contents.values()])
    expect(await journal.content('1', 'unknown')).toBeUndefined()
  })

  test('the bytes of a change that is too large to undo are stored only while it is pending', async () => {
    const journal = await open()
    const large = record('1', { undoable: false })
    await journal.begin(large, contents)
    await journal.commit('1')
    expect(decode(await journal.content('1', 'first'))).toBe('one\nwith a line')
    await journal.finish(large)
    expect(await journal.content('1', 'first')).toBeUndefined()
    expect(await journal.history()).toEqual([large])
    expect(await journal.pending()).toEqual([])
  })

  test('drops the oldest past a size or an age', async () => {
    const journal = await open()
    // Some are of the same hundred seconds.
    const ids = [100_000, 200_000, 200_001, 299_999, 400_000].map(idAt)
    for (const id of ids) {
      await journal.begin(record(id), new Map([['hash', new Uint8Array(10_000)]]))
      await journal.commit(id)
      await journal.finish(record(id))
    }
    const left = async () => (await journal.history()).map(({ id }) => id)
    expect(await journal.prune({ maxBytes: 1e9, oldestMs: -1 })).toBe(5)
    expect(await journal.prune({ maxBytes: 1e9, oldestMs: 200_001 })).toBe(3)
    expect(await left()).toEqual(ids.slice(2))
    expect(await journal.prune({ maxBytes: 29_000, oldestMs: 0 })).toBe(2)
    expect(await left()).toEqual(ids.slice(3))
    expect(await journal.prune({ maxBytes: 0, oldestMs: 0 })).toBe(0)
    expect(await left()).toEqual([])
    await journal.add(record(idAt(400_001)), contents)
    expect(await left()).toEqual([idAt(400_001)])
  })
})

function idAt(ms: number): string {
  return String(ms).padStart(15, '0')
}

test('in memory records count too, so that changes that replace nothing are not kept without limit', async () => {
  const journal = memoryJournal()
  for (let at = 1000; at < 2000; at += 1) await journal.add(record(String(at)), new Map())
  const left = await journal.prune({ maxBytes: 100_000, oldestMs: 0 })
  expect(left).toBeGreaterThan(10)
  expect(left).toBeLessThan(100)
  expect((await journal.history(1)).map(({ id }) => id)).toEqual(['1999'])
})

describe('a long history', () => {
  const bounds = { maxBytes: 1e9, oldestMs: 0 }

  async function watchedStore() {
    const store = memory()
    const asked: string[] = []
    const watching = <Given extends [string, ...unknown[]], Result>(call: (...given: Given) => Promise<Result>) => {
      return (...given: Given) => {
        asked.push(given[0])
        return call(...given)
      }
    }
    const { readFile, readDir, stat } = store
    const watched = {
      ...withoutFacets(store),
      readFile: watching(readFile),
      readDir: watching(readDir),
      stat: watching(stat),
    }
    return { store, watched, asked: () => asked.splice(0).filter((path) => path !== '/corrupt') }
  }

  test('is scanned only where something has changed, and the newest records are listed without reading the others', async () => {
    const { store, watched, asked } = await watchedStore()
    const journal = await storedJournal(watched)
    for (const ms of [100_000, 100_001, 200_000, 300_000]) await journal.add(record(idAt(ms)), contents)
    const [first, second, third] = ['/history/0000000001', '/history/0000000002', '/history/0000000003'] as const
    for (const shelf of [first, second]) await store.setModified?.(shelf, Date.now() - 10_000)
    asked()
    expect(await journal.prune(bounds)).toBe(4)
    const looked = (shelf: string, ...times: number[]) => [shelf, shelf, ...times.map((ms) => `${shelf}/${idAt(ms)}`)]
    expect(asked()).toEqual([
      '/history',
      ...looked(third, 300_000),
      ...looked(second, 200_000),
      ...looked(first, 100_000, 100_001),
    ])
    expect(await journal.prune(bounds)).toBe(4)
    expect(asked()).toEqual(['/history', ...looked(third), second, first])
    await journal.add(record(idAt(200_001)), contents)
    asked()
    expect(await journal.prune(bounds)).toBe(5)
    expect(asked()).toEqual(['/history', ...looked(third), ...looked(second, 200_001), first])
    const newest = await journal.history(2)
    expect(newest.map(({ id }) => id)).toEqual([idAt(200_001), idAt(300_000)])
    expect(asked().filter((path) => path.startsWith(first))).toEqual([])
  })

  /** Forty changes of two files in turn, each on a shelf of its own, and one checkpoint among the newest. */
  async function longHistory() {
    const { store, watched, asked } = await watchedStore()
    const journal = await storedJournal(watched)
    const fs = confine(memory({ '/even': '', '/odd': '' }), { roots: [{ path: '/', access: 'read-write' }] })
    for (let i = 1; i <= 40; i += 1) {
      const path = i % 2 === 0 ? '/even' : '/odd'
      const step: Step = { do: 'set', path, before: { kind: 'absent' }, after: { kind: 'directory' } }
      const more = i === 38 ? { checkpoint: 'named', steps: [] } : { steps: [step] }
      await journal.add(record(idAt(i * 100_000), more), contents)
    }
    const history = createHistory(fs, createChanges({ fs, journal }))
    const shelves = () => new Set(asked().flatMap((path) => /^\/history\/(\d+)/.exec(path)?.[1] ?? []))
    shelves()
    return { store, history, shelves }
  }
  const ids = (records: readonly ChangeRecord[]) => records.map(({ id }) => Number(id) / 100_000)

  test('is read only as far as needed to find a point, the changes after it, and changes of a path', async () => {
    const { history, shelves } = await longHistory()
    expect((await history.find(idAt(500_000))).id).toBe(idAt(500_000))
    expect(shelves()).toEqual(new Set(['0000000005']))
    expect((await history.find('named')).id).toBe(idAt(3_800_000))
    expect(Math.min(...[...shelves()].map(Number))).toBe(25)
    expect(ids(await history.list({ path: '/even', limit: 3 }))).toEqual([40, 36, 34])
    expect(Math.min(...[...shelves()].map(Number))).toBe(25)
    await history.differences('named')
    expect(Math.min(...[...shelves()].map(Number))).toBe(25)
    expect(ids(await history.list({ before: idAt(300_000) }))).toEqual([2, 1])
    expect([...shelves()].map(Number).sort()).toEqual([1, 2, 3])
    expect(ids(await history.list({ path: '/odd' }))).toEqual(Array.from({ length: 20 }, (_, i) => 39 - 2 * i))
    expect([await history.list({ limit: 0 }), await history.list({ path: '/odd', limit: 0 })]).toEqual([[], []])
    await expect(history.find('missing')).rejects.toMatchObject({ code: 'UNKNOWN_POINT' })
    await expect(history.find(idAt(450_000))).rejects.toMatchObject({ code: 'UNKNOWN_POINT' })
  })

  test('is read only as far as needed to find the change to undo', async () => {
    const { store, watched, asked } = await watchedStore()
    let ms = 0
    const workspace = createWorkspace({
      fs: memory({ '/own/': '' }),
      journal: await storedJournal(watched),
      now: () => (ms += 100_000),
    })
    const write = (path: string) =>
      workspace.changes.run({ label: path, scopes: [{ path }] }, (draft) => draft.write(path, encode(`at ${ms}`)))
    for (let i = 0; i < 60; i += 1) await write(i < 50 ? '/a' : '/own/b')
    const oldest = (await store.readDir('/history')).map(({ name }) => name).sort()[0]
    asked()
    const { undoes } = await undoChange.run({ passOver: ['/own'] }, workspace, {})
    expect((await workspace.history.find(undoes as string)).atMs).toBe(5_000_000)
    expect(asked().filter((path) => path.startsWith(`/history/${oldest}`))).toEqual([])
    await historyPatch(workspace)
    expect(asked().filter((path) => path.startsWith(`/history/${oldest}/`))).toHaveLength(2)
  })

  test('finds the old version of each file of a large change without reading the record again', async () => {
    const { watched, asked } = await watchedStore()
    const names = Array.from({ length: 50 }, (_, i) => `/f${i}`)
    const tree = memory(Object.fromEntries(names.map((name) => [name, `was ${name}`])))
    const fs = confine(tree, { roots: [{ path: '/', access: 'read-write' }] })
    const changes = createChanges({ fs, journal: await storedJournal(watched) })
    const history = createHistory(fs, changes)
    const scopes = names.map((path) => ({ path }))
    const { record: made } = await changes.run({ label: 'delete', scopes }, async (draft) => {
      for (const name of names) await draft.remove(name)
    })
    const readings = () => asked().filter((path) => path.endsWith(`/${made?.id}`)).length
    readings()
    expect(await history.differences(undefined)).toHaveLength(50)
    expect(readings() - names.length).toBeLessThan(10)
    await history.undo()
    expect(readings() - names.length).toBeLessThan(10)
    expect(decode(await tree.readFile('/f49'))).toBe('was /f49')
  })

  test('looks for the old version of a file only in the changes that store it', async () => {
    const { watched, asked } = await watchedStore()
    const tree = memory()
    const fs = confine(tree, { roots: [{ path: '/', access: 'read-write' }] })
    let ms = 0
    const changes = createChanges({ fs, journal: await storedJournal(watched), now: () => (ms += 1) })
    const write = (path: string, text: string) =>
      changes.run({ label: 'write', scopes: [{ path }] }, (draft) => draft.write(path, encode(text)))
    for (let i = 0; i < 20; i += 1) await write(`/f${i}`, `text ${i}`)
    await changes.checkpoint('here')
    for (let i = 20; i < 80; i += 1) await write(`/f${i % 20}`, `text ${i}`)
    asked()
    const found = await createHistory(fs, changes).differences('here')
    expect(found.map(({ bytesBefore }) => decode(bytesBefore)).sort()).toEqual(
      Array.from({ length: 20 }, (_, i) => `text ${i}`).sort(),
    )
    expect(asked().length).toBeLessThan(600)
  })

  test('is read past any number of records that can not be read', async () => {
    const { store, history } = await longHistory()
    for (let i = 3; i <= 40; i += 1) {
      const id = idAt(i * 100_000)
      await store.writeFile(`/history/${id.slice(0, 10)}/${id}`, encode('not a record'))
    }
    expect(ids(await history.list({ path: '/odd' }))).toEqual([1])
    await expect(history.find('named')).rejects.toMatchObject({ code: 'UNKNOWN_POINT' })
  })

  test('is correct when other processes add records, even old ones, and drop some', async () => {
    const store = memory()
    const [journal, other] = [await storedJournal(store), await storedJournal(store)]
    for (const ms of [100_000, 200_000, 300_000]) await journal.add(record(idAt(ms)), contents)
    expect(await journal.prune(bounds)).toBe(3)
    await other.add(record(idAt(100_001)), contents)
    await other.add(record(idAt(400_000)), contents)
    expect(await journal.prune(bounds)).toBe(5)
    expect(await other.prune({ maxBytes: 1e9, oldestMs: 100_001 })).toBe(4)
    expect(await journal.prune(bounds)).toBe(4)
    const bytes = (await store.stat(`/history/0000000004/${idAt(400_000)}`)).size ?? 0
    expect(await journal.prune({ maxBytes: 4 * bytes, oldestMs: 0 })).toBe(4)
    expect(await other.prune({ maxBytes: 1e9, oldestMs: 200_001 })).toBe(2)
    expect(await journal.prune(bounds)).toBe(2)
    expect((await journal.history()).map(({ id }) => id)).toEqual([idAt(300_000), idAt(400_000)])
    expect((await store.readDir('/history')).map(({ name }) => name).sort()).toEqual(['0000000003', '0000000004'])
  })

  test('skips files of other programs in its directories, and recreates removed directories', async () => {
    const store = memory()
    const journal = await storedJournal(store)
    await journal.add(record(idAt(100_000)), contents)
    for (const path of ['/history/.DS_Store', '/pending/.DS_Store', '/history/0000000001/.DS_Store']) {
      await store.writeFile(path, encode('Bud1'))
    }
    for (const path of ['/history/lost+found', '/pending/lost+found', '/history/0000000001/lost+found']) {
      await store.makeDir(path)
    }
    for (const one of [journal, await storedJournal(store)]) {
      expect(await one.pending()).toEqual([])
      expect(await one.history()).toEqual([record(idAt(100_000))])
      expect(await one.prune(bounds)).toBeGreaterThan(0)
    }
    await store.rename('/history', '/elsewhere')
    expect(await journal.history()).toEqual([])
    expect(await journal.prune(bounds)).toBe(0)
    await journal.add(record(idAt(200_000)), contents)
    expect(await journal.history()).toEqual([record(idAt(200_000))])
  })

  test('in the old layout, one directory for all, is read', async () => {
    const store = memory()
    const before = await storedJournal(store)
    const ids = [100_000, 200_000].map(idAt)
    for (const id of ids) {
      await before.add(record(id), contents)
      await store.rename(`/history/${id.slice(0, 10)}/${id}`, `/history/${id}`)
      await store.remove(`/history/${id.slice(0, 10)}`)
    }
    const journal = await storedJournal(store)
    expect((await journal.history()).map(({ id }) => id)).toEqual(ids)
    expect(await journal.content(ids[0] as string, 'third')).toEqual(contents.get('third'))
  })
})

test('an incomplete record after a crash is removed, and never read', async () => {
  const store = memory()
  const journal = await storedJournal(store)
  await journal.begin(record('1'), contents)
  await store.writeFile('/pending/2.partial', encode('{"rec'))
  expect((await journal.pending()).map(({ record: { id } }) => id)).toEqual(['1'])
  await journal.clean()
  expect((await store.readDir('/pending')).map(({ name }) => name)).toEqual(['1.begun'])
})

test('a record that can not be applied is set aside like one that can not be read', async () => {
  const store = memory()
  const journal = await storedJournal(store)
  const text = (value: unknown) => encode(`${JSON.stringify({ record: value, kept: [] })}\n`)
  await store.writeFile('/pending/1.committed', text({ ...record('1'), steps: [null] }))
  await store.writeFile('/pending/2.committed', text(record('3')))
  await store.writeFile('/pending/4.committed', text(record('4')))
  expect((await journal.pending()).map(({ record: { id } }) => id)).toEqual(['4'])
  expect(await journal.corrupt()).toEqual(['1.committed', '2.committed'])
})

test('a record longer than the first read is read completely', async () => {
  const journal = await storedJournal(memory())
  const long = record('1', { label: 'x'.repeat(100_000) })
  await journal.begin(long, contents)
  await journal.commit('1')
  await journal.finish(long)
  expect(await journal.history()).toEqual([long])
  expect(await journal.content('1', 'third')).toEqual(contents.get('third'))
})

test('a record in a database that can not be read is set aside, and purged with the rest', async () => {
  const database = openDatabase()
  const journal = sqliteJournal(sqlite(database))
  for (const id of ['1', '2', '3']) await journal.add(record(id), contents)
  await journal.begin(record('4'), contents)
  database.execute("UPDATE polyfs_changes SET record = '{ torn' WHERE id IN ('2', '4')")
  expect(await journal.pending()).toEqual([])
  expect((await journal.history()).map(({ id }) => id)).toEqual(['1', '3'])
  expect(await journal.corrupt()).toEqual(['2', '4'])
  database.execute("UPDATE polyfs_changes SET record = '' WHERE id = '3'")
  await journal.purge((one) => one)
  expect(await journal.corrupt()).toEqual([])
  expect((await journal.history()).map(({ id }) => id)).toEqual(['1'])
})

test('a record in a database that is too large for one value is stored as content', async () => {
  const journal = sqliteJournal(sqlite(openDatabase()))
  const steps = Array.from({ length: 3_000 }, (_, index): Step => {
    return { do: 'set', path: `/r/${'ü'.repeat(40)}-${index}`, before: { kind: 'absent' }, after: { kind: 'absent' } }
  })
  await journal.add(record('1', { steps }), new Map())
  expect(await journal.history()).toEqual([record('1', { steps })])
})

test('a record in a store that was changed by others is left out and reported, and purged with the rest', async () => {
  const store = mapStore()
  const fs = keyValue(store)
  const journal = keyValueJournal(fs)
  const bytes = encode('replaced')
  const kept = new Map([[sha256(bytes), bytes]])
  for (const id of ['1', '2', '3']) await journal.add(record(id), kept)
  const item = fs.place.tree.known.history.tail[1]
  const [, hash = ''] = item?.record.split(':') ?? []
  const key = [...store.values.keys()].find((one) => one.endsWith(hash.slice(2))) ?? ''
  store.values.set(key, encode('{ torn'))
  const again = keyValueJournal(keyValue(store))
  expect((await again.history()).map(({ id }) => id)).toEqual(['1', '3'])
  expect(await again.corrupt()).toEqual(['2'])
  await again.purge((one) => one)
  expect(await again.corrupt()).toEqual([])
  expect((await again.history()).map(({ id }) => id)).toEqual(['1', '3'])
  expect(await again.content('3', sha256(bytes))).toEqual(bytes)
})

test('a history in a store is longer than what its head holds', async () => {
  const store = mapStore()
  const journal = keyValueJournal(keyValue(store))
  const ids = Array.from({ length: 700 }, (_, index) => String(1000 + index))
  for (const id of ids) await journal.add(record(id), contents)
  const again = keyValueJournal(keyValue(store))
  expect((await again.history()).map(({ id }) => id)).toEqual(ids)
  expect((await again.history(3, '1400')).map(({ id }) => id)).toEqual(['1397', '1398', '1399'])
  expect(await again.prune({ maxBytes: Infinity, oldestMs: 1650 })).toBe(50)
  expect((await again.history()).map(({ id }) => id)).toEqual(ids.slice(650))
  const head = store.values.get('polyfs:main:head')
  expect(head?.length).toBeLessThan(20_000)
})
