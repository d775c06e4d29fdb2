import { afterEach, describe, expect, test } from 'vitest'
import { faulty } from '../../../harness/faults.js'
import { FsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { opfs } from '../../../web/opfs/opfs.js'
import { type WorkingSet, type WorkingSetOptions, workingSet } from '../../../web/opfs/working-set.js'
import { describeContract } from '../../describe-contract.js'
import { opfsDeviations as deviations } from './opfs-deviations.js'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const opened: WorkingSet<string>[] = []
afterEach(async () => {
  for (const set of opened.splice(0)) await set.close().catch(() => {})
})

/** Opens a set as a tab would: locks and channels work between all sets of the origin, even within a page. */
async function open(name: string, store: FileSystem, options?: WorkingSetOptions): Promise<WorkingSet<'files'>> {
  const set = await workingSet(name, { files: store }, options)
  opened.push(set)
  return set
}

describeContract(
  'OPFS in a working set',
  async () => {
    const name = crypto.randomUUID()
    const set = await open(name, await opfs(name))
    return { fs: set.trees.files, base: '/base', dispose: () => set.close() }
  },
  { deviations, skipsLimits: true, isSampled: true },
)

describe('a working set', () => {
  test('is in memory for a single tab, and the next tab sees its changes', async () => {
    const name = crypto.randomUUID()
    const first = await open(name, await opfs(name))
    expect(first.mode).toBe('memory')
    await first.trees.files.makeDir('/d')
    await first.trees.files.writeFile('/d/a.txt', encode('kept'))
    await first.close()
    const second = await open(name, await opfs(name))
    expect(second.mode).toBe('memory')
    expect(decode(await second.trees.files.readFile('/d/a.txt'))).toBe('kept')
  })

  test('a second tab sees everything, and then both see each other’s changes', async () => {
    const name = crypto.randomUUID()
    const first = await open(name, await opfs(name))
    await first.trees.files.writeFile('/a', encode('first'))
    const second = await open(name, await opfs(name))
    expect([first.mode, second.mode]).toEqual(['direct', 'direct'])
    expect(decode(await second.trees.files.readFile('/a'))).toBe('first')
    await second.trees.files.writeFile('/a', encode('second'))
    expect(decode(await first.trees.files.readFile('/a'))).toBe('second')
    await first.trees.files.writeFile('/b', encode('third'))
    expect(decode(await second.trees.files.readFile('/b'))).toBe('third')
  })

  test('a tab that opens while another loads does not wait for the whole tree', async () => {
    const name = crypto.randomUUID()
    const channel = new BroadcastChannel(`polyfs:trees:${name}`)
    const joined = new Promise((resolve) => {
      channel.onmessage = resolve
    })
    const store = memory(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`f${index}`, 'x'])))
    let reads = 0
    const readFile = async (path: string) => {
      reads += 1
      await joined
      // The other channel gets the message later.
      await new Promise((resolve) => setTimeout(resolve))
      return store.readFile(path)
    }
    const [first, second] = await Promise.all([open(name, { ...withoutFacets(store), readFile }), open(name, store)])
    channel.close()
    expect([first.mode, second.mode]).toEqual(['direct', 'direct'])
    expect(reads).toBeLessThan(1000)
  })

  test('a tree that is too large is worked on directly', async () => {
    const set = await open(crypto.randomUUID(), memory({ a: '123456' }), { maxBytes: 5 })
    expect(set.mode).toBe('direct')
  })

  test('without space, changes stay in memory and are stored in order as soon as there is space', async () => {
    const store = memory()
    let full = true
    const limited = faulty(store, {
      fail: ({ name: call, path }) => (full && call === 'writeFile' ? new FsError('NO_SPACE', { path }) : undefined),
    })
    let reported: () => void
    const stored = new Promise<void>((resolve) => {
      reported = resolve
    })
    const set = await open(crypto.randomUUID(), limited, { onFault: () => {}, onStored: () => reported() })
    await set.trees.files.makeDir('/d')
    await set.trees.files.writeFile('/d/a', encode('first'))
    await set.trees.files.rename('/d/a', '/d/b')
    await expect(set.flush()).rejects.toMatchObject({ code: 'NO_SPACE' })
    expect(decode(await set.trees.files.readFile('/d/b'))).toBe('first')
    expect(await store.readDir('/d')).toEqual([])
    full = false
    await stored
    expect(decode(await store.readFile('/d/b'))).toBe('first')
    await set.flush()
  })

  test('without space, a second tab waits, nothing is lost, and it continues when there is space', async () => {
    const name = crypto.randomUUID()
    const store = memory()
    let full = true
    const limited = faulty(store, {
      fail: ({ name: call, path }) => (full && call === 'writeFile' ? new FsError('NO_SPACE', { path }) : undefined),
    })
    const faults: unknown[] = []
    const first = await open(name, limited, {
      onFault: (fault) => {
        faults.push(fault)
        if (faults.length === 2) full = false
      },
    })
    await first.trees.files.writeFile('/a', encode('mine'))
    const second = await open(name, store)
    expect(decode(await second.trees.files.readFile('/a'))).toBe('mine')
    expect(faults).toMatchObject([{ code: 'NO_SPACE' }, { code: 'NO_SPACE' }])
  })
})
