/** The history of changes: lists and compares them, undoes them, and restores earlier states. */
import type { Overlaps } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import type { Bytes } from '../../fs/types.js'
import type { Changes } from '../changes.js'
import type { ProgressOptions } from '../commit-context.js'
import { keptContent } from '../journal/kept-content.js'
import type { ChangeRecord } from '../journal/record.js'
import type { KeptContent } from './contents-at.js'
import { type Difference, differences } from './differences.js'
import { historyRecords, type ListFilter } from './history-records.js'
import { restore } from './restore.js'
import { type Undone, undoing } from './undo.js'

export type { Difference, ListFilter, Undone }

export interface History {
  /** Newest first. */
  list(filter?: ListFilter): Promise<ChangeRecord[]>
  /** A record by its id, or the newest checkpoint by its name. */
  find(point: string): Promise<ChangeRecord>
  /** The differences from `from`, or the start of the history, to `to`, or now; only of `path` and below it, when given. */
  differences(from: string | undefined, options?: { to?: string; path?: string }): Promise<Difference[]>
  /** A file's bytes at earlier points, newest first, without its current content. */
  earlierVersions(path: string, limit: number): Promise<Bytes[]>
  /**
   * Undoes a change: by default the newest that is neither undone nor passed over. What others changed since stays. Where that was the same
   * lines, or can't be merged, `overlaps` decides: by default nothing is changed, and it fails with `CONFLICT`.
   */
  undo(
    id?: string,
    options?: { isPassedOver?: (record: ChangeRecord) => boolean; overlaps?: Overlaps } & ProgressOptions,
  ): Promise<ChangeRecord>
  /**
   * Undoes several changes as one, in the same way, and does others again that were undone. Leaves out what is undone or done already.
   */
  undoAll(
    ids: readonly string[],
    options?: { redo?: readonly string[]; label?: string; overlaps?: Overlaps } & ProgressOptions,
  ): Promise<Undone>
  /**
   * Restores everything, or one path and all below it, to the state right after `point`. This is one change, itself undoable. What other
   * programs changed, past the history, stays, unless one path is given; fails with `CONFLICT` where that is not possible.
   */
  restore(point: string, options?: { path?: string } & ProgressOptions): Promise<ChangeRecord | undefined>
}

/** How many changes are searched for earlier versions of a file: reading the whole history would take too long. */
const recentChanges = 1000

export function createHistory(fs: ConfinedFileSystem, changes: Changes): History {
  const { journal } = changes
  const content: KeptContent = (id, hash) => keptContent(journal, id, hash)
  const records = historyRecords(fs, journal)
  const { undo, undoAll, merged, goBack } = undoing({ fs, changes, records, content })

  return {
    async list(filter) {
      await changes.settle()
      return records.list(filter)
    },
    find: records.find,

    async differences(from, { to, path = '/' } = {}) {
      const since = await records.after(from)
      const last = to === undefined ? undefined : (await records.find(to)).id
      return differences({ fs, content, since, last, path })
    },

    async earlierVersions(path, limit) {
      const versions: Bytes[] = []
      fs.authorize(path, 'read')
      for (const record of (await journal.history(recentChanges)).reverse()) {
        for (const step of record.steps) {
          if (versions.length === limit) return versions
          if (step.do !== 'set' || step.path !== path || step.before.kind !== 'file') continue
          const bytes = await content(record.id, step.before.hash)
          if (bytes !== undefined) versions.push(bytes)
        }
      }
      return versions
    },

    undo,
    undoAll,
    async restore(point, options = {}) {
      await changes.settle()
      return restore(point, options, { fs, records, content, merged, goBack })
    },
  }
}
