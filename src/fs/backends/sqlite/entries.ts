/** Entries of directories, as objects and as rows. Objects are never changed: an entry that changes is a new object. */
import { FsError } from '../../../errors.js'
import { decodeTarget, encodeTarget } from '../../link-target.js'
import type { Bytes, Entry, Stat } from '../../types.js'
import type { SqliteDatabase, SqliteRow, SqliteValue } from './database.js'

interface Common {
  readonly mode: number
  readonly modifiedMs: number
  readonly createdMs: number
  readonly changedMs: number
}

export interface FileEntry extends Common {
  readonly kind: 'file'
  readonly size: number
  /** The number of its content. */
  readonly content: number
}

export interface LinkEntry extends Common {
  readonly kind: 'symlink'
  readonly target: string
}

export interface DirectoryEntry extends Common {
  readonly kind: 'directory'
  /** The number of the directory. */
  readonly child: number
}

export type TreeEntry = FileEntry | LinkEntry | DirectoryEntry

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

export function statOf(entry: TreeEntry): Stat {
  const { kind, mode, modifiedMs, createdMs, changedMs } = entry
  const common = { kind, modifiedMs, createdMs, accessedMs: modifiedMs, changedMs, mode }
  return entry.kind === 'file' ? { ...common, size: entry.size } : common
}

export function listingOf(directory: LoadedDirectory): Entry[] {
  directory.listing ??= [...directory.entries]
    .map(([name, { kind }]) => ({ name, kind }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return directory.listing
}

/** Throws unless the entry is a readable file. */
export function readableFile(entry: TreeEntry | undefined, path: string): FileEntry {
  if (entry === undefined) throw new FsError('NOT_FOUND', { path })
  if (entry.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
  if (entry.kind === 'symlink') throw new FsError('IS_LINK', { path })
  requireRight(entry, ownerReads, path)
  return entry
}

/** Throws unless the entry is a directory for which its owner has this right. */
export function accessibleDirectory(entry: TreeEntry | undefined, right: number, path: string): DirectoryEntry {
  if (entry === undefined) throw new FsError('NOT_FOUND', { path })
  if (entry.kind === 'symlink') throw new FsError('IS_LINK', { path })
  if (entry.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
  requireRight(entry, right, path)
  return entry
}

export const ownerReads = 0o400
export const ownerWrites = 0o200
export const ownerEnters = 0o100

/** As in memory: who uses the tree owns everything in it, and is not root. */
export function requireRight({ mode }: TreeEntry, right: number, path: string): void {
  if ((mode & right) === 0) throw new FsError('DENIED', { path })
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
