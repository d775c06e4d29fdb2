/** A tree while it is changed: directories that change are copies in memory, all others are shared with the store. */

import { basename, dirname, join } from '../../path.js'
import { namesOf } from '../memory-nodes.js'
import { accessibleDirectory, findDirectory, findEntry, leadsOn, ownerEnters } from '../tree/entries.js'
import type { ChangeableTree, OwnedDirectory } from '../tree/mutations.js'
import { createTrail } from '../tree/trail.js'
import type { Batch, Hashes, Ref } from './blobs.js'
import type { Content } from './contents.js'
import {
  type DirectoryEntry,
  emptyDirectory,
  entriesIn,
  entryIn,
  type FileEntry,
  type LoadedPages,
  type Page,
  pageOf,
  type StoredDirectory,
  storeDirectory,
  type TreeEntry,
} from './directories.js'

/** Returns what is in memory, or throws. */
export interface Loaded {
  directory(ref: Ref): StoredDirectory
  readonly pages: LoadedPages
}

/** The entries of a directory by name. */
export interface Names {
  get(name: string): TreeEntry | undefined
  readonly size: number
}

export function namesIn(directory: StoredDirectory, load: LoadedPages): Names {
  return { get: (name) => entryIn(directory, name, load), size: directory.count }
}

export interface DraftTree extends ChangeableTree<Content, Ref> {
  /** The contents of files that were replaced or removed. */
  readonly dropped: ReadonlySet<Content>
  readonly droppedBytes: number
  /** Puts all directories that changed into the batch. */
  save(batch: Batch, hashes: Hashes): SavedTree
}

/** `replaced` may be garbage now; `made` is what the values that were put contain. */
export interface SavedTree {
  root: DirectoryEntry
  replaced: Ref[]
  made: Map<Ref, StoredDirectory | ReadonlyMap<string, TreeEntry>>
}

/** A page that may be changed has entries of its own, and no value. */
interface DraftPage extends Page {
  readonly own?: Map<string, TreeEntry>
}

interface DraftDirectory {
  readonly entries: Names
  readonly pages: readonly DraftPage[]
  /** The stored directory that it is a copy of. */
  readonly origin?: Ref
  set(name: string, entry: TreeEntry): void
  delete(name: string): void
}

function draftDirectory(from: StoredDirectory, load: LoadedPages, origin?: Ref): DraftDirectory {
  const pages: DraftPage[] = from.pages.length === 0 ? [{ first: '', entries: new Map() }] : [...from.pages]
  let { count } = from

  function owned(name: string): Map<string, TreeEntry> {
    const at = pageOf(pages, name)
    const page = pages[at] as DraftPage
    if (page.own !== undefined) return page.own
    const own = new Map(entriesIn(page, load))
    pages[at] = { first: page.first, own, entries: own }
    return own
  }

  return {
    pages,
    ...(origin !== undefined && { origin }),
    entries: {
      get: (name) => entriesIn(pages[pageOf(pages, name)] as DraftPage, load).get(name),
      get size() {
        return count
      },
    },
    set(name, entry) {
      const page = owned(name)
      if (!page.has(name)) count += 1
      page.set(name, entry)
    },
    delete(name) {
      if (owned(name).delete(name)) count -= 1
    },
  }
}

export function draftTree(start: DirectoryEntry, loaded: Loaded): DraftTree {
  const drafts = new Map<Ref, DraftDirectory>()
  const dropped = new Set<Content>()
  let droppedBytes = 0
  let root = start
  const trail = createTrail<DirectoryEntry>()
  const finding = { directory, trail }

  function directory({ child }: DirectoryEntry): { entries: Names } {
    return drafts.get(child) ?? { entries: namesIn(loaded.directory(child), loaded.pages) }
  }

  /** Names of drafts are not those of values. */
  function draft(content: DraftDirectory): Ref {
    const name = `draft ${drafts.size}`
    drafts.set(name, content)
    return name
  }

  /** The entry of a directory that may be changed. */
  function own(entry: DirectoryEntry): DirectoryEntry {
    const { child } = entry
    if (drafts.has(child)) return entry
    return { ...entry, child: draft(draftDirectory(loaded.directory(child), loaded.pages, child)) }
  }

  /** Makes drafts of the directories on the way to one. */
  function ownAll(path: string): void {
    const known = findDirectory(root, path, { ...finding, given: path })
    // Then those above it are drafts too.
    if (known !== undefined && drafts.has(known.child)) return
    root = own(accessibleDirectory(root, ownerEnters, path))
    let here = drafts.get(root.child) as DraftDirectory
    for (const name of namesOf(path)) {
      const entry = own(accessibleDirectory(here.entries.get(name), ownerEnters, path))
      here.set(name, entry)
      here = drafts.get(entry.child) as DraftDirectory
    }
    trail.forget()
  }

  function draftAt(path: string): DraftDirectory {
    const entry = accessibleDirectory(findDirectory(root, path, { ...finding, given: path }), ownerEnters, path)
    return drafts.get(entry.child) as DraftDirectory
  }

  function owned(path: string): OwnedDirectory<Content, Ref> {
    ownAll(path)
    const here = draftAt(path)
    const holder = path === '/' ? undefined : draftAt(dirname(path))
    const at = basename(path)
    return {
      entries: here.entries,
      set(name, entry) {
        if (!leadsOn(here.entries.get(name), entry)) trail.forget(join(path, name))
        here.set(name, entry)
      },
      delete(name) {
        if (!leadsOn(here.entries.get(name), undefined)) trail.forget(join(path, name))
        here.delete(name)
      },
      touch(atMs) {
        const times = { modifiedMs: atMs, changedMs: atMs }
        if (holder === undefined) root = { ...root, ...times }
        else holder.set(at, { ...(holder.entries.get(at) as DirectoryEntry), ...times })
      },
    }
  }

  function save(batch: Batch, hashes: Hashes): SavedTree {
    const used = new Set<Ref>()
    const made: SavedTree['made'] = new Map()

    function stored(entry: DirectoryEntry): DirectoryEntry {
      const content = drafts.get(entry.child)
      if (content === undefined) return entry
      for (const { own } of content.pages) {
        for (const [name, below] of own ?? []) {
          if (below.kind === 'directory' && drafts.has(below.child)) own?.set(name, stored(below))
        }
      }
      const whole = { count: content.entries.size, pages: content.pages }
      const { ref, directory: saved } = storeDirectory(whole, { batch, hashes, load: loaded.pages })
      used.add(ref)
      made.set(ref, saved)
      for (const { ref: page, entries } of saved.pages) {
        if (page === undefined) continue
        used.add(page)
        if (entries !== undefined) made.set(page, entries)
      }
      return { ...entry, child: ref }
    }

    root = stored(root)
    const replaced: Ref[] = []
    for (const { origin } of drafts.values()) {
      if (origin === undefined) continue
      const pages = loaded.directory(origin).pages.flatMap(({ ref }) => ref ?? [])
      replaced.push(...[origin, ...pages].filter((ref) => !used.has(ref)))
    }
    return { root, replaced, made }
  }

  return {
    find: (path) => findEntry(root, path, finding),
    directory,
    owned,
    amend(path, facts) {
      if (path === '/') {
        root = { ...root, ...facts }
        return
      }
      const last = basename(path)
      const parent = owned(dirname(path))
      parent.set(last, { ...(parent.entries.get(last) as TreeEntry), ...facts })
    },
    makeDirectory: () => draft(draftDirectory(emptyDirectory, loaded.pages)),
    replaced({ content, size }: FileEntry) {
      dropped.add(content)
      droppedBytes += size
    },
    stillUsed({ content, size }: FileEntry) {
      if (dropped.delete(content)) droppedBytes -= size
    },
    dropped,
    get droppedBytes() {
      return droppedBytes
    },
    save,
  }
}
