/** Generated operations on workspaces of a database, beside whole copies in memory. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MemoryFileSystem, memory } from '../../../src/fs/backends/memory.js'
import { allChildren } from '../../../src/fs/backends/memory-children.js'
import type { SqliteFileSystem } from '../../../src/fs/backends/sqlite/file-system.js'
import { sqliteWorkspaces } from '../../../src/fs/backends/sqlite/workspaces.js'
import { scaled } from '../../scale.js'
import { sqlJs } from './sqlite-database.js'
import { outcome, treeStep, whole } from './tree-steps.js'

const openDatabase = await sqlJs()

const event = fc.oneof(
  { weight: 12, arbitrary: fc.record({ what: fc.constant('step' as const), at: fc.nat(5), step: treeStep }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('fork' as const), at: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('snapshot' as const), at: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('restore' as const), at: fc.nat(5), from: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('drop' as const), at: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('gc' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('reopen' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('diff' as const), at: fc.nat(5), from: fc.nat(5) }) },
)

test('forks, snapshots, restored and reopened workspaces are as whole copies would be', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (plan) => {
      let time = 1_000
      const now = () => time
      let database = openDatabase()
      let workspaces = sqliteWorkspaces(database, { now })
      const ours = new Map<string, SqliteFileSystem>([['w0', workspaces.open('w0')]])
      const theirs = new Map<string, MemoryFileSystem>([['w0', memory({}, { now })]])
      const snapshots = new Map<string, MemoryFileSystem>()
      const named = <Value>(all: Map<string, Value>, at: number) => [...all][at % all.size] as [string, Value]
      let made = 0

      for (const one of plan) {
        time += 1
        if (one.what === 'gc') workspaces.gc()
        else if (one.what === 'reopen') {
          database = openDatabase(database.bytes())
          workspaces = sqliteWorkspaces(database, { now })
          for (const name of ours.keys()) ours.set(name, workspaces.open(name))
        } else {
          const [name, model] = named(theirs, one.at)
          const fs = ours.get(name) as SqliteFileSystem
          const fresh = `${one.what}-${made++}`
          if (one.what === 'step') {
            expect(await outcome(fs, one.step)).toEqual(await outcome(model, one.step))
          } else if (one.what === 'fork') {
            ours.set(fresh, fs.fork(fresh))
            theirs.set(fresh, model.fork())
          } else if (one.what === 'snapshot') {
            fs.snapshot(fresh)
            snapshots.set(fresh, model.fork())
          } else if (one.what === 'restore') {
            if (snapshots.size === 0) continue
            const [from, copy] = named(snapshots, one.from)
            fs.restore(from)
            theirs.set(name, copy.fork())
          } else if (one.what === 'drop' && theirs.size > 1) {
            workspaces.drop(name)
            theirs.delete(name)
            ours.delete(name)
          } else if (one.what === 'diff') {
            const [other, before] = named(theirs, one.from)
            expect(workspaces.diff(other, name)).toEqual(await differences(before, model))
          }
        }
      }

      for (const [name, model] of theirs) expect(await whole(workspaces.open(name))).toEqual(await whole(model))
      for (const [name, model] of snapshots) expect(await whole(workspaces.open(name))).toEqual(await whole(model))
      expect(workspaces.list().map(({ name }) => name)).toEqual([...theirs.keys(), ...snapshots.keys()].sort())
    }),
    { numRuns: Number(process.env.POLYFS_RUNS ?? scaled(300)) },
  )
})

/** What has to change, found by looking at every entry of both. */
async function differences(before: MemoryFileSystem, after: MemoryFileSystem): Promise<unknown[]> {
  const [old, current] = [described(before), described(after)]
  const found: { path: string; kind: string; change: string; order: number }[] = []
  for (const [path, { kind, facts }] of old) {
    const now = current.get(path)
    if (now?.kind !== kind) found.push({ path, kind, change: 'deleted', order: 0 })
    else if (now.facts !== facts) found.push({ path, kind, change: 'modified', order: 1 })
  }
  for (const [path, { kind }] of current) {
    if (old.get(path)?.kind !== kind) found.push({ path, kind, change: 'added', order: 1 })
  }
  found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.order - b.order))
  return found.map(({ path, kind, change }) => ({ path, kind, change }))
}

function described(fs: MemoryFileSystem): Map<string, { kind: string; facts: string }> {
  const all = new Map<string, { kind: string; facts: string }>()
  const visit = (path: string, node: ReturnType<MemoryFileSystem['snapshot']> | undefined): void => {
    if (node === undefined) return
    for (const [name, child] of allChildren(node.children)) {
      const at = path === '/' ? `/${name}` : `${path}/${name}`
      const content = child.kind === 'file' ? [...child.bytes] : child.kind === 'symlink' ? child.target : ''
      all.set(at, { kind: child.kind, facts: JSON.stringify([child.mode, content]) })
      if (child.kind === 'directory') visit(at, child)
    }
  }
  visit('/', fs.snapshot())
  return all
}
