import fs from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { MemoryTree } from '../../../src/fs/backends/memory.js'
import type { Scenario, Snapshot } from '../../core/change/faulty-disk.js'
import { isFull, stride } from '../../scale.js'
import { leaveDeadLock } from '../locks/dead-lock.js'
import type { Places } from './disk-engine.js'
import { mortalFs, type Operation } from './mortal-fs.js'

// What other suites have loaded keeps functions that live on, and what is loaded here those that die.
vi.resetModules()
const mortal = mortalFs()
const { doomed, scenarios, twelveFiles } = await import('../../core/change/faulty-disk.js')
const { leftInState, makeTemporary, openDisk, snapshotHost } = await import('./disk-engine.js')
const { nodeFs } = await import('../../../node/disk/node-fs.js')

const temporary = makeTemporary('polyfs-crash-')
afterAll(() => {
  mortal.restore()
  vi.resetModules()
  openAll(temporary)
  fs.rmSync(temporary, { recursive: true })
})

function placesIn(directory: string): Places {
  return { root: path.join(directory, 'root'), state: path.join(directory, 'state') }
}

function fill(root: string, files: MemoryTree): void {
  for (const [name, content] of Object.entries(files)) {
    const host = path.join(root, name)
    fs.mkdirSync(name.endsWith('/') ? host : path.dirname(host), { recursive: true })
    if (!name.endsWith('/')) fs.writeFileSync(host, content)
  }
}

async function prepare({ files, prepare: before }: Scenario): Promise<Places> {
  const places = placesIn(fs.mkdtempSync(path.join(temporary, 'template-')))
  for (const directory of Object.values(places)) fs.mkdirSync(directory)
  fill(places.root, files)
  const engine = await openDisk(places)
  const tree = nodeFs(places.root)
  await before?.(engine, tree)
  tree.close()
  engine.close()
  return places
}

function copyOf({ root }: Places): Places {
  const copy = fs.mkdtempSync(path.join(temporary, 'run-'))
  const whole = path.dirname(root)
  const locks: string[] = []
  const filter = (from: string) => {
    const isLock = fs.lstatSync(from).isSocket()
    if (isLock) locks.push(path.relative(whole, from))
    return !isLock
  }
  fs.cpSync(whole, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter })
  for (const lock of locks) leaveDeadLock(path.join(copy, lock))
  return placesIn(copy)
}

function discard({ root }: Places): void {
  openAll(root)
  fs.rmSync(path.dirname(root), { recursive: true })
}

/** In a closed directory only root could remove anything. */
function openAll(directory: string): void {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    const inner = path.join(directory, entry.name)
    fs.chmodSync(inner, 0o755)
    openAll(inner)
  }
}

/** Runs until the given operation, at which the process dies; returns all operations up to the end or the death. */
async function dieIn(places: Places, at: number, run: (places: Places) => Promise<unknown>): Promise<Operation[]> {
  mortal.dieAt(at)
  await run(places).catch(() => {})
  return mortal.revive().slice(0, at)
}

async function act(places: Places, scenario: Scenario): Promise<void> {
  const { storeWhileStagingBytes = Infinity } = scenario.options ?? {}
  const engine = await openDisk(places, { storeWhileStagingBytes })
  await scenario.act(engine).finally(() => engine.close())
}

async function recover(places: Places): Promise<void> {
  const engine = await openDisk(places)
  await engine.changes.recover().finally(() => engine.close())
}

/** The tree is as before or as after, and nothing else is left. */
function expectWhole(places: Places, before: Snapshot, after: Snapshot): 'old' | 'new' {
  const now = snapshotHost(places.root)
  const outcome = JSON.stringify(now) === JSON.stringify(before) ? 'old' : 'new'
  expect(now).toEqual(outcome === 'new' ? after : before)
  expect(leftInState(places)).toEqual([])
  return outcome
}

/** Recovering once more does nothing, and what landed can be taken back. */
async function expectUsable(places: Places, before: Snapshot, outcome: 'old' | 'new'): Promise<void> {
  const now = snapshotHost(places.root)
  const engine = await openDisk(places)
  expect(await engine.changes.recover()).toEqual({ finished: [], dropped: [], conflicts: [], corrupt: [] })
  expect(snapshotHost(places.root)).toEqual(now)
  if (outcome === 'new') {
    const [newest] = await engine.history.list()
    await engine.history.undo(newest?.id)
    expect(snapshotHost(places.root)).toEqual(before)
  }
  engine.close()
}

describe.each([...scenarios, doomed].map((scenario, turn) => [scenario.name, scenario, turn] as const))(
  '%s',
  (_name, scenario, turn) => {
    const name = 'is whole after a crash at any operation, and after a second crash at any operation of the recovery'
    test(name, async ({ annotate }) => {
      const template = await prepare(scenario)
      const before = snapshotHost(template.root)
      const reference = copyOf(template)
      const operations = await dieIn(reference, Infinity, (places) => act(places, scenario))
      const after = scenario === doomed ? before : snapshotHost(reference.root)
      discard(reference)

      const counts = { crashes: 0, 'second crashes': 0, 'half done before recovery': 0, old: 0, new: 0 }
      const mutating = operations.map(({ mutates }) => mutates)
      const [{ first, step }, again] = [stride(12), stride(32)]
      const ends = [mutating.indexOf(true), mutating.lastIndexOf(true)]
      for (const [index, { mutates }] of operations.entries()) {
        // A crash at an operation that only reads equals one at the next that writes; one scenario shows it.
        if (!mutates && !(isFull && scenario === twelveFiles)) continue
        // Scenarios of one kind do the same operations; by default each dies at some of them.
        if ((index + turn + first) % step > 0 && !ends.includes(index)) continue
        const crashed = copyOf(template)
        await dieIn(crashed, index + 1, (places) => act(places, scenario))
        counts.crashes += 1
        const left = JSON.stringify(snapshotHost(crashed.root))
        if (left !== JSON.stringify(before) && left !== JSON.stringify(after)) counts['half done before recovery'] += 1

        const recovered = copyOf(crashed)
        const recovery = await dieIn(recovered, Infinity, recover)
        const outcome = expectWhole(recovered, before, after)
        await expectUsable(recovered, before, outcome)
        counts[outcome] += 1
        discard(recovered)

        for (const [second, operation] of recovery.entries()) {
          // One scenario dies where it only looks, too: a lock that is being taken then must not stay taken.
          const isTried = operation.mutates || (scenario.name === 'an undo' && index % 7 === 0)
          if (!mutates || !isTried) continue
          // Every operation of the recovery gets its turn, each after other crashes.
          if ((index + second + again.first) % again.step > 0) continue
          const twice = copyOf(crashed)
          await dieIn(twice, second + 1, recover)
          await recover(twice)
          expectWhole(twice, before, after)
          counts['second crashes'] += 1
          discard(twice)
        }
        discard(crashed)
      }
      expect(counts.new > 0).toBe(scenario !== doomed)
      expect(counts.old).toBeGreaterThan(0)
      await annotate(`${operations.length} operations; ${JSON.stringify(counts)}`)
    })
  },
)
