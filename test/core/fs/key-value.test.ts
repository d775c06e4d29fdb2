import { createStorage } from 'unstorage'
import { describe, expect, test } from 'vitest'
import { keyValueJournal } from '../../../src/change/journal/key-value-journal.js'
import { nestedLocks, processLocks } from '../../../src/change/locks/locks.js'
import { tools } from '../../../src/dialects/tool-definitions.js'
import {
  type KeyValueFileSystem,
  type KeyValueOptions,
  keyValue,
} from '../../../src/fs/backends/key-value/file-system.js'
import { keyValueLock } from '../../../src/fs/backends/key-value/lock.js'
import type { KeyValueStore } from '../../../src/fs/backends/key-value/store.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { describeWrapperContract } from '../../describe-contract.js'
import { eventual, mapStore, mortal, nodeHashes } from './key-value-stores.js'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describeWrapperContract('keyValue on the memory driver', () => ({
  fs: keyValue(createStorage(), nodeHashes),
  base: '/base',
}))
describeWrapperContract('keyValue with conditional writes', () => ({ fs: keyValue(mapStore()), base: '/base' }))

function opened(store: KeyValueStore, options: KeyValueOptions = {}): { fs: KeyValueFileSystem; workspace: Workspace } {
  const fs = keyValue(store, { ...nodeHashes, ...options })
  const lock = keyValueLock(fs, { leaseMs: 300 })
  const workspace = createWorkspace({
    fs,
    journal: keyValueJournal(fs),
    ...(lock && { locks: nestedLocks(processLocks(), lock) }),
  })
  return { fs, workspace }
}

describe('what is asked of the store', () => {
  test('one directory is listed with one value for each directory on its path', async () => {
    const store = mapStore()
    const fs = keyValue(store)
    for (const directory of ['/a', '/a/b', '/other']) await fs.makeDir(directory)
    for (let index = 0; index < 50; index += 1) await fs.writeFile(`/other/${index}`, encode(`${index}`))
    await fs.writeFile('/a/b/file', encode('x'))
    const fresh = keyValue(store)
    store.requests = 0
    expect(await fresh.readDir('/a/b')).toEqual([{ name: 'file', kind: 'file' }])
    // The head under each of its three names the first time, then the root, /a and /a/b.
    expect(store.requests).toBe(6)
    store.requests = 0
    await fresh.readDir('/a/b')
    expect(store.requests).toBe(1)
  })

  test('a rename of a directory moves no contents, whatever is in it', async () => {
    const store = mapStore()
    const fs = keyValue(store)
    await fs.makeDir('/a')
    for (let index = 0; index < 300; index += 1) await fs.writeFile(`/a/${index}`, encode(`${index}`))
    store.requests = 0
    await fs.rename('/a', '/b')
    expect(store.requests).toBeLessThan(8)
    expect((await fs.readDir('/b')).length).toBe(300)
  })

  test('an edit in a directory of 3000 files writes a few kilobytes', async () => {
    const store = mapStore()
    const fs = keyValue(store, nodeHashes)
    const actions = Array.from({ length: 3000 }, (_, index) => {
      const bytes = encode(`${index}`)
      return { do: 'write' as const, path: `/${index}`, bytes, hash: nodeHashes.sha256(bytes) }
    })
    await fs.transactional?.atomic?.apply(actions)
    const sizes: number[] = []
    const { conditional } = store
    const counted: KeyValueStore = {
      ...store,
      async setItemRaw(key, value) {
        sizes.push(value.length)
        await store.setItemRaw(key, value)
      },
      ...(conditional && { conditional }),
    }
    const other = keyValue(counted, nodeHashes)
    await other.writeFile('/1500', encode('changed'))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40_000)
    expect((await keyValue(store).readDir('/')).length).toBe(3000)
  })

  test('a range of a large file reads only its chunks', async () => {
    const store = mapStore()
    const bytes = new Uint8Array(3_000_000).map((_, at) => (at * 31 + (at >> 8) + (at >> 18)) & 0xff)
    await keyValue(store).writeFile('/large', bytes)
    const fresh = keyValue(store)
    await fresh.stat('/large')
    store.requests = 0
    expect(await fresh.readFile('/large', { start: 262_143, end: 262_145 })).toEqual(bytes.slice(262_143, 262_145))
    // The head, the list of chunks, and two of them.
    expect(store.requests).toBe(4)
    expect(Buffer.compare(await fresh.readFile('/large'), bytes)).toBe(0)
  })

  test('equal files are stored once', async () => {
    const store = mapStore()
    const fs = keyValue(store)
    const bytes = encode('the same')
    for (const name of ['a', 'b', 'c']) await fs.writeFile(`/${name}`, bytes)
    expect([...store.values.values()].filter((value) => decode(value) === 'the same').length).toBe(1)
  })

  test('content in pieces is stored as it comes, and read whole', async () => {
    const store = mapStore()
    const { fs, workspace } = opened(store)
    const bytes = new Uint8Array(700_001).map((_, at) => (at * 7) & 0xff)
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += 100_003) yield bytes.subarray(at, at + 100_003)
    }
    await workspace.changes.run({ label: 'copy', scopes: [{ path: '/copy' }] }, async () => {
      await fs.transactional?.stageFile('/copy', pieces, {})
    })
    expect(Buffer.compare(await keyValue(store).readFile('/copy'), bytes)).toBe(0)
  })
})

describe('several processes', () => {
  test('64 edits of one file by four of them are all in it, and each can be undone', async () => {
    const store = mapStore()
    const all = Array.from({ length: 4 }, () => opened(store))
    const lines = (word: string) => Array.from({ length: 64 }, (_, line) => `${word} ${line};\n`).join('')
    await all[0]?.fs.writeFile('/a', encode(lines('line')))
    const edits = Array.from({ length: 64 }, (_, line) =>
      all[line % 4]?.workspace.changes.run({ label: 'edit', scopes: [{ path: '/a' }] }, async (draft) => {
        const text = decode(await draft.read('/a'))
        await draft.write('/a', encode(text.replace(`line ${line};`, `done ${line};`)))
      }),
    )
    await Promise.all(edits)
    const { fs, workspace } = opened(store)
    expect(decode(await fs.readFile('/a'))).toBe(lines('done'))
    const ids = (await workspace.changes.journal.history()).map(({ id }) => id)
    expect(ids).toEqual([...ids].sort())
    expect(new Set(ids).size).toBe(64)
    for (let undone = 0; undone < 64; undone += 1) await workspace.history.undo()
    expect(decode(await fs.readFile('/a'))).toBe(lines('line'))
  })

  test('without the lock a change of a file that another process has changed is a conflict, and all others are made', async () => {
    const store = mapStore()
    const [one, two] = [keyValue(store), keyValue(store)]
    const [here, there] = [one, two].map((fs) => createWorkspace({ fs, journal: keyValueJournal(fs) })) as [
      Workspace,
      Workspace,
    ]
    await one.writeFile('/a', encode('start'))
    const edit = here.changes.run({ label: 'edit', scopes: [{ path: '/a' }] }, async (draft) => {
      const text = decode(await draft.read('/a'))
      await there.changes.run({ label: 'other', scopes: [{ path: '/a' }] }, (other) =>
        other.write('/a', encode('theirs')),
      )
      await draft.write('/a', encode(`${text} mine`))
    })
    await expect(edit).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(decode(await one.readFile('/a'))).toBe('theirs')
    const writes = Array.from({ length: 40 }, (_, index) => {
      const label = String(index)
      const { changes } = index % 2 === 0 ? here : there
      return changes.run({ label, scopes: [{ path: `/${label}` }] }, (draft) => draft.write(`/${label}`, encode(label)))
    })
    await Promise.all(writes)
    expect((await two.readDir('/')).length).toBe(41)
  })

  test('a lock whose holder has died is taken after its lease, and one in use is waited for', async () => {
    const store = mapStore()
    const dying = mortal(store)
    const [first, second, third] = [dying, store, store].map((each) =>
      keyValueLock(keyValue(each), { leaseMs: 3000, maxWaitMs: 30 }),
    )
    const patient = keyValueLock(keyValue(store), { leaseMs: 3000 })
    const scopes = [{ path: '/a' }]
    await first?.hold(scopes, async () => {
      await expect(second?.hold(scopes, async () => {})).rejects.toMatchObject({ code: 'BUSY' })
      dying.dieAt(1)
      await dying.removeItem('x').catch(() => {})
    })
    // The dead holder has not released it.
    await expect(third?.hold(scopes, async () => {})).rejects.toMatchObject({ code: 'BUSY' })
    expect(await patient?.hold(scopes, async () => 'held')).toBe('held')
    expect(store.values.has('polyfs:main:lock')).toBe(false)
  })

  test('two writers of a store that can not keep them apart are noticed', async () => {
    const store = mapStore(new Map(), { conditional: false })
    const [one, two] = [keyValue(store), keyValue(store)]
    await one.writeFile('/a', encode('1'))
    await two.stat('/')
    const slow = { ...store, getItemRaw: (key: string) => store.getItemRaw(key) }
    const third = keyValue(slow)
    await third.stat('/')
    // Both begin with version 1 and write version 2.
    slow.getItemRaw = async (key) => (key.includes('head') ? null : store.getItemRaw(key))
    await two.writeFile('/b', encode('2'))
    await expect(third.writeFile('/c', encode('3'))).rejects.toMatchObject({ code: 'IO' })
  })
})

describe('a store that is eventually consistent', () => {
  function sequence(seed: number): () => number {
    let state = seed
    return () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return state / 2 ** 32
    }
  }

  test.each([1, 2, 3, 4, 5])(
    'loses nothing that was acknowledged, over restarts of the process that writes (%i)',
    async (seed) => {
      const inner = mapStore(new Map(), { conditional: false })
      const store = eventual(inner, { staleMs: 25, random: sequence(seed) })
      const written = new Map<string, string>()
      for (let process = 0; process < 4; process += 1) {
        const { fs, workspace } = opened(store, { settleMs: 40 })
        for (let change = 0; change < 8; change += 1) {
          const [path, text] = [`/${(process * 3 + change) % 7}`, `${process} ${change}`]
          await workspace.changes.run({ label: 'write', scopes: [{ path }] }, (draft) =>
            draft.write(path, encode(text)),
          )
          written.set(path, text)
          // A process reads what it wrote, whatever the store returns.
          expect(decode(await fs.readFile(path))).toBe(text)
        }
      }
      const found = keyValue(inner)
      expect((await found.readDir('/')).length).toBe(written.size)
      for (const [path, text] of written) expect(decode(await found.readFile(path))).toBe(text)
      expect((await keyValueJournal(found).history()).length).toBe(32)
    },
  )

  test('a stale read is detected by the hash that an edit carries', async () => {
    const inner = mapStore(new Map(), { conditional: false })
    let isOld = true
    const writer = opened(inner)
    await writer.fs.writeFile('/a.txt', encode('old\n'))
    const before = new Map(inner.values)
    await writer.fs.writeFile('/a.txt', encode('new\n'))
    // A reader elsewhere, which sees the store as it was.
    const reader = opened({ ...inner, getItemRaw: async (key) => (isOld ? before : inner.values).get(key) ?? null })
    const [there, here] = [tools(reader.workspace), tools(writer.workspace)]
    const seen = await there.callText('read_file', { path: '/a.txt' })
    expect(seen).toContain('old')
    const hash = /\b[0-9a-f]{8,64}\b/.exec(seen)?.[0] ?? ''
    const edit = { path: '/a.txt', content: 'mine\n', expected_hash: hash }
    const refused = await here.call('write_file', edit)
    expect(refused.isError).toBe(true)
    expect(await here.callText('write_file', edit)).toMatch(/changed/)
    expect(decode(await writer.fs.readFile('/a.txt'))).toBe('new\n')
    isOld = false
    expect(await there.callText('read_file', { path: '/a.txt' })).toContain('new')
  })
})

describe('when something is wrong', () => {
  test('a store that goes away in the middle fails with its reason, and works again when it is back', async () => {
    const inner = mapStore()
    const store = mortal(inner)
    const { fs, workspace } = opened(store)
    const write = (path: string) =>
      workspace.changes.run({ label: 'write', scopes: [{ path }] }, (draft) => draft.write(path, encode(path)))
    await write('/a')
    for (let death = 1; death < 8; death += 1) {
      store.dieAt(death)
      const made = await write(`/${death}`).then(
        () => true,
        (error: { code: string; facts: { detail: string } }) => {
          expect(error.code).toBe('IO')
          expect(error.facts.detail).toContain('the store failed: the process is dead')
          return false
        },
      )
      store.dieAt(Infinity)
      const names = (await fs.readDir('/')).map(({ name }) => name)
      if (made) expect(names).toContain(String(death))
    }
    await write('/last')
    expect(decode(await keyValue(inner).readFile('/last'))).toBe('/last')
    expect(decode(await keyValue(inner).readFile('/a'))).toBe('/a')
  })

  test('a store that does not answer is given up', async () => {
    const store: KeyValueStore = { ...mapStore(), getItemRaw: () => new Promise(() => {}) }
    await expect(keyValue(store, { timeoutMs: 20 }).stat('/')).rejects.toMatchObject({
      code: 'IO',
      facts: { detail: 'the store did not answer within 1 seconds' },
    })
  })

  test('a lost answer to the last write is not a failure', async () => {
    const store = mapStore()
    let losesAnswers = false
    const { conditional } = store
    if (conditional === undefined) throw new Error('no conditional writes')
    const fs = keyValue({
      ...store,
      conditional: {
        async replace(key, expected, value) {
          const done = await conditional.replace(key, expected, value)
          if (losesAnswers) throw new Error('connection lost')
          return done
        },
      },
    })
    await fs.writeFile('/a', encode('1'))
    losesAnswers = true
    await fs.writeFile('/a', encode('2'))
    expect(decode(await fs.readFile('/a'))).toBe('2')
  })

  test.each([
    ['content', 'some text'],
    ['a directory', '"name"'],
  ])('%s that another program has changed or removed is reported, and the rest is kept', async (_what, has) => {
    const store = mapStore()
    const fs = keyValue(store)
    await fs.makeDir('/d')
    await fs.writeFile('/d/name', encode('some text'))
    await fs.writeFile('/other', encode('fine'))
    const [key] =
      [...store.values].find(([, value]) => decode(value).includes(has) && !decode(value).includes('other')) ?? []
    store.values.set(key ?? '', encode('something else'))
    const other = keyValue(store)
    await expect(other.readFile('/d/name')).rejects.toMatchObject({
      code: 'IO',
      facts: { path: '/d/name', detail: expect.stringContaining('another program changed it') },
    })
    store.values.delete(key ?? '')
    await expect(keyValue(store).readFile('/d/name')).rejects.toMatchObject({
      code: 'IO',
      facts: { detail: expect.stringContaining('the store does not have the value') },
    })
    expect(decode(await keyValue(store).readFile('/other'))).toBe('fine')
  })

  test('a damaged head, one of another layout and one that was removed are left as they are', async () => {
    const store = mapStore()
    const fs = keyValue(store)
    await fs.writeFile('/a', encode('1'))
    const key = 'polyfs:main:head'
    const head = store.values.get(key) ?? new Uint8Array()
    for (const [value, detail] of [
      [encode('nonsense'), 'is damaged, or another program changed it'],
      [head.slice(0, -5), 'is damaged, or another program changed it'],
      [
        encode(decode(head).replace('polyfs-head 1', 'polyfs-head 9')),
        'the workspace has layout 9, and this version of polyfs uses layout 1',
      ],
    ] as const) {
      store.values.set(key, value)
      const facts = { detail: expect.stringContaining(detail) }
      for (const each of [fs, keyValue(store)]) {
        await expect(each.readFile('/a')).rejects.toMatchObject({ code: 'IO', facts })
        await expect(each.writeFile('/b', encode('2'))).rejects.toMatchObject({ code: 'IO', facts })
      }
      expect(store.values.get(key)).toBe(value)
    }
    store.values.delete(key)
    await expect(fs.readFile('/a')).rejects.toMatchObject({
      facts: { detail: 'the workspace was removed from the store by another program' },
    })
    store.values.set(key, head)
    expect(decode(await fs.readFile('/a'))).toBe('1')
  })

  test('a full store and one that may not be written say so', async () => {
    const failing = (error: Error): KeyValueStore => ({ ...mapStore(), setItemRaw: () => Promise.reject(error) })
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    await expect(keyValue(failing(full)).writeFile('/a', encode(''))).rejects.toMatchObject({ code: 'NO_SPACE' })
    const replica = new Error("READONLY You can't write against a read only replica.")
    await expect(keyValue(failing(replica)).writeFile('/a', encode(''))).rejects.toMatchObject({ code: 'READ_ONLY' })
  })

  test('a directory that is filled file by file is listed, though a page of it is as it was when it was small', async () => {
    const tree = keyValue(mapStore(), { now: () => 0 })
    const names = Array.from({ length: 300 }, (_, index) => `${index}`.padStart(3, '0'))
    for (const [index, name] of names.entries()) {
      await tree.writeFile(`/${name}`, encode('x'))
      expect((await tree.readDir('/')).map((entry) => entry.name)).toEqual(names.slice(0, index + 1))
    }
  })

  test('what is dropped is empty, also for who has dropped it', async () => {
    const tree = keyValue(mapStore())
    await tree.writeFile('/a', encode('x'))
    await tree.drop()
    expect(await tree.readDir('/')).toEqual([])
    await tree.writeFile('/b', encode('y'))
    expect((await tree.readDir('/')).map(({ name }) => name)).toEqual(['b'])
  })

  test('a name of a workspace may have any letters, and no other workspace has its keys', async () => {
    const store = mapStore()
    const names = ['main', 'Main', 'ü 1', 'a.b', '..', 'a:b']
    for (const workspace of names) await keyValue(store, { workspace }).writeFile('/own', encode(workspace))
    for (const workspace of names) {
      expect(decode(await keyValue(store, { workspace }).readFile('/own'))).toBe(workspace)
    }
    await keyValue(store, { workspace: 'Main' }).drop()
    expect(await keyValue(store, { workspace: 'Main' }).readDir('/')).toEqual([])
    expect(decode(await keyValue(store).readFile('/own'))).toBe('main')
    expect(() => keyValue(store, { workspace: 'a/b' })).toThrow()
  })
})
