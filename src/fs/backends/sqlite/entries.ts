/** Entries of directories, as objects and as rows. Objects are never changed: an entry that changes is a new object. */
import { FsError } from '../../../errors.js'
import { decodeTarget, encodeTarget } from '../../link-target.js'
import type { Bytes, Entry } from '../../types.js'
import {
  type DirectoryEntryOf,
  type FileEntryOf,
  listingOf as sortedListing,
  type TreeEntryOf,
} from '../tree/entries.js'
import type { SqliteDatabase, SqliteRow, SqliteValue } from './database.js'

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

export function loadEntries(database: SqliteDatabase, directory: number): Map<string, TreeEntry> {
  // Some drivers drop a byte order mark at the beginning of a text.
  const sql = `SELECT CAST(name AS BLOB) AS name, kind, mode, modified, created, changed, size, content, child, target
    FROM polyfs_entries WHERE directory = ?`
  const entries = new Map<string, TreeEntry>()
  for (const row of database.run(sql, [directory])) entries.set(decoder.decode(row.name as Bytes), entryOf(row))
  return entries
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

/** Gives out the number of a new directory. */
export function nextDirectory(database: SqliteDatabase): number {
  const sql = "UPDATE polyfs_meta SET value = value + 1 WHERE name = 'directories' RETURNING value"
  return database.run(sql, [])[0]?.value as number
}

export function copyEntries(database: SqliteDatabase, from: number, to: number): void {
  const sql = `INSERT INTO polyfs_entries (directory, name, kind, mode, modified, created, changed, size, content, child, target)
    SELECT ?, name, kind, mode, modified, created, changed, size, content, child, target FROM polyfs_entries WHERE directory = ?`
  database.run(sql, [to, from])
}

function entryOf(row: SqliteRow): TreeEntry {
  const common = {
    mode: row.mode as number,
    modifiedMs: row.modified as number,
    createdMs: row.created as number,
    changedMs: row.changed as number,
  }
  if (row.kind === 'file') return { kind: 'file', ...common, size: row.size as number, content: row.content as number }
  if (row.kind === 'directory') return { kind: 'directory', ...common, child: row.child as number }
  if (row.kind === 'symlink') {
    return { kind: 'symlink', ...common, target: decodeTarget((row.target as Bytes | null) ?? new Uint8Array()) }
  }
  throw new FsError('IO', { path: '/', detail: `the database has an entry of the unknown kind ${String(row.kind)}` })
}

/** The root of a workspace, from its row. */
export function rootOf(row: SqliteRow): DirectoryEntry {
  return entryOf({ ...row, kind: 'directory', child: row.root ?? null }) as DirectoryEntry
}

export function listingOf(directory: LoadedDirectory): Entry[] {
  directory.listing ??= sortedListing(directory.entries)
  return directory.listing
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
