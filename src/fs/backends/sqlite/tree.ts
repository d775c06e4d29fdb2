/** The tree of one workspace: its directories, cached in memory for as long as nobody else changes them. */
import { FsError } from '../../../errors.js'
import { basename, dirname, join } from '../../path.js'
import { namesOf } from '../memory-nodes.js'
import { accessibleDirectory, findDirectory, findEntry, leadsOn, ownerEnters } from '../tree/entries.js'
import type { ChangeableTree, OwnedDirectory } from '../tree/mutations.js'
import { createTrail } from '../tree/trail.js'
import { DamagedDatabase } from './database.js'
import {
  checkRoot,
  copyEntries,
  type DirectoryEntry,
  deleteEntry,
  type LoadedDirectory,
  loadEntries,
  nextDirectory,
  rootOf,
  storeEntry,
  type TreeEntry,
  wholeNumber,
} from './entries.js'
import type { Store } from './store.js'

/** With more entries in memory, the cache is emptied. */
const maxCachedEntries = 200_000
/** After so many replaced bytes, garbage is collected. */
const collectAfterBytes = 64 * 1024 * 1024
/** How often a read begins again because another process has changed the tree meanwhile. */
const maxRepeats = 8

export interface SqliteTree extends ChangeableTree<number, number> {
  readonly id: number
  readonly name: string
  readonly frozen: boolean
  /** A number that every change raises; negative after a change that failed, until `refresh`. */
  readonly revision: number
  /** Sees what other processes have changed. Every change begins with it. */
  refresh(): void
  /** Runs a read that sees what other processes have changed. */
  read<Result>(run: () => Result): Result
  /** Runs `work` in one transaction; when it throws, nothing of it remains. */
  change<Result>(work: () => Result): Result
  directory(entry: DirectoryEntry): LoadedDirectory
}

export function openTree(store: Store, id: number): SqliteTree {
  const { database } = store
  let directories = new Map<number, LoadedDirectory>()
  /** The directory that each known directory lies in: in a tree that is one, each lies in one place. */
  let parents = new Map<number, number>()
  let cachedEntries = 0
  let replacedBytes = 0
  const trail = createTrail<DirectoryEntry>()
  const finding = { directory, trail }
  let { name, frozen, floor, version, root, garbage } = load()

  function load() {
    const [row] = database.run(
      `SELECT name, frozen, floor, version, replaced, root, mode, modified, created, changed FROM polyfs_workspaces WHERE id = ?`,
      [id],
    )
    if (row === undefined) throw new FsError('IO', { path: '/', detail: 'the workspace was dropped' })
    const top = rootOf(row)
    checkRoot(database, top)
    return {
      name: String(row.name),
      frozen: row.frozen === 1,
      floor: wholeNumber(row.floor, 'a workspace'),
      version: wholeNumber(row.version, 'the version of a workspace'),
      garbage: wholeNumber(row.replaced, 'a workspace'),
      root: top,
    }
  }

  function forget(): void {
    trail.forget()
    directories = new Map()
    parents = new Map()
    cachedEntries = 0
    version = -1
  }

  function storedVersion() {
    return database.run('SELECT version FROM polyfs_workspaces WHERE id = ?', [id])[0]?.version
  }

  function refresh(): void {
    if (storedVersion() !== version) {
      forget()
      ;({ name, frozen, floor, version, root, garbage } = load())
    } else if (cachedEntries > maxCachedEntries) {
      // What lies where is not forgotten: a tree with a circle would be walked for ever.
      directories = new Map()
      cachedEntries = 0
    }
  }

  function read<Result>(run: () => Result): Result {
    for (let attempt = 0; ; attempt += 1) {
      refresh()
      try {
        return run()
      } catch (error) {
        // A directory that another process moves meanwhile is seen twice.
        if (!(error instanceof DamagedDatabase) || attempt === maxRepeats || storedVersion() === version) throw error
      }
    }
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
    const entries = loadEntries(database, child)
    for (const entry of entries.values()) if (entry.kind === 'directory') checkPlace(entry.child, child)
    return cache({ id: child, entries })
  }

  /** A directory that lies in itself, or in two others, would be walked for ever. */
  function checkPlace(child: number, parent: number): void {
    const other = parents.get(child) ?? parent
    if (child === root.child || other !== parent) {
      throw new DamagedDatabase('has a directory that lies in itself or in two others')
    }
    parents.set(child, parent)
  }

  function cache(loaded: LoadedDirectory): LoadedDirectory {
    directories.set(loaded.id, loaded)
    cachedEntries += loaded.entries.size + 1
    return loaded
  }

  const find = (path: string) => findEntry(root, path, finding)

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
    if (entry.kind === 'directory') parents.set(entry.child, holder.id)
  }

  /** The entry of a directory that only this workspace has: a directory up to the floor is copied. */
  function own(entry: DirectoryEntry): DirectoryEntry {
    if (entry.child > floor) return entry
    const shared = directory(entry)
    const child = nextDirectory(database)
    copyEntries(database, entry.child, child)
    parents.delete(entry.child)
    for (const below of shared.entries.values()) if (below.kind === 'directory') parents.set(below.child, child)
    cache({ id: child, entries: new Map(shared.entries), ...(shared.listing && { listing: shared.listing }) })
    return { ...entry, child }
  }

  /** Copies what is shared of the way to a directory. */
  function ownAll(path: string): void {
    const known = findDirectory(root, path, { ...finding, given: path })
    // Then those above it are not shared either.
    if (known !== undefined && known.child > floor) return
    const top = own(root)
    if (top !== root) setRoot(top)
    let here = directory(accessibleDirectory(top, ownerEnters, path))
    for (const next of namesOf(path)) {
      const before = accessibleDirectory(here.entries.get(next), ownerEnters, path)
      const entry = own(before)
      if (entry !== before) set(here, next, entry)
      here = directory(entry)
    }
    trail.forget()
  }

  function loadedAt(path: string): LoadedDirectory {
    return directory(accessibleDirectory(findDirectory(root, path, { ...finding, given: path }), ownerEnters, path))
  }

  function owned(path: string): OwnedDirectory<number, number> {
    ownAll(path)
    const here = loadedAt(path)
    const holder = path === '/' ? undefined : loadedAt(dirname(path))
    const at = basename(path)
    return {
      entries: here.entries,
      set(entryName, entry) {
        if (!leadsOn(here.entries.get(entryName), entry)) trail.forget(join(path, entryName))
        set(here, entryName, entry)
      },
      delete(entryName) {
        if (!leadsOn(here.entries.get(entryName), undefined)) trail.forget(join(path, entryName))
        deleteEntry(database, here.id, entryName)
        const before = here.entries.get(entryName)
        if (before?.kind === 'directory') parents.delete(before.child)
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
    read,
    change,
    find,
    directory,
    owned,
    amend(path, facts) {
      if (path === '/') return setRoot({ ...root, ...facts })
      const last = basename(path)
      const parent = owned(dirname(path))
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
