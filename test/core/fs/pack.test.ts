/** Trees in a pack, beside a tree in memory: crashes at every call, full storage, damage, and several who have the pack open. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type MemoryFileSystem, memory } from '../../../src/fs/backends/memory.js'
import { createPack, openPack, type Pack, type PackOptions, type Turns } from '../../../src/fs/backends/pack/pack.js'
import { type Clock, load } from '../../../src/fs/backends/pack/read.js'
import type { Segments } from '../../../src/fs/backends/pack/segments.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { describeWrapperContract } from '../../describe-contract.js'
import { scaled, stride } from '../../scale.js'
import { openEngine, snapshot, stage, twelveFiles } from '../change/faulty-disk.js'
import { crashed, type Disk, emptyDisk, type SegmentCalls, segmentsOn } from './crashing-segments.js'
import { outcome, type TreeStep, treeStep, whole } from './tree-steps.js'

let time = 1_000
const now = () => time
/** So small that most runs replace the log several times. */
const options: PackOptions = { now, trees: 1, minLogBytes: 600, delayMs: 0 }

async function opened(segments: Segments, given: Partial<PackOptions> = {}): Promise<Pack & { fs: FileSystem }> {
  const pack = await openPack(segments, { ...options, ...given })
  if (pack === undefined) throw new Error('there is no pack')
  return Object.assign(pack, { fs: pack.trees[0] as FileSystem })
}

function endless(seed = 1): SegmentCalls {
  return { calls: 0, killAt: Number.POSITIVE_INFINITY, random: randomOf(seed) }
}

function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

async function newPack(): Promise<Disk> {
  const disk = emptyDisk()
  await createPack(segmentsOn(disk, endless()), [memory({}, { now }).snapshot()])
  return disk
}

/** Turns for all who share a disk. */
function oneAtATime(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (action) => {
    const result = last.then(action, action)
    last = result.catch(() => {})
    return result
  }
}

describeWrapperContract('a pack', async () => {
  const pack = await opened(segmentsOn(await newPack(), endless()), { now: Date.now })
  await pack.fs.makeDir('/base')
  return { fs: pack.fs, base: '/base', dispose: () => pack.close() }
})

describeWrapperContract('a shared pack', async () => {
  const disk = await newPack()
  const shared = oneAtATime()
  const one = await opened(segmentsOn(disk, endless()), { now: Date.now, shared })
  const other = await opened(segmentsOn(disk, endless()), { now: Date.now, shared })
  await one.fs.makeDir('/base')
  return { fs: other.fs, base: '/base' }
})

const steps = fc.array(fc.oneof({ weight: 8, arbitrary: treeStep }, { weight: 1, arbitrary: fc.constant('flush') }), {
  minLength: 1,
  maxLength: 40,
})

type Killable = Pick<ReturnType<typeof segmentsOn>, 'dead' | 'isDead'>

interface Played {
  /** The tree after each step, the first before any. */
  states: unknown[]
  /** How many steps were made when the last flush began that returned. */
  flushed?: number
}

/** Plays a plan on a pack and on a model, until it ends or the writer is killed. */
async function play(pack: Pack & { fs: FileSystem }, model: FileSystem, plan: readonly unknown[], writer: Killable) {
  const played: Played = { states: [await whole(model)] }
  async function go(): Promise<void> {
    for (const step of plan) {
      if (writer.isDead()) return
      time += 1
      if (step === 'flush') {
        const { length } = played.states
        await pack.flush()
        played.flushed = length - 1
        continue
      }
      const expected = await outcome(model, step as TreeStep)
      // Before the step, which may be stored even if the writer is killed before it returns.
      played.states.push(await whole(model))
      expect(await outcome(pack.fs, step as TreeStep)).toEqual(expected)
    }
    await pack.flush()
    played.flushed = played.states.length - 1
  }
  await Promise.race([go(), writer.dead])
  return played
}

function expectPrefix(found: unknown, { states, flushed }: Played): void {
  const from = states.slice(flushed ?? 0)
  expect(from.map((state) => JSON.stringify(state))).toContain(JSON.stringify(found))
}

describe('after a crash', () => {
  test('a pack has what a prefix of the changes made, with everything that was flushed', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.nat(60),
        fc.nat(),
        fc.boolean(),
        fc.boolean(),
        async (plan, killAt, seed, machine, onlyWhole) => {
          time = 1_000
          const random = randomOf(seed)
          let disk = await newPack()
          const segments = segmentsOn(disk, { calls: 0, killAt: killAt + 1, random, onlyWhole })
          const model = memory({}, { now })
          const played = await play(await opened(segments), model, plan, segments)
          if (machine) disk = crashed(disk, random)

          const found = await load(segmentsOn(disk, endless()), 1, clock)
          if (found === undefined) throw new Error('there is no pack')
          const copy = found.trees[0] as FileSystem
          expectPrefix(await whole(copy), played)

          // Killed again while the next one works, and then the machine crashes.
          const again = segmentsOn(disk, { calls: 0, killAt: (killAt % 23) + 1, random, onlyWhole: !onlyWhole })
          const replayed = await play(await opened(again), copy, plan, again)
          disk = crashed(disk, random)
          const last = await opened(segmentsOn(disk, endless()))
          // A kill leaves what was written, but only a flush makes it survive the machine.
          const isCertain = machine || replayed.flushed !== undefined
          const states = [...played.states.slice(played.flushed ?? 0), ...replayed.states]
          expectPrefix(await whole(last.fs), isCertain ? replayed : { states, flushed: 0 })
        },
      ),
      { numRuns: Number(process.env.POLYFS_RUNS ?? scaled(3000)) },
    )
  })
})

describe('a change of twelve files', () => {
  /** Kills the writer in a call, and opens the pack again. */
  async function killedAt(killAt: number) {
    const disk = emptyDisk()
    const { tree, store } = await stage(twelveFiles)
    const roots = [tree, store].map((each) => (each as MemoryFileSystem).snapshot())
    await createPack(segmentsOn(disk, endless()), roots)
    const segments = segmentsOn(disk, { calls: 0, killAt, random: randomOf(killAt) })
    const pack = await opened(segments, { trees: 2, minLogBytes: 1_000 })
    const act = async () => {
      await twelveFiles.act(await openEngine(pack.fs, pack.trees[1] as FileSystem))
      await pack.flush()
      return true
    }
    const isMade = await Promise.race([act(), segments.dead.then(() => false)])
    const left = await opened(segmentsOn(crashed(disk, randomOf(killAt)), endless()), { trees: 2 })
    const { changes } = await openEngine(left.fs, left.trees[1] as FileSystem)
    await changes.recover()
    return { found: await snapshot(left.fs), isMade }
  }

  test('is whole or not there, wherever the writer is killed and the machine crashes', async () => {
    const { tree: untouched } = await stage(twelveFiles)
    const changed = await stage(twelveFiles)
    await twelveFiles.act(await openEngine(changed.tree, changed.store))
    const [before, after] = [await snapshot(untouched), await snapshot(changed.tree)]
    let last = false
    for (let killAt = 1; !last && killAt < 1_000; killAt += 1) {
      const { found, isMade } = await killedAt(killAt)
      if (JSON.stringify(found) !== JSON.stringify(before)) expect(found).toEqual(after)
      if (isMade) expect(found).toEqual(after)
      last = isMade
    }
    expect(last).toBe(true)
  })
})

/** For changes that are repeated from a log. */
const clock: Clock = {
  now,
  at(at, run) {
    const before = time
    time = at
    try {
      return run()
    } finally {
      time = before
    }
  },
}

/** The last write fails for lack of space, which there is again before the pack is closed. */
const closedWhileFailing: (TreeStep | 'flush')[] = [
  { do: 'makeDir', path: '/ü ‑' },
  { do: 'writeFile', path: '/a', text: '' },
  'flush',
  'flush',
  { do: 'rename', path: '/a', to: '/a' },
  { do: 'remove', path: '/ü ‑' },
]

describe('without space', () => {
  test('nothing is lost, and everything is stored as soon as there is space', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), fc.boolean(), async (plan, seed, onlyWhole) => {
        time = 1_000
        const random = randomOf(seed)
        const disk = await newPack()
        let full = true
        const pack = await opened(segmentsOn(disk, { ...endless(seed), onlyWhole, fail: () => full && random() < 0.4 }))
        const model = memory({}, { now })
        for (const step of plan) {
          time += 1
          if (step === 'flush') await pack.flush().catch(() => {})
          else {
            const got = await outcome(pack.fs, step as TreeStep)
            // A change that is refused for lack of space has changed nothing.
            if (JSON.stringify(got) !== '["NO_SPACE",{"path":"/"}]') {
              expect(got).toEqual(await outcome(model, step as TreeStep))
            }
          }
          expect(await whole(pack.fs)).toEqual(await whole(model))
        }
        full = false
        await pack.close()
        expect(await whole((await opened(segmentsOn(disk, endless()))).fs)).toEqual(await whole(model))
      }),
      { numRuns: Number(process.env.POLYFS_RUNS ?? scaled(1000)), examples: [[closedWhileFailing, 10, true]] },
    )
  })
})

describe('damage', () => {
  test('is never taken for content', async () => {
    time = 1_000
    const disk = await newPack()
    const states: string[] = []
    for (let session = 0; session < 3; session += 1) {
      const pack = await opened(segmentsOn(disk, endless()), { minLogBytes: 1e9 })
      for (let index = 0; index < 3; index += 1) {
        states.push(JSON.stringify(await whole(pack.fs)))
        await pack.fs.writeFile(`/${session}-${index}`, new Uint8Array([session, index]))
      }
      await pack.close()
      states.push(JSON.stringify(await whole(pack.fs)))
    }
    const newest = Math.max(...disk.files.keys())
    const { first, step } = stride(7)
    for (const [number, { bytes }] of disk.files) {
      for (let at = first; at < bytes.length; at += step) {
        const kept = bytes[at] as number
        bytes[at] = kept ^ (1 << (at % 8))
        const found = await opened(segmentsOn(disk, endless())).then(
          async ({ fs }) => JSON.stringify(await whole(fs)),
          ({ code }) => code,
        )
        bytes[at] = kept
        // The end of the last log can't be distinguished from one that was never written.
        if (number === newest) expect(states).toContain(found)
        else if (found !== states.at(-1)) expect(found === 'IO' || found === undefined).toBe(true)
      }
    }
  })
})

test('a snapshot that is damaged when nothing else is left is an error, not a new pack', async () => {
  time = 1_000
  const disk = await newPack()
  const pack = await opened(segmentsOn(disk, endless()), { minLogBytes: 100 })
  for (let index = 0; index < 50; index += 1) {
    await pack.fs.writeFile('/file', new Uint8Array([index]))
    await pack.flush()
  }
  await pack.close()
  const snapshots = [...disk.files].filter(([, { bytes }]) => bytes[8] === 1)
  const [number, { bytes }] = snapshots[0] ?? [0, { bytes: [] }]
  expect([snapshots.length, number > 1, bytes.length > 100]).toEqual([1, true, true])
  for (const other of [...disk.files.keys()]) if (other !== number) disk.files.delete(other)
  for (let at = 0; at < bytes.length; at += 1) {
    const kept = bytes[at] as number
    bytes[at] = kept ^ (1 << (at % 8))
    const error = await openPack(segmentsOn(disk, endless()), options).catch((thrown: unknown) => thrown)
    bytes[at] = kept
    expect([at, error]).toMatchObject([at, { code: 'IO' }])
  }
  expect(await openPack(segmentsOn(disk, endless()), options)).toBeDefined()
})

const shared = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.record({ what: fc.constant('step' as const), at: fc.nat(2), step: treeStep }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('restart' as const), at: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('several' as const), at: fc.nat(2) }) },
  ),
  { maxLength: 40 },
)

describe('several who have a pack open', () => {
  test('see one tree, whoever comes and goes', async () => {
    await fc.assert(
      fc.asyncProperty(shared, fc.array(treeStep, { maxLength: 20 }), async (plan, before) => {
        time = 1_000
        const disk = await newPack()
        const turns = oneAtATime()
        const model = memory({}, { now })
        const first = await opened(segmentsOn(disk, endless()))
        for (const step of before) {
          time += 1
          expect(await outcome(first.fs, step)).toEqual(await outcome(model, step))
        }
        await first.share(turns)
        const open = () => opened(segmentsOn(disk, endless()), { shared: turns })
        const all = [first, await open(), await open()]
        for (const one of plan) {
          time += 1
          const { fs } = all[one.at] as (typeof all)[number]
          if (one.what === 'restart') all[one.at] = await open()
          else if (one.what === 'step') expect(await outcome(fs, one.step)).toEqual(await outcome(model, one.step))
          else {
            const paths = ['/x', '/y', '/z']
            await Promise.all(
              all.map(({ fs: each }, index) => each.writeFile(paths[index] ?? '', new Uint8Array([index]))),
            )
            for (const [index, path] of paths.entries()) await model.writeFile(path, new Uint8Array([index]))
          }
        }
        for (const { fs } of [...all, await open(), await opened(segmentsOn(disk, endless()))]) {
          expect(await whole(fs)).toEqual(await whole(model))
        }
      }),
      { numRuns: Number(process.env.POLYFS_RUNS ?? scaled(400)) },
    )
  })
})
