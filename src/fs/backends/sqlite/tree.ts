/** The tree of one workspace: its directories, cached in memory for as long as nobody else changes them. */
import { FsError } from '../../../errors.js'
import { namesOf } from '../memory-nodes.js'
import { accessibleDirectory, findEntry, ownerEnters } from '../tree/entries.js'
import type { ChangeableTree, OwnedDirectory } from '../tree/mutations.js'
import {
  copyEntries,
  type DirectoryEntry,
  deleteEntry,
  type LoadedDirectory,
  loadEntries,
  nextDirectory,
  rootOf,
  storeEntry,
  type TreeEntry,
} from './entries.js'
import type { Store } from './store.js'

/** With more entries in memory, the cache is emptied. */
const maxCachedEntries = 200_000
/** After so many replaced bytes, garbage is collected. */
const collectAfterBytes = 64 * 1024 * 1024

export interface SqliteTree extends ChangeableTree<number, number> {
  readonly id: number
  readonly name: string
  readonly frozen: boolean
  /** A number that every change raises; negative after a change that failed, until `refresh`. */
  readonly revision: number
  /** Sees what other processes have changed. Every call begins with it. */
  refresh(): void
  /** Runs `work` in one transaction; when it throws, nothing of it remains. */
  change<Result>(work: () => Result): Result
  directory(entry: DirectoryEntry): LoadedDirectory
}

export function openTree(store: Store, id: number): SqliteTree {
  const { database } = store
  let directories = new Map<number, LoadedDirectory>()
  let cachedEntries = 0
  let replacedBytes = 0
  let { name, frozen, floor, version, root, garbage } = load()

  function load() {
    const [row] = database.run(
      `SELECT name, frozen, floor, version, replaced, root, mode, modified, created, changed FROM polyfs_workspaces WHERE id = ?`,
      [id],
    )
    if (row === undefined) throw new FsError('IO', { path: '/', detail: 'the workspace was dropped' })
    return {
      name: row.name as string,
      frozen: row.frozen === 1,
      floor: row.floor as number,
      version: row.version as number,
      garbage: row.replaced as number,
      root: rootOf(row),
    }
  }

  function forget(): void {
    directories = new Map()
    cachedEntries = 0
    version = -1
  }

  function refresh(): void {
    const [row] = database.run('SELECT version FROM polyfs_workspaces WHERE id = ?', [id])
    if (row?.version === version && cachedEntries <= maxCachedEntries) return
    forget()
    ;({ name, frozen, floor, version, root, garbage } = load())
  }

  function change<Result>(work: () => Result): Result {
    const before = database.writes
    replacedBytes = 0
    try {
      return store.transact(() => {
        refresh()
        if (frozen) throw new FsError('READ_ONLY', { path: '/' })
        const result = work()
        garbage += replacedBytes
        const collects = garbage >= collectAfterBytes
        if (collects) garbage = 0
        database.run('UPDATE polyfs_workspaces SET version = version + 1, replaced = ? WHERE id = ?', [garbage, id])
        version += 1
        if (collects) store.collect()
        return result
      })
    } catch (error) {
      if (database.writes !== before) forget()
      throw error
    }
  }

  function directory({ child }: DirectoryEntry): LoadedDirectory {
    const known = directories.get(child)
    if (known !== undefined) return known
    const loaded = { id: child, entries: loadEntries(database, child) }
    return cache(loaded)
  }

  function cache(loaded: LoadedDirectory): LoadedDirectory {
    directories.set(loaded.id, loaded)
    cachedEntries += loaded.entries.size + 1
    return loaded
  }

  const find = (path: string) => findEntry(root, path, directory)

  function setRoot(entry: DirectoryEntry): void {
    const { child, mode, modifiedMs, createdMs, changedMs } = entry
    database.run(
      'UPDATE polyfs_workspaces SET root = ?, mode = ?, modified = ?, created = ?, changed = ? WHERE id = ?',
      [child, mode, modifiedMs, createdMs, changedMs, id],
    )
    root = entry
  }

  function set(holder: LoadedDirectory, entryName: string, entry: TreeEntry): void {
    storeEntry(database, holder.id, entryName, entry)
    if (holder.entries.get(entryName)?.kind !== entry.kind) holder.listing = undefined
    holder.entries.set(entryName, entry)
  }

  /** The entry of a directory that only this workspace has: a directory up to the floor is copied. */
  function own(entry: DirectoryEntry): DirectoryEntry {
    if (entry.child > floor) return entry
    const shared = directory(entry)
    const child = nextDirectory(database)
    copyEntries(database, entry.child, child)
    cache({ id: child, entries: new Map(shared.entries), ...(shared.listing && { listing: shared.listing }) })
    return { ...entry, child }
  }

  function owned(path: string): OwnedDirectory<number, number> {
    const top = own(root)
    if (top !== root) setRoot(top)
    let here = directory(accessibleDirectory(top, ownerEnters, path))
    let holder: LoadedDirectory | undefined
    let at = ''
    for (const next of namesOf(path)) {
      const before = accessibleDirectory(here.entries.get(next), ownerEnters, path)
      const entry = own(before)
      if (entry !== before) set(here, next, entry)
      holder = here
      at = next
      here = directory(entry)
    }
    return {
      entries: here.entries,
      set: (entryName, entry) => set(here, entryName, entry),
      delete(entryName) {
        deleteEntry(database, here.id, entryName)
        here.entries.delete(entryName)
        here.listing = undefined
      },
      touch(atMs) {
        const times = { modifiedMs: atMs, changedMs: atMs }
        if (holder === undefined) setRoot({ ...root, ...times })
        else set(holder, at, { ...(holder.entries.get(at) as DirectoryEntry), ...times })
      },
    }
  }

  return {
    id,
    get name() {
      return name
    },
    get frozen() {
      return frozen
    },
    get revision() {
      return version
    },
    refresh,
    change,
    find,
    directory,
    owned,
    amend(path, facts) {
      const names = namesOf(path)
      const last = names.pop()
      if (last === undefined) return setRoot({ ...root, ...facts })
      const parent = owned(`/${names.join('/')}`)
      parent.set(last, { ...(parent.entries.get(last) as TreeEntry), ...facts })
    },
    makeDirectory: () => nextDirectory(database),
    replaced({ size }) {
      replacedBytes += size
    },
    stillUsed({ size }) {
      replacedBytes -= size
    },
  }
}
