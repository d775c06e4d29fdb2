import { describe, expect, test } from 'vitest'
import { faulty } from '../../../harness/faults.js'
import { FsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { mirror } from '../../../src/fs/backends/mirror.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { writeBehind } from '../../../src/fs/backends/write-behind.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { wouldBlock } from '../../../src/fs/sync.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { type FilesToSearch, fileToSearch, type SearchRequest } from '../../../src/search/run/records.js'
import { collectMatches, search } from '../../../src/search/run/searcher.js'
import { describeWrapperContract } from '../../describe-contract.js'
import { encode, openEngine, snapshot, stage, twelveFiles } from '../change/faulty-disk.js'

describeWrapperContract('a mirror of memory', async () => {
  const store = memory({ '/base/': '' })
  return { fs: await mirror(store), base: '/base' }
})

describe('a mirror', () => {
  test('has the content of the store, with times and modes', async () => {
    const store = memory({ 'a/b.txt': 'text', 'a/run': '#!', 'empty/': '' })
    await store.setMode?.('/a/run', 0o755)
    await store.setModified?.('/a/b.txt', 1_000_000)
    await store.symlink?.('b.txt', '/a/link')
    const fs = await mirror(store)
    expect(await snapshot(fs)).toEqual(await snapshot(store))
    expect((await fs.stat('/a/b.txt')).modifiedMs).toBe(1_000_000)
  })

  test('reports the progress of loading', async () => {
    const files: number[] = []
    await mirror(memory({ a: '1', 'd/b': '22' }), { onProgress: (progress) => files.push(progress.files) })
    expect(files).toEqual([1, 2])
  })

  test('does not load more than it may', async () => {
    await expect(mirror(memory({ a: '123456' }), { maxBytes: 5 })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      facts: { size: 6, limit: 5 },
    })
  })

  test('answers before the store has a change, and flush waits for it', async () => {
    const store = memory()
    const { fs: slow, open } = held(store)
    const fs = await mirror(slow)
    await fs.writeFile('/a', encode('new'))
    expect(fs.waiting).toBe(1)
    expect(await snapshot(store)).toEqual({})
    open()
    await fs.flush()
    expect(fs.waiting).toBe(0)
    expect(await snapshot(store)).toEqual(await snapshot(fs))
  })

  test('stores a copy of the bytes, even if the buffer changes later', async () => {
    const store = memory()
    const fs = await mirror(store)
    const buffer = encode('first')
    await fs.writeFile('/a', buffer)
    buffer.fill(0)
    await fs.flush()
    expect(await store.readFile('/a')).toEqual(encode('first'))
  })

  test('a change that memory refuses never reaches the store', async () => {
    const store = memory({ a: 'x' })
    const fs = await mirror(store)
    await expect(fs.makeDir('/a')).rejects.toMatchObject({ code: 'EXISTS' })
    await fs.flush()
    expect(await snapshot(store)).toEqual(await snapshot(fs))
  })

  test('a full store fails changes with its own error, keeps earlier ones in memory, and stores them later', async () => {
    const store = memory()
    let full = true
    const faults: unknown[] = []
    const limited = faulty(store, {
      fail: ({ name, path }) => (full && name === 'writeFile' ? new FsError('NO_SPACE', { path }) : undefined),
    })
    const fs = await mirror(limited, { behind: writeBehind({ onFault: (fault) => faults.push(fault) }) })
    await fs.writeFile('/a', encode('1'))
    await expect(fs.flush()).rejects.toMatchObject({ code: 'NO_SPACE' })
    await expect(fs.writeFile('/b', encode('2'))).rejects.toMatchObject({ code: 'NO_SPACE' })
    expect(await fs.readFile('/a')).toEqual(encode('1'))
    expect(faults.length).toBeGreaterThan(0)
    full = false
    await fs.writeFile('/b', encode('2'))
    await fs.flush()
    expect(await snapshot(store)).toEqual(await snapshot(fs))
  })

  test('after its release it is the store, for reading, writing and watching', async () => {
    const store = memory({ a: 'old' })
    const fs = await mirror(store)
    const seen: string[] = []
    const unwatch = await fs.watch?.('/', ({ path }) => seen.push(path))
    await fs.writeFile('/mine', encode('1'))
    await fs.release()
    await store.writeFile('/a', encode('theirs'))
    expect(await fs.readFile('/a')).toEqual(encode('theirs'))
    expect(fs.sync?.readFile('/a')).toBe(wouldBlock)
    await fs.writeFile('/more', encode('2'))
    expect(await store.readFile('/more')).toEqual(encode('2'))
    expect(seen).toEqual(['/mine', '/a', '/more'])
    unwatch?.()
  })

  test('after its release a gate before it lists, reads and walks the store', async () => {
    const store = memory({ 'd/a': 'old' })
    const fs = await mirror(store)
    const gate = confine(mount({ '/': fs }), { roots: [{ path: '/', access: 'read-write' }] })
    await fs.release()
    await store.writeFile('/d/b', encode('theirs'))
    const both = [
      { name: 'a', kind: 'file' },
      { name: 'b', kind: 'file' },
    ]
    expect(await gate.readDir('/d')).toEqual(both)
    expect(await gate.readFile('/d/b')).toEqual(encode('theirs'))
    const walked: string[] = []
    for await (const { path } of walk(gate, '/')) walked.push(path)
    expect(walked).toEqual(['/d', '/d/a', '/d/b'])
  })

  test('is searched without waiting while it is in memory, and waited for after its release', async () => {
    const store = memory({ 'd/a': 'needle' })
    const fs = await mirror(store)
    const found = async () => {
      const request: SearchRequest = { matcher: { pattern: 'needle', syntax: 'literal' }, mode: 'content' }
      const searching = search(fs, each([fileToSearch('/d/a')]), request, { inMemory: true })
      return (await collectMatches(searching)).summary.matches
    }
    expect(await found()).toBe(1)
    await fs.release()
    await store.writeFile('/d/a', encode('needle\nneedle'))
    expect(await found()).toBe(2)
  })
})

describe('a crash of the store', () => {
  /** A change of twelve files, with the journal behind the same queue; the store stops after so many operations. */
  async function crashAfter(limit: number): Promise<{ tree: FileSystem; made: boolean }> {
    const { tree, store } = await stage(twelveFiles)
    let left = limit
    const stopping = (fs: FileSystem) =>
      faulty(fs, {
        fail: ({ name, path }) => {
          if (['stat', 'readFile', 'readDir', 'readLink'].includes(name)) return undefined
          left -= 1
          return left < 0 ? new FsError('IO', { path, detail: 'stopped' }) : undefined
        },
      })
    const behind = writeBehind()
    const opening = openEngine(await mirror(stopping(tree), { behind }), await mirror(stopping(store), { behind }))
    const done = opening.then(twelveFiles.act).then(() => behind.flush())
    const made = await done.then(
      () => true,
      () => false,
    )
    const { changes } = await openEngine(tree, store)
    await changes.recover()
    return { tree, made }
  }

  test('at any point leaves a tree that recovery makes all old or all new', async () => {
    const { tree: untouched } = await stage(twelveFiles)
    const changed = await stage(twelveFiles)
    await twelveFiles.act(await openEngine(changed.tree, changed.store))
    const [before, after] = [await snapshot(untouched), await snapshot(changed.tree)]
    const seen: string[] = []
    for (let limit = 0; seen.at(-1) !== 'made' && limit < 1_000; limit += 1) {
      const { tree, made } = await crashAfter(limit)
      const found = await snapshot(tree)
      const isOld = JSON.stringify(found) === JSON.stringify(before)
      if (!isOld) expect(found).toEqual(after)
      const state = made ? 'made' : isOld ? 'old' : 'new'
      if (seen.at(-1) !== state) seen.push(state)
    }
    expect(seen).toEqual(['old', 'new', 'made'])
  })
})

/** A store whose writes wait until it is opened. */
function held(store: FileSystem): { fs: FileSystem; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return {
    fs: { ...withoutFacets(store), writeFile: (...given) => opened.then(() => store.writeFile(...given)) },
    open: () => open(),
  }
}

async function* each(files: FilesToSearch[]): AsyncGenerator<FilesToSearch> {
  yield* files
}
