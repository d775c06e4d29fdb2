/** Workspaces that are stored as a pack: in workers and pages, moved there from plain files, in several tabs. */
import { afterEach, describe, expect, test } from 'vitest'
import { contractCases } from '../../../contract/fs/index.js'
import { opfs } from '../../../web/opfs/opfs.js'
import { type OpfsWorkspace, openOpfs } from '../../../web/opfs/opfs-workspace.js'
import { sample } from '../../scale.js'
import type { Order } from './packed-worker.js'
import { namesIn } from './scratch.js'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const workers: Worker[] = []
const opened: OpfsWorkspace[] = []
afterEach(async () => {
  for (const worker of workers.splice(0)) worker.terminate()
  for (const workspace of opened.splice(0)) await workspace.close().catch(() => {})
})

function startWorker(): (order: Order) => Promise<unknown> {
  const worker = new Worker(new URL('./packed-worker.ts', import.meta.url), { type: 'module' })
  workers.push(worker)
  return (order) =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => ('failed' in data ? reject(new Error(data.failed)) : resolve(data.result))
      worker.onerror = ({ message }) => reject(new Error(message))
      worker.postMessage(order)
    })
}

async function open(name: string, options?: Parameters<typeof openOpfs>[1]): Promise<OpfsWorkspace> {
  const workspace = await openOpfs(name, options)
  opened.push(workspace)
  return workspace
}

async function write({ changes, ready }: OpfsWorkspace, path: string, text: string): Promise<void> {
  await ready
  await changes.run({ label: `write ${path}`, scopes: [{ path }] }, async (draft) => {
    await draft.makeParents(path)
    await draft.write(path, encode(text))
  })
}

const packed = { inMemory: {}, packed: true } as const

describe('a pack in OPFS, in a worker', () => {
  test('keeps the contract', { timeout: 120_000 }, async () => {
    const ask = startWorker()
    const outcomes: unknown[] = []
    for (const { name } of sample(contractCases, { every: 5 })) {
      const result = (await ask({ do: 'case', name })) as { outcome: string }
      if (result.outcome === 'failed') outcomes.push(result)
    }
    expect(outcomes).toEqual([])
  })
})

describe.each([
  ['a worker', true],
  ['a page', false],
])('a packed workspace in %s', (_, inWorker) => {
  /** The same in either. */
  async function openIn(name: string) {
    if (!inWorker) {
      const workspace = await open(name, packed)
      return {
        write: (path: string, text: string) => write(workspace, path, text),
        read: async (path: string) => decode(await workspace.fs.readFile(path)),
        mode: async () => workspace.mode as unknown,
        close: async () => workspace.close() as unknown,
      }
    }
    const ask = startWorker()
    await ask({ do: 'open', workspace: name })
    return {
      write: (path: string, text: string) => ask({ do: 'write', path, text }),
      read: (path: string) => ask({ do: 'read', path }),
      mode: () => ask({ do: 'mode' }),
      close: () => ask({ do: 'close' }),
    }
  }

  test('has everything when it is opened again, with its history', async () => {
    const name = crypto.randomUUID()
    const first = await openIn(name)
    expect(await first.mode()).toBe('memory')
    await first.write('/d/a.txt', 'one')
    await first.write('/d/a.txt', 'two')
    await first.close()
    const second = await openIn(name)
    expect(await second.read('/d/a.txt')).toBe('two')
    await second.close()
    const { history, fs } = await open(name)
    await history.undo()
    expect(decode(await fs.readFile('/d/a.txt'))).toBe('one')
  })

  test('is made of one that is stored file by file, which is then removed', async () => {
    const name = crypto.randomUUID()
    const plain = await open(name)
    await write(plain, '/d/a.txt', 'one')
    await write(plain, '/d/a.txt', 'two')
    await plain.close()
    const moved = await openIn(name)
    expect(await moved.read('/d/a.txt')).toBe('two')
    await moved.close()
    const top = await navigator.storage.getDirectory()
    expect(await namesIn(await top.getDirectoryHandle(name))).toEqual([])
    // What somebody stores there later is left alone.
    await (await opfs(name)).writeFile('/mine.txt', encode('mine'))
    const again = await openIn(name)
    expect(await again.read('/d/a.txt')).toBe('two')
    await again.close()
    expect(await namesIn(await top.getDirectoryHandle(name))).toEqual(['mine.txt'])
    const { history, fs } = await open(name)
    await history.undo()
    expect(decode(await fs.readFile('/d/a.txt'))).toBe('one')
  })

  test('is shared with a second tab, and both see each other’s changes', async () => {
    const name = crypto.randomUUID()
    const first = await openIn(name)
    await first.write('/a.txt', 'first')
    const second = await open(name, packed)
    expect([await first.mode(), second.mode]).toEqual(['direct', 'direct'])
    expect(decode(await second.fs.readFile('/a.txt'))).toBe('first')
    await write(second, '/a.txt', 'second')
    expect(await first.read('/a.txt')).toBe('second')
    await first.write('/b.txt', 'third')
    expect(decode(await second.fs.readFile('/b.txt'))).toBe('third')
    await first.close()
    await second.close()
    const last = await openIn(name)
    expect(await last.mode()).toBe('memory')
    expect([await last.read('/a.txt'), await last.read('/b.txt')]).toEqual(['second', 'third'])
  })
})

test('a workspace is stored file by file unless it is said otherwise', async () => {
  const name = crypto.randomUUID()
  const workspace = await open(name, { inMemory: {} })
  await write(workspace, '/a.txt', 'text')
  await workspace.flush()
  expect(decode(await (await opfs(name)).readFile('/a.txt'))).toBe('text')
})

test('an empty workspace is filled once, and its history does not record it', async () => {
  const name = crypto.randomUUID()
  const first = await open(name, { ...packed, seed: { 'a.txt': 'seed', 'd/b.txt': 'seed' } })
  await write(first, '/a.txt', 'mine')
  await first.close()
  const { fs, history } = await open(name, { ...packed, seed: { 'a.txt': 'seed' } })
  expect(decode(await fs.readFile('/a.txt'))).toBe('mine')
  expect(await history.list()).toHaveLength(1)
})

test('a pack that a kill left unfinished is made again', async () => {
  const name = crypto.randomUUID()
  const plain = await open(name)
  await write(plain, '/a.txt', 'text')
  await plain.close()
  const top = await navigator.storage.getDirectory()
  const directory = await top.getDirectoryHandle(`.polyfs-pack-${name}`, { create: true })
  await directory.getFileHandle('1', { create: true })
  expect(decode(await (await open(name)).fs.readFile('/a.txt'))).toBe('text')
  await opened.pop()?.close()
  const workspace = await open(name, packed)
  expect(decode(await workspace.fs.readFile('/a.txt'))).toBe('text')
})
