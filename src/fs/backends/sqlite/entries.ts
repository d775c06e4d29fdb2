/** Entries of directories, as objects and as rows. Objects are never changed: an entry that changes is a new object. */
import { decodeTarget, encodeTarget } from '../../link-target.js'
import type { Bytes, Entry } from '../../types.js'
import {
  type DirectoryEntryOf,
  entryFault,
  type FileEntryOf,
  factsFault,
  isCount,
  listingOf as sortedListing,
  type TreeEntryOf,
} from '../tree/entries.js'
import { DamagedDatabase, type SqliteDatabase, type SqliteRow, type SqliteValue } from './database.js'

/** `content` is the number of the content. */
export type FileEntry = FileEntryOf<number>
/** `child` is the number of the directory. */
export type DirectoryEntry = DirectoryEntryOf<number>
export type TreeEntry = TreeEntryOf<number, number>

/** A directory that was loaded. Changed together with its rows. */
export interface LoadedDirectory {
  readonly id: number
  readonly entries: Map<string, TreeEntry>
  /** Sorted by name; absent until it is asked for, and after a name or kind changed. */
  listing?: Entry[] | undefined
}

/**
 * The entries of a directory. Throws `DamagedDatabase` for what polyfs never writes, so that a name, a number or a directory that does not
 * fit gets no further.
 */
export function loadEntries(database: SqliteDatabase, directory: number): Map<string, TreeEntry> {
  // Some drivers drop a byte order mark at the beginning of a text.
  const sql = `SELECT CAST(name AS BLOB) AS name, kind, mode, modified, created, changed, size, content, child, target
    FROM polyfs_entries WHERE directory = ?`
  const entries = new Map<string, TreeEntry>()
  const children = new Set<number>([directory])
  for (const row of database.run(sql, [directory])) {
    const name = row.name instanceof Uint8Array ? decoded(row.name) : ''
    const entry = entryOf(row)
    const fault = entryFault(name, entry, isCount)
    if (fault !== undefined) throw new DamagedDatabase(`has ${fault}`)
    if (entry.kind === 'directory') {
      if (children.has(entry.child)) throw new DamagedDatabase(`has the directory "${name}" in two places`)
      children.add(entry.child)
    }
    entries.set(name, entry)
  }
  if (children.size > 1) checkNumbers(database, children)
  // Bytes sort behind all texts. A name that is not text is the same as one that is, and can't be removed.
  const odd = "SELECT 1 AS found FROM polyfs_entries WHERE directory = ? AND name >= x'' LIMIT 1"
  if (database.run(odd, [directory]).length > 0) throw new DamagedDatabase('has a name that is not text')
  return entries
}

/** A directory with a number that was never given out would become one with the next that is made. */
function checkNumbers(database: SqliteDatabase, directories: Iterable<number>): void {
  const highest = highestDirectory(database)
  for (const child of directories) if (child > highest) throw new DamagedDatabase(unknownDirectory)
}

export function highestDirectory(database: SqliteDatabase): number {
  const [row] = database.run("SELECT value FROM polyfs_meta WHERE name = 'directories'", [])
  return wholeNumber(row?.value, 'the highest number of a directory')
}

export function checkRoot(database: SqliteDatabase, { child }: DirectoryEntry): void {
  checkNumbers(database, [child])
}

const unknownDirectory = 'has a directory whose number was never given out'

function decoded(bytes: Bytes): string {
  try {
    return decoder.decode(bytes)
  } catch {
    // Not UTF-8.
    return ''
  }
}

export function storeEntry(database: SqliteDatabase, directory: number, name: string, entry: TreeEntry): void {
  const sql = `INSERT OR REPLACE INTO polyfs_entries
    (directory, name, kind, mode, modified, created, changed, size, content, child, target)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  const { kind, mode, modifiedMs, createdMs, changedMs } = entry
  const values: SqliteValue[] = [directory, name, kind, mode, modifiedMs, createdMs, changedMs]
  if (entry.kind === 'file') values.push(entry.size, entry.content, null, null)
  else if (entry.kind === 'directory') values.push(null, null, entry.child, null)
  else values.push(null, null, null, encodeTarget(entry.target))
  database.run(sql, values)
}

export function deleteEntry(database: SqliteDatabase, directory: number, name: string): void {
  database.run('DELETE FROM polyfs_entries WHERE directory = ? AND name = ?', [directory, name])
}

/** Gives out the number of a new directory. Call it in a transaction. */
export function nextDirectory(database: SqliteDatabase): number {
  const [row] = database.run('SELECT max(directory) AS used FROM polyfs_entries', [])
  const next = Math.max(highestDirectory(database), wholeNumber(row?.used ?? 0, 'the number of a directory')) + 1
  database.run("UPDATE polyfs_meta SET value = ? WHERE name = 'directories'", [next])
  return next
}

export function copyEntries(database: SqliteDatabase, from: number, to: number): void {
  const sql = `INSERT INTO polyfs_entries (directory, name, kind, mode, modified, created, changed, size, content, child, target)
    SELECT ?, name, kind, mode, modified, created, changed, size, content, child, target FROM polyfs_entries WHERE directory = ?`
  database.run(sql, [to, from])
}

/** The entry as the row has it, with values that may be none. */
function entryOf(row: SqliteRow): TreeEntry {
  const common = {
    mode: row.mode as number,
    modifiedMs: row.modified as number,
    createdMs: row.created as number,
    changedMs: row.changed as number,
  }
  if (row.kind === 'file') return { kind: 'file', ...common, size: row.size as number, content: row.content as number }
  if (row.kind === 'directory') return { kind: 'directory', ...common, child: row.child as number }
  if (row.kind !== 'symlink') throw new DamagedDatabase(`has an entry of the unknown kind ${String(row.kind)}`)
  // A driver may return NULL for an empty value.
  const target = row.target ?? new Uint8Array()
  if (!(target instanceof Uint8Array)) throw new DamagedDatabase('has a link without a target')
  return { kind: 'symlink', ...common, target: decodeTarget(target) }
}

/** A number that polyfs has stored: whole, exact and not negative. */
export function wholeNumber(value: SqliteValue | undefined, what: string): number {
  if (isCount(value)) return value
  throw new DamagedDatabase(`has something else than a number for ${what}`)
}

/** The root of a workspace, from its row. */
export function rootOf(row: SqliteRow): DirectoryEntry {
  const root = entryOf({ ...row, kind: 'directory', child: row.root ?? null }) as DirectoryEntry
  const fault = factsFault(root, isCount)
  if (fault !== undefined) throw new DamagedDatabase(`has ${fault}`)
  return root
}

export function listingOf(directory: LoadedDirectory): Entry[] {
  directory.listing ??= sortedListing(directory.entries)
  return directory.listing
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
