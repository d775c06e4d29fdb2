/** A process that uses a key-value store dies at every write: what is found in the store afterwards is whole. */
import { describe, expect, test } from 'vitest'
import { createChanges } from '../../../src/change/changes.js'
import { createHistory } from '../../../src/change/history/history.js'
import { keyValueJournal } from '../../../src/change/journal/key-value-journal.js'
import { type KeyValueFileSystem, keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { sample, stride } from '../../scale.js'
import { mapStore, mortal, nodeHashes } from '../fs/key-value-stores.js'
import { doomed, type Engine, type Scenario, scenarios, snapshot } from './faulty-disk.js'

type Values = ReadonlyMap<string, Uint8Array>

const clock = (() => {
  let ms = 1_000
  return () => ms++
})()

/** With conditional writes a value is whole; without them a crash may leave half of it. */
const kinds = [
  { name: 'with conditional writes', conditional: true, tears: false },
  { name: 'on a store that tears values', conditional: false, tears: true },
]

describe.each(kinds)('$name', ({ conditional, tears }) => {
  function opened(values: Values) {
    const copy = new Map(values)
    const store = mortal(mapStore(copy, { conditional }))
    return { store, values: copy, tree: keyValue(store, nodeHashes) }
  }

  function engineOn(tree: KeyValueFileSystem, options: Scenario['options'] = {}): Engine {
    const fs = confine(tree, { roots: [{ path: '/', access: 'read-write' }] })
    const changes = createChanges({ fs, journal: keyValueJournal(tree), now: clock, ...options })
    return { fs, changes, history: createHistory(fs, changes) }
  }

  async function prepared({ files, prepare, options }: Scenario): Promise<Values> {
    const { tree, values } = opened(new Map())
    const seed = memory(files)
    for await (const { path, kind } of walk(seed, '/')) {
      if (kind === 'directory') await tree.makeDir(path)
      else await tree.writeFile(path, await seed.readFile(path))
    }
    await prepare?.(engineOn(tree, options), tree)
    return values
  }

  /** Acts until the given write, at which the process dies. Returns how many there were, and what is left. */
  async function actUntil(start: Values, { act, options }: Scenario, death: number) {
    const { store, tree, values } = opened(start)
    const engine = engineOn(tree, options)
    // The first read of a process is not part of the scenario.
    await tree.stat('/')
    store.dieAt(death, { tears })
    await act(engine).catch(() => {})
    return { writes: store.writes, left: values as Values }
  }

  describe.each([...scenarios, doomed].map((scenario) => [scenario.name, scenario] as const))('%s', (_, scenario) => {
    test('is whole after a crash at any write, also one of the recovery, and can be undone', async ({ annotate }) => {
      const start = await prepared(scenario)
      const before = await snapshot(opened(start).tree)
      const { writes, left: end } = await actUntil(start, scenario, Infinity)
      const after = await snapshot(opened(end).tree)
      const counts = { old: 0, new: 0, 'second crashes': 0 }
      const { first, step } = stride(24)
      const deaths = Array.from({ length: writes }, (_, index) => index + 1)
      for (const death of new Set([...deaths.slice(0, 1), ...sample(deaths, { every: Math.ceil(writes / 7) })])) {
        const { left } = await actUntil(start, scenario, death)
        const { store, tree } = opened(left)
        const engine = engineOn(tree)
        store.dieAt(Infinity)
        await engine.changes.recover()
        const ofRecovery = store.writes
        const now = await snapshot(tree)
        const outcome = JSON.stringify(now) === JSON.stringify(before) ? 'old' : 'new'
        expect(now).toEqual(outcome === 'old' ? before : after)
        counts[outcome] += 1
        expect(await engine.changes.recover()).toEqual({ finished: [], dropped: [], conflicts: [], corrupt: [] })
        if (outcome === 'new' && (await engine.history.list())[0]?.undoable) {
          await engine.history.undo()
          expect(await snapshot(tree)).toEqual(before)
        }
        for (let second = 1 + first; second <= ofRecovery; second += step) {
          const again = opened(left)
          const dying = engineOn(again.tree)
          again.store.dieAt(second, { tears })
          await dying.changes.recover().catch(() => {})
          const last = opened(again.values)
          await engineOn(last.tree).changes.recover()
          expect([before, after]).toContainEqual(await snapshot(last.tree))
          counts['second crashes'] += 1
        }
      }
      if (scenario === doomed) expect(counts.new).toBe(0)
      // A change that is refused writes nothing, and can't be interrupted.
      if (writes > 0) expect(counts.old).toBeGreaterThan(0)
      await annotate(`${writes} writes; ${JSON.stringify(counts)}`)
    })
  })
})
