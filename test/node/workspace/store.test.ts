/** Workspaces in real stores: Redis, a directory, and what is sent to S3. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../../../contract/fs/cases/limits.js'
import { openStoreWorkspaces } from '../../../node/workspace/store-workspace.js'
import { openStore } from '../../../node/workspace/unstorage.js'
import { keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { nodeHashes } from '../../core/fs/key-value-stores.js'
import { describeContract, describeWrapperContract } from '../../describe-contract.js'
import { isFull, onlyInFull } from '../../scale.js'
import { makeTemporary } from '../crash/disk-engine.js'
import { type RedisServer, redisIsMissing, startRedis, whyNoRedis } from '../eval/redis-server.js'
import { type S3Double, startS3Double } from './s3-double.js'
import { type S3Server, startS3Server } from './s3-server.js'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

let count = 0
const fresh = () => `w${(count += 1)}`

/** The same calls on every store. */
function describeStore(address: () => string, { sharesWriters }: { sharesWriters: boolean }): void {
  test('a workspace is filled, changed, undone and opened again by another process', async () => {
    const [name, from] = [fresh(), path.join(makeTemporary('polyfs-store-from-'), 'seed.json')]
    fs.writeFileSync(from, JSON.stringify({ '/src/a.txt': 'one\n', '/README.md': '# Read\n' }))
    const first = await openStoreWorkspaces(address(), { name, from })
    const { changes, history } = first.workspace
    await changes.run({ label: 'edit', scopes: [{ path: '/src/a.txt' }] }, (draft) =>
      draft.write('/src/a.txt', encode('two\n')),
    )
    first.close()
    const second = await openStoreWorkspaces(address(), { name, from })
    expect(decode(await second.workspace.fs.readFile('/src/a.txt'))).toBe('two\n')
    await second.workspace.history.undo()
    expect(decode(await second.workspace.fs.readFile('/src/a.txt'))).toBe('one\n')
    expect((await second.open('another').fs.readDir('/')).length).toBe(0)
    second.close()
    expect(history).toBeDefined()
    fs.rmSync(path.dirname(from), { recursive: true })
  })

  test('24 edits of one file by three processes are all in it', async ({ skip }) => {
    if (!sharesWriters) skip('the store has no conditional writes')
    const name = fresh()
    const all = await Promise.all(Array.from({ length: 3 }, () => openStoreWorkspaces(address(), { name })))
    const lines = (word: string) => Array.from({ length: 24 }, (_, line) => `${word} ${line};\n`).join('')
    const write = (text: string, process: number) =>
      all[process]?.workspace.changes.run({ label: 'edit', scopes: [{ path: '/a' }] }, async (draft) => {
        const before = text === '' ? '' : decode(await draft.read('/a'))
        await draft.write('/a', encode(text === '' ? lines('line') : before.replace(`line ${text};`, `done ${text};`)))
      })
    await write('', 0)
    await Promise.all(Array.from({ length: 24 }, (_, line) => write(String(line), line % 3)))
    expect(decode((await all[1]?.workspace.fs.readFile('/a')) ?? encode(''))).toBe(lines('done'))
    for (const { close } of all) close()
  })
}

describe.skipIf(redisIsMissing)(`redis (skipped where ${whyNoRedis})`, () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.remove())

  describeWrapperContract('keyValue on redis', () => {
    const { store, close } = openStore(`${redis.url}?base=contract`)
    return { fs: keyValue(store, { workspace: fresh(), ...nodeHashes }), base: '/base', dispose: () => close() }
  })

  describeStore(() => redis.url, { sharesWriters: true })

  test('a server that is stopped fails calls with a reason, and nothing is lost when it is back', async () => {
    const name = fresh()
    const { workspace, close } = await openStoreWorkspaces(redis.url, { name })
    const write = (text: string) =>
      workspace.changes.run({ label: 'write', scopes: [{ path: '/a' }] }, (draft) => draft.write('/a', encode(text)))
    await write('1')
    await redis.stop()
    await expect(write('2')).rejects.toMatchObject({
      code: 'IO',
      facts: { detail: expect.stringMatching(/the store failed: no connection to Redis/) },
    })
    await redis.start()
    expect(decode(await workspace.fs.readFile('/a'))).toBe('1')
    await write('3')
    close()
    const again = await openStoreWorkspaces(redis.url, { name })
    expect(decode(await again.workspace.fs.readFile('/a'))).toBe('3')
    again.close()
  })

  test('keys of another base are another store', async () => {
    const [one, two] = ['one', 'two'].map((base) => openStore(`${redis.url}/0?base=${base}`))
    await keyValue(one?.store as never).writeFile('/a', encode('1'))
    expect(await keyValue(two?.store as never).readDir('/')).toEqual([])
    expect((await one?.store.getKeys('polyfs:main:blobs'))?.length).toBeGreaterThan(0)
    await one?.close()
    await two?.close()
  })
})

describe('a directory', () => {
  const temporary = makeTemporary('polyfs-store-')
  afterAll(() => fs.rmSync(temporary, { recursive: true }))

  describeWrapperContract('keyValue in a directory', () => {
    const { store } = openStore(path.join(temporary, 'contract'))
    return { fs: keyValue(store, { workspace: fresh(), ...nodeHashes }), base: '/base' }
  })

  describeStore(() => path.join(temporary, 'store'), { sharesWriters: true })

  test('a directory that may not be written says so', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may write everywhere')
    const closed = path.join(temporary, 'closed')
    fs.mkdirSync(closed, { mode: 0o500 })
    const { workspace, close } = await openStoreWorkspaces(closed, {})
    const written = workspace.changes.run({ label: 'write', scopes: [{ path: '/a' }] }, (draft) =>
      draft.write('/a', encode('x')),
    )
    await expect(written).rejects.toMatchObject({ code: 'READ_ONLY' })
    close()
  })
})

describe('s3, on a stand-in', () => {
  let s3: S3Double
  beforeAll(async () => {
    s3 = await startS3Double()
    process.env.AWS_ACCESS_KEY_ID = 'id'
    process.env.AWS_SECRET_ACCESS_KEY = 'secret'
  })
  afterAll(async () => {
    delete process.env.AWS_ACCESS_KEY_ID
    delete process.env.AWS_SECRET_ACCESS_KEY
    await s3.close()
  })
  const address = () => `s3://bucket/some/prefix?endpoint=${encodeURIComponent(s3.endpoint)}`

  // By default the other stores are enough.
  if (isFull) {
    describeContract(
      'keyValue on S3',
      () => {
        const { store } = openStore(address())
        return { fs: keyValue(store, { workspace: fresh(), ...nodeHashes }), base: '/base' }
      },
      {
        deviations: {
          'a directory with 5000 entries lists every one':
            'to sign thousands of requests takes minutes; the stores above have them',
        },
      },
    )
  }

  describeStore(address, { sharesWriters: false })

  test('all keys are below the prefix, and a refused signature is a sentence', async () => {
    expect([...s3.objects.keys()].every((key) => key.startsWith('some/prefix/polyfs/'))).toBe(true)
    const other = openStore(`s3://elsewhere?endpoint=${encodeURIComponent(s3.endpoint)}`)
    await expect(keyValue(other.store).stat('/')).rejects.toMatchObject({
      code: 'IO',
      facts: { detail: expect.stringContaining('403') },
    })
  })
})

describe.skipIf(!isFull)(`s3, on a server of its own (${onlyInFull})`, () => {
  let s3: S3Server | undefined
  beforeAll(async () => {
    s3 = await startS3Server()
    process.env.AWS_ACCESS_KEY_ID = s3.accessKeyId
    process.env.AWS_SECRET_ACCESS_KEY = s3.secretAccessKey
  }, 300_000)
  afterAll(async () => {
    delete process.env.AWS_ACCESS_KEY_ID
    delete process.env.AWS_SECRET_ACCESS_KEY
    await s3?.close()
  })
  const address = () => `s3://bucket/some/prefix?endpoint=${encodeURIComponent(s3?.endpoint ?? '')}`

  const tooSlow = 'thousands of changes take this server minutes; the stores above have them'
  describeContract(
    'keyValue on s3rver',
    () => {
      const { store } = openStore(address())
      return { fs: keyValue(store, { workspace: fresh(), ...nodeHashes }), base: '/base' }
    },
    { deviations: Object.fromEntries(limits.map(({ name }) => [name, tooSlow])) },
  )

  describeStore(address, { sharesWriters: false })

  test('a wrong key and a missing bucket are sentences', async () => {
    const wrong = openStore(address(), { AWS_ACCESS_KEY_ID: 'someone', AWS_SECRET_ACCESS_KEY: 'else' })
    await expect(keyValue(wrong.store).stat('/')).rejects.toMatchObject({
      code: 'IO',
      facts: { detail: expect.stringContaining('403') },
    })
    const other = openStore(`s3://elsewhere?endpoint=${encodeURIComponent(s3?.endpoint ?? '')}`)
    const written = keyValue(other.store).writeFile('/a', encode('x'))
    await expect(written).rejects.toMatchObject({ code: 'IO', facts: { detail: expect.stringContaining('404') } })
  })

  test('values that nothing refers to are found and removed', async () => {
    const { store } = openStore(address())
    const tree = keyValue(store, { workspace: fresh(), ...nodeHashes })
    for (const text of ['one', 'two', 'three']) await tree.writeFile('/a', encode(text))
    await tree.collect()
    expect(decode(await tree.readFile('/a'))).toBe('three')
    await tree.drop()
    expect(await tree.readDir('/')).toEqual([])
  })
})

test('an address that can not be opened says what is missing', async () => {
  expect(() => openStore('ftp://somewhere')).toThrow(/--store takes redis:/)
  expect(() => openStore('s3://bucket', {})).toThrow(/AWS_ACCESS_KEY_ID/)
  expect(() => openStore('redis://:bad:port:x')).toThrow(/not an address/)
  await expect(openStoreWorkspaces('redis://user:secret@127.0.0.1:1', {})).rejects.toThrow(
    /^redis:\/\/127.0.0.1:1: the store failed/,
  )
})
