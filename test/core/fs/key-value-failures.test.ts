/** Stores that fail at any request, in any way that a driver can: every call fails with an error of its own, and nothing else breaks. */
import { describe, expect, test } from 'vitest'
import { keyValueJournal } from '../../../src/change/journal/key-value-journal.js'
import { nestedLocks, processLocks } from '../../../src/change/locks/locks.js'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { FsError } from '../../../src/errors.js'
import { keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { keyValueLock } from '../../../src/fs/backends/key-value/lock.js'
import type { KeyValueStore } from '../../../src/fs/backends/key-value/store.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { sample } from '../../scale.js'
import { mapStore, nodeHashes } from './key-value-stores.js'

const encode = (text: string) => new TextEncoder().encode(text)

/** How a request can fail, and what the error then says. */
const failures: Record<string, { answer(): unknown; says: string }> = {
  'rejects with an Error': {
    answer: () => Promise.reject(new Error('connection refused')),
    says: 'connection refused',
  },
  'rejects with a DOMException': {
    answer: () => Promise.reject(new DOMException('the request was aborted', 'AbortError')),
    says: 'the request was aborted',
  },
  'rejects with a string': { answer: () => Promise.reject('no route to host'), says: 'no route to host' },
  'rejects with undefined': { answer: () => Promise.reject(undefined), says: 'the store failed' },
  'rejects with null': { answer: () => Promise.reject(null), says: 'the store failed' },
  'rejects with an object': { answer: () => Promise.reject({ status: 503 }), says: 'the store failed' },
  'rejects with an object without a prototype': {
    answer: () => Promise.reject(Object.create(null)),
    says: 'the store failed',
  },
  'rejects with an error that has no message': {
    answer: () => Promise.reject(new Error('')),
    says: 'the store failed',
  },
  'rejects with an error whose message is not a text': {
    answer: () => Promise.reject(Object.assign(new Error(), { message: undefined })),
    says: 'the store failed',
  },
  'rejects with an error that can not be read': {
    answer: () =>
      Promise.reject(
        Object.defineProperty(new Error(), 'message', {
          get() {
            throw new Error('unreadable')
          },
        }),
      ),
    says: 'the store failed',
  },
  'throws at once': {
    answer() {
      throw new TypeError('not connected')
    },
    says: 'not connected',
  },
  'returns a number': { answer: () => 7, says: 'the store returned something else than' },
  'returns an object': { answer: async () => ({ value: 1 }), says: 'the store returned something else than' },
}

type Calls = Pick<KeyValueStore, 'getItemRaw' | 'setItemRaw' | 'removeItem' | 'getKeys'> & { replace(): unknown }

/** The store, whose request of this number fails; 0 for none. */
function failing(inner: KeyValueStore, fails: { at: number; answer(): unknown; isReturned?: boolean }) {
  let requests = 0
  let failed: string | undefined
  const request = <Result>(name: keyof Calls, run: () => Promise<Result>): Promise<Result> => {
    requests += 1
    if (requests !== fails.at) return run()
    failed = name
    // What a driver returns for a write says nothing, so it has been made.
    const isWrite = name === 'setItemRaw' || name === 'removeItem'
    if (isWrite && fails.isReturned) return run().then(fails.answer) as Promise<Result>
    return fails.answer() as Promise<Result>
  }
  const { conditional } = inner
  const store: KeyValueStore = {
    getItemRaw: (key) => request('getItemRaw', () => inner.getItemRaw(key)),
    setItemRaw: (key, value) => request('setItemRaw', () => inner.setItemRaw(key, value)),
    removeItem: (key) => request('removeItem', () => inner.removeItem(key)),
    getKeys: (base) => request('getKeys', () => inner.getKeys(base)),
    ...(conditional && {
      conditional: {
        replace: (key, expected, value) => request('replace', () => conditional.replace(key, expected, value)),
      },
    }),
  }
  return { store, requests: () => requests, failed: () => failed }
}

function opened(store: KeyValueStore) {
  const fs = keyValue(store, nodeHashes)
  const lock = keyValueLock(fs, { leaseMs: 60_000 })
  const locks = lock && { locks: nestedLocks(processLocks(), lock) }
  const workspace = () => createWorkspace({ fs, journal: keyValueJournal(fs), ...locks })
  return { fs, workspace }
}

type Opened = ReturnType<typeof opened>

async function filled(conditional: boolean): Promise<Map<string, Uint8Array>> {
  const store = mapStore(new Map(), { conditional })
  const { fs, workspace } = opened(store)
  await fs.makeDir('/d')
  await fs.writeFile('/d/file', encode('old'))
  await fs.writeFile('/large', new Uint8Array(300_000).fill(7))
  await edit(workspace())
  return store.values
}

const edit = ({ changes }: Workspace) =>
  changes.run({ label: 'edit', scopes: [{ path: '/d/file' }] }, async (draft) => {
    await draft.read('/d/file')
    await draft.write('/d/file', encode('new'))
  })

const pieces = async function* () {
  for (let piece = 0; piece < 5; piece += 1) yield new Uint8Array(100_000).fill(piece)
}

const calls: Record<string, (one: Opened) => unknown> = {
  stat: ({ fs }) => fs.stat('/d/file'),
  readFile: ({ fs }) => fs.readFile('/d/file'),
  'a range of a large file': ({ fs }) => fs.readFile('/large', { start: 270_000, end: 270_010 }),
  'a range of an open file': async ({ fs }) => (await fs.open?.('/large'))?.read({ start: 5, end: 10 }),
  readDir: ({ fs }) => fs.readDir('/d'),
  writeFile: ({ fs }) => fs.writeFile('/d/new', encode('content')),
  'a file in pieces': ({ fs }) => fs.transactional?.stageFile('/d/streamed', pieces, {}),
  makeDir: ({ fs }) => fs.makeDir('/e'),
  remove: ({ fs }) => fs.remove('/d/file'),
  rename: ({ fs }) => fs.rename('/d', '/e'),
  setMode: ({ fs }) => fs.setMode?.('/d/file', 0o600),
  collect: ({ fs }) => fs.collect(),
  drop: ({ fs }) => fs.drop(),
  'a change': ({ workspace }) => edit(workspace()),
  'an undo': ({ workspace }) => workspace().history.undo(),
  'the history': ({ workspace }) => workspace().history.list(),
  differences: ({ workspace }) => workspace().history.differences(undefined),
  'a purge': ({ workspace }) => workspace().changes.purge(),
}

/** A change may do without a request: one that releases a lock, or removes garbage. What a read asks for it needs. */
const onlyReads = new Set(['stat', 'readFile', 'a range of a large file', 'a range of an open file', 'readDir'])

for (const conditional of [true, false]) {
  describe(conditional ? 'a store with conditional writes' : 'a store without them', () => {
    for (const [name, call] of sample(Object.entries(calls), { every: 3 })) {
      test(`${name} fails with IO and the words of the store, whichever request fails`, async () => {
        const values = await filled(conditional)
        for (const [how, { answer, says }] of sample(Object.entries(failures), { every: 2 })) {
          for (let at = 1; ; at += 1) {
            const inner = mapStore(new Map(values), { conditional })
            const { store, requests, failed } = failing(inner, { at, answer, isReturned: how.startsWith('returns') })
            const outcome = await Promise.resolve(call(opened(store))).then(
              () => 'done',
              (error: unknown) => error,
            )
            if (requests() < at) break
            const where = `${how}, request ${at} (${failed()})`
            if (outcome !== 'done') {
              if (!(outcome instanceof FsError)) throw new Error(where, { cause: outcome })
              const detail = 'detail' in outcome.facts ? outcome.facts.detail : ''
              expect([where, outcome.code, detail]).toEqual([where, 'IO', expect.stringContaining(says)])
            } else if (onlyReads.has(name)) throw new Error(`not noticed: ${where}`)
            // The next call finds a whole workspace.
            const { fs } = opened(inner)
            if (name !== 'drop') expect((await fs.readDir('/')).length).toBeGreaterThan(0)
          }
        }
      })
    }
  })
}

test('a driver that puts a whole answer into its error is quoted in part', async () => {
  const store = { ...mapStore(), getItemRaw: () => Promise.reject(new Error('x'.repeat(100_000))) }
  const detail = `the store failed: ${'x'.repeat(500)}…`
  await expect(keyValue(store, nodeHashes).readFile('/a')).rejects.toMatchObject({ code: 'IO', facts: { detail } })
})

test('a tool says what the store said, for each request of a read and of a write', async () => {
  const values = await filled(true)
  for (const [name, input] of [
    ['read_file', { path: '/d/file' }],
    ['write_file', { path: '/d/file', content: 'newer' }],
  ] as const) {
    for (let at = 1; ; at += 1) {
      const { store, requests } = failing(mapStore(new Map(values)), {
        at,
        answer: () => Promise.reject('no route to host'),
      })
      const { content, isError } = await tools(opened(store).workspace()).call(name, input)
      if (requests() < at) break
      if (isError)
        expect([name, at, JSON.stringify(content)]).toEqual([name, at, expect.stringContaining('no route to host')])
    }
  }
})
