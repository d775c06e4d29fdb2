import { describe, expect, test } from 'vitest'
import { type Journal, memoryJournal, storedJournal } from '../../../src/change/journal.js'
import { journalPerRoot } from '../../../src/change/per-root.js'
import type { ChangeRecord } from '../../../src/change/record.js'
import { memory } from '../../../src/fs/memory.js'
import { decode, encode } from './faulty.js'

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
  [
    'one for each root',
    async () => journalPerRoot(() => '/r', new Map<string, Journal>([['/r', await storedJournal(memory())]])),
  ],
] as const)('a journal %s', (_name, open) => {
  test('tells how far each change got', async () => {
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

  test('keeps the bytes with the change, before and after it is done', async () => {
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

  test('of a change that is too large to undo, the bytes are kept only while it is under way', async () => {
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
    for (const id of ['100', '200', '300', '400']) {
      await journal.begin(record(id), new Map([['hash', new Uint8Array(1_000)]]))
      await journal.commit(id)
      await journal.finish(record(id))
    }
    const left = async () => (await journal.history()).map(({ id }) => id)
    expect(await journal.prune({ maxBytes: 1e9, oldestMs: 200 })).toBe(3)
    expect(await left()).toEqual(['200', '300', '400'])
    expect(await journal.prune({ maxBytes: 2_900, oldestMs: 0 })).toBe(2)
    expect(await left()).toEqual(['300', '400'])
  })
})

test('pruning reads no record twice, and the newest are told without reading the others', async () => {
  const store = memory()
  const read: string[] = []
  const watched = {
    ...store,
    readFile: (...args: Parameters<typeof store.readFile>) => {
      read.push(args[0])
      return store.readFile(...args)
    },
  }
  const journal = await storedJournal(watched)
  const bounds = { maxBytes: 1e9, oldestMs: 0 }
  for (const id of ['1', '2', '3']) await journal.add(record(id), contents)
  await journal.prune(bounds)
  expect(read.splice(0)).toEqual(['/history/1', '/history/2', '/history/3'])
  await journal.add(record('4'), contents)
  await journal.prune(bounds)
  expect(read.splice(0)).toEqual(['/history/4'])
  expect((await journal.history(2)).map(({ id }) => id)).toEqual(['3', '4'])
  expect(read).toEqual(['/history/3', '/history/4'])
})

test('what a crash left of a record is swept away, and never read', async () => {
  const store = memory()
  const journal = await storedJournal(store)
  await journal.begin(record('1'), contents)
  await store.writeFile('/pending/2.partial', encode('{"rec'))
  expect((await journal.pending()).map(({ record: { id } }) => id)).toEqual(['1'])
  await journal.clean()
  expect((await store.readDir('/pending')).map(({ name }) => name)).toEqual(['1.begun'])
})

test('a record longer than a first look is read whole', async () => {
  const journal = await storedJournal(memory())
  const long = record('1', { label: 'x'.repeat(100_000) })
  await journal.begin(long, contents)
  await journal.commit('1')
  await journal.finish(long)
  expect(await journal.history()).toEqual([long])
  expect(await journal.content('1', 'third')).toEqual(contents.get('third'))
})
