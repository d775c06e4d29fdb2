/**
 * The files of finished changes, in one directory ("shelf") per hundred seconds, so that listing a shelf and measuring the history do not
 * slow down as the history grows.
 */
import { isFsError } from '../../errors.js'
import { basename, dirname, join } from '../../fs/path.js'
import { transactional } from '../../fs/transactional.js'
import type { FileSystem } from '../../fs/types.js'

export interface RecordStore {
  pathOf(id: string): string
  /** Moves a file into the store; with `deferred` its new name need not be durable yet. */
  keep(id: string, from: string, options?: { deferred?: boolean }): Promise<void>
  /** The `newest` last paths, oldest first. With `before`, only those of smaller ids. */
  paths(newest: number, before?: string): Promise<string[]>
  /** Removes the oldest beyond the bounds; returns how many are left. Other processes may add and remove records meanwhile. */
  prune(bounds: { maxBytes: number; oldestMs: number }): Promise<number>
}

/** Count and size of the records on a shelf, its last path, and when the shelf was last modified. */
interface Shelf {
  records: number
  bytes: number
  last: string
  modifiedMs: number | undefined
}

export async function openRecordStore(store: FileSystem, directory: string): Promise<RecordStore> {
  await makeOwnDirectory(store, directory)
  const pathOf = (id: string) => join(join(directory, shelfOf(id)), id)
  let known: ReadonlyMap<string, Shelf & { isSettled: boolean }> = new Map()

  async function keep(id: string, from: string, { deferred = false } = {}): Promise<void> {
    const { rename } = deferred ? transactional(store) : store
    const to = pathOf(id)
    try {
      await rename(from, to)
    } catch (error) {
      if (!isFsError(error, 'NOT_FOUND')) throw error
      for (const above of [directory, dirname(to)]) await makeOwnDirectory(store, above)
      await rename(from, to)
    }
  }

  /** The names of the shelves, newest first. */
  async function shelves(): Promise<string[]> {
    return ((await namesIn(store, directory, 'directory').catch(ignoreMissing)) ?? []).reverse()
  }

  async function pathsIn(shelf: string): Promise<string[]> {
    const path = join(directory, shelf)
    const names = (await namesIn(store, path, 'file').catch(ignoreMissing)) ?? []
    return names.reverse().map((name) => join(path, name))
  }

  async function sizeOf(path: string): Promise<number> {
    try {
      return (await store.stat(path)).size ?? 0
    } catch (error) {
      return ignoreMissing(error) ?? 0
    }
  }

  async function entryStateAt(shelf: string): Promise<Shelf> {
    const { modifiedMs } = (await store.stat(join(directory, shelf)).catch(ignoreMissing)) ?? {}
    const before = known.get(shelf)
    if (before?.isSettled && before.modifiedMs === modifiedMs) return before
    const paths = (await pathsIn(shelf)).reverse()
    const last = paths.at(-1) ?? ''
    // If the known records are still in place, only the new ones have to be measured.
    const isLonger = before !== undefined && paths[before.records - 1] === before.last
    let bytes = isLonger ? before.bytes : 0
    for (const path of isLonger ? paths.slice(before.records) : paths) bytes += await sizeOf(path)
    return { records: paths.length, bytes, last, modifiedMs }
  }

  /** Retains the newest records that fit; removes the first that is too old and all before it. */
  async function pruneShelf(shelf: string, room: number, oldestMs: number): Promise<{ kept: number; room: number }> {
    let left = room
    let kept = 0
    for (const path of await pathsIn(shelf)) {
      left = timeOf(basename(path)) < oldestMs ? -1 : left - (left < 0 ? 0 : await sizeOf(path))
      if (left >= 0) kept += 1
      else await transactional(store).remove(path).catch(ignoreMissing)
    }
    if (kept === 0) await transactional(store).remove(join(directory, shelf)).catch(ignoreUsed)
    return { kept, room: left }
  }

  // Older versions stored records without shelves.
  for (const name of await namesIn(store, directory, 'file')) {
    if (isId(name)) await keep(name, join(directory, name)).catch(ignoreMissing)
  }

  return {
    pathOf,
    keep,

    async paths(newest, before) {
      const found: string[] = []
      for (const shelf of await shelves()) {
        if (found.length >= newest) break
        if (before !== undefined && shelf > shelfOf(before)) continue
        const paths = await pathsIn(shelf)
        found.push(...(before === undefined ? paths : paths.filter((path) => basename(path) < before)))
      }
      return found.slice(0, newest).reverse()
    },

    async prune({ maxBytes, oldestMs }) {
      const present = new Map<string, Shelf & { isSettled: boolean }>()
      const oldest = shelfOf(String(Math.max(0, oldestMs)).padStart(timeDigits, '0'))
      let [room, left] = [maxBytes, 0]
      let newest: Shelf | undefined
      for (const name of await shelves()) {
        const shelf = room < 0 || name <= oldest ? undefined : await entryStateAt(name)
        if (shelf !== undefined && shelf.bytes <= room) {
          room -= shelf.bytes
          left += shelf.records
          present.set(name, { ...shelf, isSettled: newest !== undefined && isSettled(shelf, newest) })
          newest ??= shelf
        } else {
          const pruned = await pruneShelf(name, room, oldestMs)
          room = pruned.room
          left += pruned.kept
        }
      }
      known = present
      return left
    },
  }
}

/** The coarsest clock of a file system. Two changes within one tick have the same time. */
const clockStepMs = 2000

/**
 * True when a later change of the shelf would show in its time. New records are added to the newest shelf, except after the clock was set
 * back.
 */
function isSettled({ modifiedMs }: Shelf, newest: Shelf): boolean {
  if (modifiedMs === undefined || newest.modifiedMs === undefined) return true
  return modifiedMs < newest.modifiedMs - clockStepMs
}

/** The digits at the start of an id that are the time of its change. */
const timeDigits = 15

function timeOf(id: string): number {
  return Number(id.slice(0, timeDigits))
}

function shelfOf(id: string): string {
  return id.slice(0, timeDigits - 5)
}

/** False for files that other programs leave in the directory. */
function isId(name: string): boolean {
  return /^\d{15}/.test(name)
}

/** The sorted names of the files, or of the directories, in a directory. */
export async function namesIn(store: FileSystem, directory: string, wanted: 'file' | 'directory'): Promise<string[]> {
  return (await store.readDir(directory)).flatMap(({ name, kind }) => (kind === wanted ? name : [])).sort()
}

/** Makes a directory that only its owner may enter, unless it exists. */
export async function makeOwnDirectory(store: FileSystem, path: string): Promise<void> {
  try {
    await store.makeDir(path)
    await store.setMode?.(path, 0o700)
  } catch (error) {
    if (!isFsError(error, 'EXISTS')) throw error
  }
}

export function ignoreMissing(error: unknown): undefined {
  if (!isFsError(error, 'NOT_FOUND')) throw error
  return undefined
}

/** Another process added an entry to the shelf, or removed the shelf. */
function ignoreUsed(error: unknown): void {
  if (!isFsError(error, 'NOT_EMPTY', 'NOT_FOUND')) throw error
}
