/** Compares a tree with what is known of it, by the stats of its entries. */
import { isFsError } from '../../errors.js'
import { statIfThere } from '../../fs/if-there.js'
import { join } from '../../fs/path.js'
import { isPromise } from '../../fs/sync.js'
import type { Entry, FileSystem, Stat } from '../../fs/types.js'
import type { ListedEntries } from '../../fs/walk/walk.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { entryStateAt } from '../entry-image.js'
import type { Change, KnownEntries } from './known-entries.js'
import { isSame, isSameFile, type Seen } from './seen.js'

export interface Scanner {
  /** Stats all entries, those of a directory in one call where possible, and compares them with the known ones. */
  scan(): Promise<Scanned | { incomplete: Incomplete }>
  /** The entry as it is now. */
  look(path: string): Promise<Seen | undefined>
  /** An entry that may have changed since, however its stat compares. */
  unsure(stat: Stat): Seen
}

/** What a scan has found to differ from what was known. */
export interface Scanned {
  /** Undefined for an entry that is gone since it was listed. */
  changed: Change[]
  /** Known before, and not listed. */
  vanished: string[]
}

/** Why a tree can't be compared. */
export type Incomplete = 'too-many' | 'unreadable'

export interface ScannerOptions {
  /** Follows no links. */
  fs: FileSystem
  known: KnownEntries
  /** Lists the entries that may be compared. A directory may come in several listings. */
  list: () => Promise<{ listings: readonly ListedEntries[]; incomplete?: Incomplete }>
  /** Stats several entries of a directory in one call, where that is faster. */
  statsOf?: StatsOf | undefined
  /** Whether a listed entry is compared. */
  isWatched: (path: string) => boolean
  /** Waits until the engine's own changes so far are known. */
  ownChangesNoted: () => Promise<unknown>
  now: () => number
}

/** Returns a stat for each of these entries of a directory, undefined for one that does not exist; may fail as listing it would. */
export type StatsOf = (directory: string, entries: readonly Pick<Entry, 'name'>[]) => readonly (Stat | undefined)[]

/** One tick of the coarsest file system clock. */
const clockMs = 20

export function treeScanner(options: ScannerOptions): Scanner {
  const { fs, known, list, statsOf, isWatched, ownChangesNoted, now } = options
  let lastScan = 0

  async function look(path: string): Promise<Seen | undefined> {
    const stat = await statIfThere(fs, path)
    return stat && seenAs(path, stat)
  }

  /** A promise only for a link. */
  function seenAs(path: string, stat: Stat): Seen | undefined | Promise<Seen | undefined> {
    if (stat.kind === 'other') return undefined
    const { modifiedMs, changedMs = modifiedMs } = stat
    const fresh = modifiedMs === undefined || Math.max(modifiedMs, changedMs ?? 0) > now() - clockMs
    if (stat.kind !== 'symlink') return { stat, fresh, scan: lastScan }
    return entryStateAt(fs, path).then(({ image }) =>
      image.kind === 'symlink' ? { stat, link: image, fresh, scan: lastScan } : undefined,
    )
  }

  async function scan(): Promise<Scanned | { incomplete: Incomplete }> {
    lastScan += 1
    // What the engine changes from now on is newer than what this scan finds, and has its number. Another scan may begin meanwhile.
    const number = lastScan
    const { listings, incomplete } = await list()
    if (incomplete !== undefined) return { incomplete }
    await ownChangesNoted()
    const changed: Scanned['changed'] = []
    const turn = yieldBetweenSteps()
    for (const { directory, entries, stats = statsIn(directory, entries) } of listings) {
      const pause = turn()
      if (pause !== undefined) await pause
      const within = known.in(directory)
      for (let at = 0; at < entries.length; at += 1) {
        const { name } = entries[at] as Entry
        const before = within?.get(name)
        const isOutdated = before !== undefined && before.scan >= number
        const stat = isOutdated ? undefined : stats?.[at]
        if (before !== undefined) before.scan = Math.max(before.scan, number)
        if (before !== undefined && stat !== undefined && isSameFile(before, stat)) continue
        const path = join(directory, name)
        if (before === undefined && !isWatched(path)) continue
        const looked = stat === undefined ? look(path) : seenAs(path, stat)
        const seen = isPromise(looked) ? await looked : looked
        if (!isSame(before, seen)) changed.push([path, seen])
      }
    }
    return { changed, vanished: known.pathsWhere((seen) => seen.scan < number) }
  }

  function statsIn(directory: string, entries: readonly Entry[]): ListedEntries['stats'] {
    try {
      return statsOf?.(directory, entries)
    } catch (error) {
      if (isFsError(error)) return undefined
      throw error
    }
  }

  return { scan, look, unsure: (stat) => ({ stat, fresh: true, scan: lastScan }) }
}
