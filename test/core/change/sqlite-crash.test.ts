/** A process that uses a database dies at every statement: what is found in the database afterwards is whole. */
import { describe, expect, test } from 'vitest'
import { createChanges } from '../../../src/change/changes.js'
import { createHistory } from '../../../src/change/history/history.js'
import { sqliteJournal } from '../../../src/change/journal/sqlite-journal.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { SqliteFileSystem } from '../../../src/fs/backends/sqlite/file-system.js'
import { sqlite } from '../../../src/fs/backends/sqlite/workspaces.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { isFull, stride } from '../../scale.js'
import { sqlJs, type TestDatabase } from '../fs/sqlite-database.js'
import { doomed, type Engine, type Scenario, type Snapshot, scenarios, snapshot } from './faulty-disk.js'

const openDatabase = await sqlJs()

const clock = (() => {
  let ms = 1_000
  return () => ms++
})()

function engineOn(tree: SqliteFileSystem, options: Scenario['options'] = {}): Engine {
  const fs = confine(tree, { roots: [{ path: '/', access: 'read-write' }] })
  const changes = createChanges({ fs, journal: sqliteJournal(tree), now: clock, ...options })
  return { fs, changes, history: createHistory(fs, changes) }
}

async function prepared({ files, prepare, options }: Scenario): Promise<Uint8Array> {
  const database = openDatabase()
  const tree = sqlite(database)
  const seed = memory(files)
  for await (const { path, kind } of walk(seed, '/')) {
    if (kind === 'directory') await tree.makeDir(path)
    else await tree.writeFile(path, await seed.readFile(path))
  }
  await prepare?.(engineOn(tree, options), tree)
  return database.bytes()
}

/** Acts until the given statement, at which the process dies. Returns the statements, and the bytes left behind. */
async function actUntil(bytes: Uint8Array, { act, options }: Scenario, death: number) {
  const database = openDatabase(bytes)
  const engine = engineOn(sqlite(database), options)
  database.dieAt(death)
  await act(engine).catch(() => {})
  const { statements } = database
  return { statements, left: database.bytes() }
}

/** Runs on a database of its own, which has been recovered up to the given statement. */
async function recovering<Result>(
  bytes: Uint8Array,
  death: number,
  run: (engine: Engine, tree: SqliteFileSystem, database: TestDatabase) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(bytes)
  const tree = sqlite(database)
  const engine = engineOn(tree)
  database.dieAt(death)
  await engine.changes.recover().catch((error) => {
    if (death === Infinity) throw error
  })
  return run(engine, tree, database)
}

async function treeIn(bytes: Uint8Array): Promise<Snapshot> {
  const database = openDatabase(bytes)
  const found = await snapshot(sqlite(database))
  database.close()
  return found
}

/** A crash at a statement that reads equals one at the next that writes. */
function deaths(statements: readonly boolean[]): number[] {
  const all = statements.flatMap((reads, index) => (reads && !isFull ? [] : [index + 1]))
  const { first, step } = stride(8)
  return all.filter((_, index) => index === 0 || (index - first) % step === 0 || index === all.length - 1)
}

describe.each([...scenarios, doomed].map((scenario) => [scenario.name, scenario] as const))('%s', (_name, scenario) => {
  test('is whole after a crash at any statement, also one of the recovery, and can be undone', async ({ annotate }) => {
    const start = await prepared(scenario)
    const before = await treeIn(start)
    const { statements, left: end } = await actUntil(start, scenario, Infinity)
    const after = await treeIn(end)
    const counts = { old: 0, new: 0, 'second crashes': 0 }
    const { first, step } = stride(96)
    let turn = first
    for (const death of deaths(statements)) {
      const { left } = await actUntil(start, scenario, death)
      const ofRecovery = await recovering(left, Infinity, async (engine, tree, database) => {
        const { statements: own } = database
        const now = await snapshot(tree)
        const outcome = JSON.stringify(now) === JSON.stringify(before) ? 'old' : 'new'
        expect(now).toEqual(outcome === 'old' ? before : after)
        counts[outcome] += 1
        expect(await engine.changes.recover()).toEqual({ finished: [], dropped: [], conflicts: [], corrupt: [] })
        if (outcome === 'new' && (await engine.history.list())[0]?.undoable) {
          await engine.history.undo()
          expect(await snapshot(tree)).toEqual(before)
        }
        database.close()
        return deaths(own)
      })
      for (const second of ofRecovery) {
        turn += 1
        if (turn % step > 0) continue
        const again = await recovering(left, second, async (_engine, _tree, database) => database.bytes())
        await recovering(again, Infinity, async (_engine, tree, database) => {
          expect([before, after]).toContainEqual(await snapshot(tree))
          database.close()
        })
        counts['second crashes'] += 1
      }
    }
    if (scenario === doomed) expect(counts.new).toBe(0)
    expect(counts.old).toBeGreaterThan(0)
    await annotate(`${statements.length} statements; ${JSON.stringify(counts)}`)
  })
})
