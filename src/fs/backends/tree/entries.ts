/** Entries of trees that are kept in a database or a store. Objects are never changed: an entry that changes is a new object. */
import { FsError } from '../../../errors.js'
import { basename, dirname } from '../../path.js'
import type { Entry, Stat } from '../../types.js'
import type { Trail } from './trail.js'

interface Common {
  readonly mode: number
  readonly modifiedMs: number
  readonly createdMs: number
  readonly changedMs: number
}

/** `Content` names the content in its store. */
export interface FileEntryOf<Content> extends Common {
  readonly kind: 'file'
  readonly size: number
  readonly content: Content
}

export interface LinkEntry extends Common {
  readonly kind: 'symlink'
  readonly target: string
}

/** `Child` names the directory in its store. */
export interface DirectoryEntryOf<Child> extends Common {
  readonly kind: 'directory'
  readonly child: Child
}

export type TreeEntryOf<Content, Child> = FileEntryOf<Content> | LinkEntry | DirectoryEntryOf<Child>

export function statOf(entry: TreeEntryOf<unknown, unknown>): Stat {
  const { kind, mode, modifiedMs, createdMs, changedMs } = entry
  const common = { kind, modifiedMs, createdMs, accessedMs: modifiedMs, changedMs, mode }
  return entry.kind === 'file' ? { ...common, size: entry.size } : common
}

/**
 * What an entry has that polyfs never stores, in a few words; undefined for one that could be its own. A tree may come from somebody else,
 * or be damaged. `isReference` tells whether a content or a directory could be one.
 */
export function entryFault(
  name: string,
  entry: TreeEntryOf<unknown, unknown>,
  isReference: (value: unknown) => boolean,
): string | undefined {
  if (!isEntryName(name)) return 'a name that can not be one'
  return factsFault(entry, isReference)
}

/** The same for an entry without a name, such as a root. */
export function factsFault(
  entry: TreeEntryOf<unknown, unknown>,
  isReference: (value: unknown) => boolean,
): string | undefined {
  if (!isCount(entry.mode)) return 'an invalid mode'
  const times = [entry.modifiedMs, entry.createdMs, entry.changedMs]
  if (!times.every(Number.isFinite)) return 'an invalid time'
  if (entry.kind === 'symlink') return typeof entry.target === 'string' ? undefined : 'a link without a target'
  if (entry.kind === 'directory') return isReference(entry.child) ? undefined : 'a directory without its entries'
  if (!isCount(entry.size)) return 'an invalid size'
  return isReference(entry.content) ? undefined : 'a file without its content'
}

/** True for a whole number, exact and not negative. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isEntryName(name: unknown): boolean {
  if (typeof name !== 'string' || name === '' || name === '.' || name === '..') return false
  return !name.includes('/') && !name.includes('\0') && name.isWellFormed()
}

/** Sorted by name. */
export function listingOf(entries: ReadonlyMap<string, TreeEntryOf<unknown, unknown>>): Entry[] {
  return [...entries].map(([name, { kind }]) => ({ name, kind })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Throws unless the entry is a readable file. */
export function readableFile<Content, Child>(
  entry: TreeEntryOf<Content, Child> | undefined,
  path: string,
): FileEntryOf<Content> {
  if (entry === undefined) throw new FsError('NOT_FOUND', { path })
  if (entry.kind === 'directory') throw new FsError('IS_A_DIRECTORY', { path })
  if (entry.kind === 'symlink') throw new FsError('IS_LINK', { path })
  requireRight(entry, ownerReads, path)
  return entry
}

/** Throws unless the entry is a directory for which its owner has this right. */
export function accessibleDirectory<Content, Child>(
  entry: TreeEntryOf<Content, Child> | undefined,
  right: number,
  path: string,
): DirectoryEntryOf<Child> {
  if (entry === undefined) throw new FsError('NOT_FOUND', { path })
  if (entry.kind === 'symlink') throw new FsError('IS_LINK', { path })
  if (entry.kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
  requireRight(entry, right, path)
  return entry
}

/** How a tree finds its entries. */
export interface Finding<Content, Child> {
  directory(entry: DirectoryEntryOf<Child>): {
    readonly entries: { get(name: string): TreeEntryOf<Content, Child> | undefined }
  }
  /** To be forgotten when `leadsOn` says so. */
  readonly trail: Trail<DirectoryEntryOf<Child>>
}

/** The entry at a normalised path; see `ChangeableTree`. */
export function findEntry<Content, Child>(
  root: DirectoryEntryOf<Child>,
  path: string,
  finding: Finding<Content, Child>,
): TreeEntryOf<Content, Child> | undefined {
  if (path === '/') return root
  const parent = findDirectory(root, dirname(path), { ...finding, given: path })
  if (parent === undefined) throw new FsError('NOT_FOUND', { path })
  return finding.directory(parent).entries.get(basename(path))
}

/** A directory whose entries may be accessed; undefined if it or one above it is missing. `given` is the path for errors. */
export function findDirectory<Content, Child>(
  root: DirectoryEntryOf<Child>,
  path: string,
  { directory, trail, given }: Finding<Content, Child> & { given: string },
): DirectoryEntryOf<Child> | undefined {
  return trail.to(path, accessibleDirectory(root, ownerEnters, given), (above, name) => {
    const child = directory(above).entries.get(name)
    return child && accessibleDirectory(child, ownerEnters, given)
  })
}

/** Whether paths through an entry lead where they did before it was replaced by another, or removed. */
export function leadsOn<Child>(
  before: TreeEntryOf<unknown, Child> | undefined,
  after: TreeEntryOf<unknown, Child> | undefined,
): boolean {
  if (before?.kind !== 'directory') return true
  return after?.kind === 'directory' && after.child === before.child && after.mode === before.mode
}

export const ownerReads = 0o400
export const ownerWrites = 0o200
export const ownerEnters = 0o100

/** As in memory: who uses the tree owns everything in it, and is not root. */
export function requireRight({ mode }: { readonly mode: number }, right: number, path: string): void {
  if ((mode & right) === 0) throw new FsError('DENIED', { path })
}
