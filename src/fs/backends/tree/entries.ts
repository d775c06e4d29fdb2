/** Entries of trees that are kept in a database or a store. Objects are never changed: an entry that changes is a new object. */
import { FsError } from '../../../errors.js'
import type { Entry, Stat } from '../../types.js'
import { namesOf } from '../memory-nodes.js'

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
  if (!isCount(entry.mode)) return 'a mode that is none'
  const times = [entry.modifiedMs, entry.createdMs, entry.changedMs]
  if (!times.every(Number.isFinite)) return 'a time that is none'
  if (entry.kind === 'symlink') return typeof entry.target === 'string' ? undefined : 'a link without a target'
  if (entry.kind === 'directory') return isReference(entry.child) ? undefined : 'a directory without its entries'
  if (!isCount(entry.size)) return 'a size that is none'
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

/** The entry at a path; see `ChangeableTree`. */
export function findEntry<Content, Child>(
  root: DirectoryEntryOf<Child>,
  path: string,
  directory: (entry: DirectoryEntryOf<Child>) => {
    readonly entries: { get(name: string): TreeEntryOf<Content, Child> | undefined }
  },
): TreeEntryOf<Content, Child> | undefined {
  const names = namesOf(path)
  let entry: TreeEntryOf<Content, Child> = root
  for (let depth = 0; depth < names.length; depth += 1) {
    const { entries } = directory(accessibleDirectory(entry, ownerEnters, path))
    const next = entries.get(names[depth] as string)
    if (next !== undefined) entry = next
    else if (depth === names.length - 1) return undefined
    else throw new FsError('NOT_FOUND', { path })
  }
  return entry
}

export const ownerReads = 0o400
export const ownerWrites = 0o200
export const ownerEnters = 0o100

/** As in memory: who uses the tree owns everything in it, and is not root. */
export function requireRight({ mode }: { readonly mode: number }, right: number, path: string): void {
  if ((mode & right) === 0) throw new FsError('DENIED', { path })
}
