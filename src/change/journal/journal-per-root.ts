/** One journal and one lock for each root, so that servers with different sets of roots agree on those they share. */
import { FsError } from '../../errors.js'
import type { Locks } from '../locks/locks.js'
import type { Journal } from './journal.js'
import type { ChangeRecord, Contents } from './record.js'

/** Stores each change in the journal of the root that contains its first path; reads all journals as one. */
export function journalPerRoot(rootOf: (path: string) => string, journals: ReadonlyMap<string, Journal>): Journal {
  const all = [...journals.values()]
  const holders = new Map<string, Journal>()

  function choose(record: ChangeRecord): Journal {
    const path = record.steps[0]?.path
    const journal = path === undefined ? all[0] : journals.get(rootOf(path))
    if (journal === undefined) throw new FsError('OUTSIDE', { path: path ?? '/' })
    return journal
  }

  function holder(id: string): Journal {
    const journal = holders.get(id)
    if (journal === undefined) throw new FsError('UNKNOWN_POINT', { point: id })
    return journal
  }

  return {
    async begin(record, contents) {
      const journal = choose(record)
      holders.set(record.id, journal)
      await journal.begin(record, contents)
    },
    ...(all.every((journal) => journal.keep !== undefined) && {
      keep: async (record: ChangeRecord, contents: Contents) => holder(record.id).keep?.(record, contents),
    }),
    commit: (id) => holder(id).commit(id),
    withdraw: (id, from) => holder(id).withdraw(id, from),
    async finish(record, from) {
      await holder(record.id).finish(record, from)
      holders.delete(record.id)
    },
    async abandon(id) {
      await holder(id).abandon(id)
      holders.delete(id)
    },
    async pending(except) {
      const found = await Promise.all(
        all.map(async (journal) => {
          const pending = await journal.pending(except)
          for (const { record } of pending) holders.set(record.id, journal)
          return pending
        }),
      )
      return found.flat().sort((a, b) => (a.record.id < b.record.id ? -1 : 1))
    },
    async clean() {
      for (const journal of all) await journal.clean()
    },
    corrupt: async () => (await Promise.all(all.map((journal) => journal.corrupt()))).flat(),
    add: (record, contents) => choose(record).add(record, contents),
    async history(newest = Infinity, before) {
      const records = await Promise.all(all.map((journal) => journal.history(newest, before)))
      return records
        .flat()
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(-newest)
    },
    async content(id, hash) {
      for (const journal of all) {
        const bytes = await journal.content(id, hash)
        if (bytes !== undefined) return bytes
      }
      return undefined
    },
    async prune(bounds) {
      const left = await Promise.all(all.map((journal) => journal.prune(bounds)))
      return left.reduce((sum, count) => sum + count, 0)
    },
    async purge(left) {
      for (const journal of all) await journal.purge(left)
    },
  }
}

/** Takes the lock of every root that contains a scope, in one fixed order. */
export function locksPerRoot(rootOf: (path: string) => string, locks: ReadonlyMap<string, Locks>): Locks {
  return {
    hold(scopes, run) {
      const roots = [...new Set(scopes.map(({ path }) => rootOf(path)))].sort()
      const needed = roots.flatMap((root) => locks.get(root) ?? [])
      return needed.reduceRight((inner, lock) => () => lock.hold(scopes, inner), run)()
    },
  }
}
