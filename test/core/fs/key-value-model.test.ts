/** Generated operations on a workspace in a store, by several processes that come and go, beside a tree in memory. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type KeyValueFileSystem, keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { scaled } from '../../scale.js'
import { mapStore, nodeHashes } from './key-value-stores.js'
import { outcome, treeStep, whole } from './tree-steps.js'

const event = fc.oneof(
  { weight: 12, arbitrary: fc.record({ what: fc.constant('step' as const), at: fc.nat(2), step: treeStep }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('collect' as const), at: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('restart' as const), at: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('fill' as const), at: fc.nat(2), count: fc.nat(200) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('clear' as const), at: fc.nat(2) }) },
)

describe.each([true, false])('conditional writes: %s', (conditional) => {
  test('three processes that take turns see one tree, whatever is collected and restarted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (plan) => {
        let time = 1_000
        const now = () => time
        const store = mapStore(new Map(), { conditional })
        const open = (): KeyValueFileSystem => keyValue(store, { now, ...nodeHashes })
        const ours = [open(), open(), open()]
        const model = memory({}, { now })
        // Until its first change a workspace is not stored, and its times are those of the process.
        for (const tree of [ours[0], model]) await tree?.setMode?.('/', 0o755)
        for (const one of plan) {
          time += 1
          const fs = ours[one.at] as KeyValueFileSystem
          if (one.what === 'collect') await fs.collect()
          else if (one.what === 'restart') ours[one.at] = open()
          else if (one.what === 'step') expect(await outcome(fs, one.step)).toEqual(await outcome(model, one.step))
          else {
            // More entries than a page has, in an order that splits pages.
            const name = (index: number) => `/${(index * 7919) % 1000} of many`
            const count = one.what === 'fill' ? one.count : 1000
            for (const tree of [fs, model]) {
              for (let index = 0; index < count; index += 1) {
                if (one.what === 'fill') await tree.writeFile(name(index), new Uint8Array([index & 7]))
                else await tree.remove(name(index)).catch(() => {})
              }
            }
          }
        }
        for (const fs of [...ours, open()]) expect(await whole(fs)).toEqual(await whole(model))
        await ours[0]?.collect()
        expect(await whole(open())).toEqual(await whole(model))
      }),
      { numRuns: Number(process.env.POLYFS_RUNS ?? scaled(40)) },
    )
  })
})

test('after a collection a store has only what is reachable', async () => {
  const store = mapStore()
  const fs = keyValue(store, nodeHashes)
  const count = () => [...store.values.keys()].filter((key) => key.includes(':blobs:')).length
  await fs.makeDir('/d')
  for (let round = 0; round < 30; round += 1) await fs.writeFile('/d/file', new Uint8Array([round]))
  expect(count()).toBeGreaterThan(60)
  await fs.collect()
  await fs.collect()
  // The root, the directory, the file; and pages of the list of garbage that the last collection has left.
  expect(count()).toBeLessThan(10)
  expect(await fs.readFile('/d/file')).toEqual(new Uint8Array([29]))
})

test('a writer that began before a collection loses nothing', async () => {
  const store = mapStore()
  const [one, two] = [keyValue(store, nodeHashes), keyValue(store, nodeHashes)]
  await one.writeFile('/a', new Uint8Array([1]))
  await one.writeFile('/a', new Uint8Array([2]))
  // `one` has stored these bytes before, and they are garbage now.
  await two.collect()
  await one.writeFile('/b', new Uint8Array([1]))
  expect(await keyValue(store).readFile('/b')).toEqual(new Uint8Array([1]))
  await two.collect()
  expect(await keyValue(store).readFile('/b')).toEqual(new Uint8Array([1]))
})
