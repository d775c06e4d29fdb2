import { expect, test } from 'vitest'
import { walk } from '../../../src/fs/walk/walk.js'
import { opfs } from '../../../web/opfs/opfs.js'
import { openOpfs } from '../../../web/opfs/opfs-workspace.js'
import { scaled } from '../../scale.js'
import type { CrashOrder } from './crash-worker.js'

const most = 25
const least = scaled(most)
const files = 10

/** Estimated duration of a change, by the way it is stored. */
const changeMs = new Map<boolean, number>()

/** Starts a worker that writes one version after another to all files, and terminates it in the middle of a change. */
async function writeUntilKilled(order: CrashOrder, part: number): Promise<number> {
  const packed = order.packed ?? false
  const worker = new Worker(new URL('./crash-worker.ts', import.meta.url), { type: 'module' })
  let acknowledged = order.from - 1
  await new Promise<void>((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(message))
    let beganMs: number | undefined
    worker.onmessage = ({ data }: MessageEvent<number>) => {
      acknowledged = data
      if (beganMs !== undefined) changeMs.set(packed, performance.now() - beganMs)
      const expectedMs = changeMs.get(packed)
      if (expectedMs !== undefined) setTimeout(resolve, expectedMs * part)
      beganMs = performance.now()
    }
    worker.postMessage(order)
  })
  worker.terminate()
  return acknowledged
}

const ways = [
  ['file by file', false],
  ['as a pack', true],
] as const

test.each(ways)(
  `stored %s: a worker killed again and again in the middle of a change of ${files} files leaves all of it or none`,
  async (_, packed) => {
    const workspace = `crash-${crypto.randomUUID()}`
    let version = 1
    let recovered = 0
    let kills = 0
    // Goes on until at least one kill has left something to recover.
    while (kills < least || (!packed && recovered === 0 && kills < most)) {
      // Multiples of the golden ratio are spread evenly, however many there are.
      const acknowledged = await writeUntilKilled({ workspace, files, from: version, packed }, (kills * 0.618) % 1)
      kills += 1
      const { fs, ready, changes, close } = await openOpfs(workspace)
      const { conflicts, finished, dropped } = await ready
      expect(conflicts).toEqual([])
      recovered += finished.length + dropped.length

      const versions = new Set<number>()
      const names: string[] = []
      for await (const { path, kind, name } of walk(fs, '/')) {
        if (kind === 'directory') continue
        names.push(name)
        const [, found] = /^version (\d+)\nx{2000}$/.exec(new TextDecoder().decode(await fs.readFile(path))) ?? []
        versions.add(Number(found))
      }
      expect(names.sort()).toEqual(Array.from({ length: files }, (_, index) => `f${index}.txt`).sort())
      expect(versions.size).toBe(1)
      const [survivor] = versions as unknown as [number]
      // Acknowledged changes are there; at most one more may have been committed.
      expect(survivor).toBeGreaterThanOrEqual(acknowledged)
      expect(await changes.journal.pending()).toEqual([])
      version = survivor + 1
      await close()
    }
    console.log(`${kills} kills, ${recovered} changes finished or dropped by recovery`)
    // Of a pack, few kills leave half a change: it is written in one go.
    if (!packed) expect(recovered).toBeGreaterThan(0)
    const top = await navigator.storage.getDirectory()
    const names = [workspace, `.polyfs-journal-${workspace}`, ...(packed ? [`.polyfs-pack-${workspace}`] : [])]
    for (const name of names) await top.removeEntry(name, { recursive: true })
  },
)

test('staged files of a change are not left in the tree', async () => {
  const name = `staged-${crypto.randomUUID()}`
  const { changes } = await openOpfs(name)
  await changes.run({ label: 'write', scopes: [{ path: '/a' }] }, (draft) =>
    draft.write('/a', new TextEncoder().encode('A')),
  )
  expect(await (await opfs(name)).readDir('/')).toEqual([{ name: 'a', kind: 'file' }])
})
