/** Stats that threads read are those that the calling thread would read. */
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { statPool } from '../../../node/threads/stat-pool.js'
import { type PoolThreads, poolThreads } from '../../../node/threads/thread-pool.js'
import type { ListedEntries } from '../../../src/fs/walk/walk.js'
import { built } from '../cli/built.js'

/** As it is shipped. */
const workerFile = built('node/search-worker.js')

let root: string
beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'polyfs-stat-pool-')))
  for (const directory of ['', 'a', 'a/b', 'x y', 'ü\n']) {
    fs.mkdirSync(join(root, directory), { recursive: true })
    for (let i = 0; i < 200; i += 1)
      fs.writeFileSync(join(root, directory, `f${i}`), 'x'.repeat(i), { mode: 0o600 + i })
  }
  fs.symlinkSync('nowhere', join(root, 'a/link'))
  fs.symlinkSync(root, join(root, 'away'))
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

/** One listing for each directory, as a walk reports them, with paths under `/work`. */
function listings(directory = ''): ListedEntries[] {
  const entries = fs.readdirSync(join(root, directory), { withFileTypes: true })
  const own: ListedEntries = {
    directory: `/work${directory}`,
    entries: entries.map((entry) => ({ name: entry.name, kind: entry.isDirectory() ? 'directory' : 'file' })),
    depth: 1,
  }
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${directory}/${name}`)
  return [own, ...below.flatMap(listings)]
}

async function started(count = 2): Promise<{ threads: PoolThreads; disk: ReturnType<typeof nodeFs> }> {
  const disk = nodeFs(root)
  const threads = poolThreads({ roots: [disk.share()], workerFile, count })
  threads.start()
  await expect.poll(() => threads.ready || !threads.usable, { timeout: 30_000 }).toBe(true)
  return { threads, disk }
}

async function statsOf(threads: PoolThreads, all: readonly ListedEntries[]): Promise<ListedEntries[]> {
  const run = statPool({ points: ['/work'], threads }).begin()
  try {
    for (const listed of all) run.add(listed)
    return await run.end()
  } finally {
    run.close()
  }
}

const byPath = (all: readonly ListedEntries[]) =>
  all
    .flatMap(({ directory, entries, stats }) => entries.map(({ name }, at) => [`${directory}/${name}`, stats?.[at]]))
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))

it('reads what the calling thread would read', async () => {
  const { threads, disk } = await started()
  const all = listings()
  const gone: ListedEntries = { directory: '/work/a', entries: [{ name: 'gone', kind: 'file' }], depth: 2 }
  const found = await statsOf(threads, [...all, gone])
  const expected = [...all, gone].map((listed) => {
    const stats = disk.statsOf(listed.directory.slice('/work'.length) || '/', listed.entries)
    return {
      ...listed,
      stats: stats.map((stat) => {
        if (stat === undefined) return undefined
        const { accessedMs: _, inode: __, userId: ___, groupId: ____, ...compared } = stat
        return compared
      }),
    }
  })
  expect(found.every(({ stats }) => stats !== undefined)).toBe(true)
  expect(byPath(found)).toEqual(byPath(expected))
  threads.close()
  disk.close()
})

it('follows no link, and leaves what is outside to the caller', async () => {
  const { threads, disk } = await started()
  const through: ListedEntries = { directory: '/work/away', entries: [{ name: 'f1', kind: 'file' }], depth: 2 }
  const outside: ListedEntries = { directory: '/elsewhere', entries: [{ name: 'f1', kind: 'file' }], depth: 1 }
  const up: ListedEntries = { directory: '/work/a', entries: [{ name: '..', kind: 'directory' }], depth: 2 }
  const found = await statsOf(threads, [...listings(), through, up, outside])
  const of = (directory: string, name: string) => byPath(found).find(([path]) => path === `${directory}/${name}`)?.[1]
  expect(of('/work/away', 'f1')).toBeUndefined()
  expect(of('/work/a', '..')).toBeUndefined()
  expect(of('/elsewhere', 'f1')).toBeUndefined()
  expect(of('/work/a', 'link')).toMatchObject({ kind: 'symlink' })
  threads.close()
  disk.close()
})

it('leaves few entries, and all where there are no threads, to the caller, a listing for each directory', async () => {
  const { threads, disk } = await started()
  const [first, ...others] = listings('/a')
  const two = [first as ListedEntries, { ...(first as ListedEntries), entries: [{ name: 'z', kind: 'file' as const }] }]
  expect((await statsOf(threads, two)).map(({ stats, entries }) => [stats, entries.length])).toEqual([
    [undefined, (first as ListedEntries).entries.length + 1],
  ])
  threads.close()
  const all = [...listings(), ...others]
  expect((await statsOf(threads, all)).every(({ stats }) => stats === undefined)).toBe(true)
  disk.close()
})

it('returns everything when the threads are lost on the way', async () => {
  const { threads, disk } = await started()
  const all = listings()
  const run = statPool({ points: ['/work'], threads }).begin()
  for (const listed of all) run.add(listed)
  threads.close()
  const found = await run.end()
  run.close()
  expect(byPath(found).map(([path]) => path)).toEqual(byPath(all).map(([path]) => path))
  disk.close()
})
