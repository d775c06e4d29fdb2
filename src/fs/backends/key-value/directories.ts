/** Directories as values: one for a small directory, pages of names for a large one. */
import type { Bytes } from '../../types.js'
import {
  type DirectoryEntryOf,
  entryFault,
  type FileEntryOf,
  factsFault,
  isCount,
  type TreeEntryOf,
} from '../tree/entries.js'
import type { Batch, Hashes, Ref } from './blobs.js'
import type { Content } from './contents.js'
import { isRef, isReference, odd, parsed, record } from './values.js'

export type TreeEntry = TreeEntryOf<Content, Ref>
export type DirectoryEntry = DirectoryEntryOf<Ref>
export type FileEntry = FileEntryOf<Content>

/** Part of a directory: the names from `first` up to the next page. In a small directory it is the only one, and has no value of its own. */
export interface Page {
  readonly first: string
  readonly ref?: Ref
  readonly entries?: ReadonlyMap<string, TreeEntry>
}

export interface StoredDirectory {
  readonly count: number
  readonly pages: readonly Page[]
}

/** Returns the entries of pages, which are in memory, or throws. */
export type LoadedPages = (refs: readonly Ref[]) => ReadonlyMap<string, TreeEntry>[]

/** A directory with more entries is cut into pages, and a page with more is cut in two. */
const maxPage = 128

export const emptyDirectory: StoredDirectory = { count: 0, pages: [] }

/** Where a name is, or would be. */
export function pageOf(pages: readonly Page[], name: string): number {
  let [from, to] = [0, pages.length - 1]
  while (from < to) {
    const middle = Math.ceil((from + to) / 2)
    if ((pages[middle] as Page).first <= name) from = middle
    else to = middle - 1
  }
  return from
}

export function entriesIn({ entries, ref }: Page, load: LoadedPages): ReadonlyMap<string, TreeEntry> {
  return entries ?? (ref === undefined ? undefined : load([ref])[0]) ?? new Map()
}

export function entryIn({ pages }: StoredDirectory, name: string, load: LoadedPages): TreeEntry | undefined {
  const page = pages[pageOf(pages, name)]
  return page && entriesIn(page, load).get(name)
}

/** All entries, in no order. */
export function allEntries({ pages }: StoredDirectory, load: LoadedPages): Map<string, TreeEntry> {
  const all = new Map<string, TreeEntry>()
  const refs = pages.flatMap(({ ref, entries }) => (ref === undefined || entries !== undefined ? [] : [ref]))
  const here = pages.flatMap(({ entries }) => (entries === undefined ? [] : [entries]))
  for (const entries of [...here, ...load(refs)]) for (const [name, entry] of entries) all.set(name, entry)
  return all
}

/** Stores a directory: pages that have a value already stay as they are. */
export function storeDirectory(
  directory: StoredDirectory,
  { batch, hashes, load }: { batch: Batch; hashes: Hashes; load: LoadedPages },
): { ref: Ref; directory: StoredDirectory } {
  const put = (value: unknown) => {
    const bytes = encoder.encode(JSON.stringify(value))
    return batch.put(bytes, hashes.sha256(bytes))
  }
  const { count, pages } = directory
  // With less than half a page, pages are joined again.
  if (count <= (pages.length > 1 ? maxPage / 2 : maxPage)) {
    const entries = allEntries(directory, load)
    return { ref: put({ entries: rowsOf(entries) }), directory: { count, pages: [{ first: '', entries }] } }
  }
  const stored: (Page & { ref: Ref })[] = []
  for (const { first, ref, entries = new Map<string, TreeEntry>() } of pages) {
    if (ref !== undefined) stored.push({ first, ref })
    else
      for (const part of cut(sorted(entries))) {
        const rows = part.map(([name, entry]) => rowOf(name, entry))
        stored.push({ first: part[0]?.[0] ?? '', ref: put({ entries: rows }), entries: new Map(part) })
      }
  }
  const ref = put({ count, pages: stored.map(({ first, ref }) => [first, ref]) })
  return { ref, directory: { count, pages: stored } }
}

type Named = [string, TreeEntry]

function sorted(entries: ReadonlyMap<string, TreeEntry>): Named[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
}

function rowsOf(entries: ReadonlyMap<string, TreeEntry>): Row[] {
  return sorted(entries).map(([name, entry]) => rowOf(name, entry))
}

/** Equal parts of at most a page. */
function cut(rows: readonly Named[]): Named[][] {
  if (rows.length <= maxPage) return rows.length === 0 ? [] : [[...rows]]
  const parts = Math.ceil(rows.length / (maxPage * 0.75))
  const size = Math.ceil(rows.length / parts)
  return Array.from({ length: parts }, (_, part) => rows.slice(part * size, (part + 1) * size)).filter(
    ({ length }) => length > 0,
  )
}

export function readDirectory(bytes: Bytes): StoredDirectory {
  const { entries, count, pages } = record(parsed(bytes))
  if (entries !== undefined) {
    const all = mapOf(entries)
    return { count: all.size, pages: [{ first: '', entries: all }] }
  }
  if (!isCount(count) || !Array.isArray(pages)) throw odd('a directory')
  return {
    count,
    pages: pages.map((page: unknown) => {
      const [first, ref] = Array.isArray(page) ? page : []
      if (typeof first !== 'string' || !isRef(ref)) throw odd('a page of a directory')
      return { first, ref }
    }),
  }
}

export function readPage(bytes: Bytes): ReadonlyMap<string, TreeEntry> {
  return mapOf(record(parsed(bytes)).entries)
}

function mapOf(rows: unknown): Map<string, TreeEntry> {
  if (!Array.isArray(rows)) throw odd('a directory')
  const entries = new Map<string, TreeEntry>()
  for (const row of rows) {
    if (!Array.isArray(row)) throw odd('an entry')
    const entry = entryOf(row as Row)
    const fault = entryFault(row[0], entry, isReference)
    if (fault !== undefined) throw odd(fault)
    entries.set(row[0], entry)
  }
  return entries
}

/** The root of a head. */
export function rootOf(row: unknown): DirectoryEntry {
  const root = entryOf((Array.isArray(row) ? row : []) as unknown as Row)
  const fault = factsFault(root, isReference)
  if (root.kind !== 'directory' || fault !== undefined) throw odd(fault ?? 'a root that is not a directory')
  return root
}

/** Name, kind, mode, times of modification, creation and change; then size and content, directory, or target. */
export type Row =
  | [string, 'f', number, number, number, number, number, Content]
  | [string, 'd', number, number, number, number, Ref]
  | [string, 'l', number, number, number, number, string]

export function rowOf(name: string, entry: TreeEntry): Row {
  const { mode, modifiedMs, createdMs, changedMs } = entry
  if (entry.kind === 'file') return [name, 'f', mode, modifiedMs, createdMs, changedMs, entry.size, entry.content]
  if (entry.kind === 'directory') return [name, 'd', mode, modifiedMs, createdMs, changedMs, entry.child]
  return [name, 'l', mode, modifiedMs, createdMs, changedMs, entry.target]
}

export function entryOf(row: Row): TreeEntry {
  const [, kind, mode, modifiedMs, createdMs, changedMs] = row
  const common = { mode, modifiedMs, createdMs, changedMs }
  if (kind === 'f') return { kind: 'file', ...common, size: row[6], content: row[7] }
  if (kind === 'd') return { kind: 'directory', ...common, child: row[6] }
  if (kind === 'l') return { kind: 'symlink', ...common, target: row[6] }
  throw odd(`an entry of the unknown kind ${String(kind)}`)
}

const encoder = new TextEncoder()
