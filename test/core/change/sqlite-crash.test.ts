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
import { sample } from '../../scale.js'
import { sqlJs, type TestDatabase } from '../fs/sqlite-database.js'
import { doomed, type Engine, type Scenario, scenarios, snapshot } from './faulty-disk.js'

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

/** Acts until the given statement, at which the process dies. Returns how many statements there were, and the bytes left behind. */
async function actUntil(bytes: Uint8Array, { act, options }: Scenario, death: number): Promise<[number, Uint8Array]> {
  const database = openDatabase(bytes)
  const engine = engineOn(sqlite(database), options)
  database.dieAt(death)
  await act(engine).catch(() => {})
  const { statements } = database
  return [statements, database.bytes()]
}

async function recovered(
  bytes: Uint8Array,
  death = Infinity,
): Promise<[Engine, SqliteFileSystem, TestDatabase, number]> {
  const database = openDatabase(bytes)
  const tree = sqlite(database)
  const engine = engineOn(tree)
  database.dieAt(death)
  await engine.changes.recover().catch((error) => {
    if (death === Infinity) throw error
  })
  return [engine, tree, database, database.statements]
}

describe.each([...scenarios, doomed].map((scenario) => [scenario.name, scenario] as const))('%s', (_name, scenario) => {
  test('is whole after a crash at any statement, also one of the recovery, and can be undone', async ({ annotate }) => {
    const start = await prepared(scenario)
    const before = await snapshot(sqlite(openDatabase(start)))
    const [statements, end] = await actUntil(start, scenario, Infinity)
    const after = await snapshot(sqlite(openDatabase(end)))
    const counts = { old: 0, new: 0, pending: 0 }
    for (let death = 1; death <= statements; death += 1) {
      const [, left] = await actUntil(start, scenario, death)
      const [engine, tree, , ofRecovery] = await recovered(left)
      if (ofRecovery > 4) counts.pending += 1
      const now = await snapshot(tree)
      const outcome = JSON.stringify(now) === JSON.stringify(before) ? 'old' : 'new'
      expect(now).toEqual(outcome === 'old' ? before : after)
      counts[outcome] += 1
      expect(await engine.changes.journal.pending()).toEqual([])
      expect(await engine.changes.recover()).toEqual({ finished: [], dropped: [], conflicts: [], corrupt: [] })
      if (outcome === 'new' && scenario !== doomed && (await engine.history.list())[0]?.undoable) {
        await engine.history.undo()
        expect(await snapshot(tree)).toEqual(before)
      }
      for (const second of sample(Array.from({ length: ofRecovery > 4 ? ofRecovery : 0 }, (_, index) => index + 1))) {
        const [, , database] = await recovered(left, second)
        const [, again] = await recovered(database.bytes())
        expect([before, after]).toContainEqual(await snapshot(again))
      }
    }
    if (scenario === doomed) expect(counts.new).toBe(0)
    expect(counts.old).toBeGreaterThan(0)
    await annotate(`${statements} statements; ${JSON.stringify(counts)}`)
  })
})
