/** The tree of one workspace in a store: what is known of it in memory, and how it is changed. */
import { serialQueue } from '../../serial-queue.js'
import type { Bytes } from '../../types.js'
import { findEntry } from '../tree/entries.js'
import { createTrail } from '../tree/trail.js'
import { type Batch, type Blobs, type Hashes, LostBlob, type Ref } from './blobs.js'
import {
  allEntries,
  type DirectoryEntry,
  emptyDirectory,
  type LoadedPages,
  readDirectory,
  readPage,
  type StoredDirectory,
  storeDirectory,
  type TreeEntry,
} from './directories.js'
import { type DraftTree, draftTree, namesIn } from './draft-tree.js'
import { type Garbage, type Head, type Heads, nonces } from './head.js'
import { appended, emptyList, type ListWriter } from './list.js'
import { StoreFailure } from './store.js'

/** With more entries in memory, the oldest directories are forgotten. */
const maxCachedEntries = 200_000

export interface TreeOptions {
  blobs: Blobs
  heads: Heads
  hashes: Hashes
  now: () => number
  /** The milliseconds of a clock that is never set. */
  clock: () => number
  /** A read may rely for so long on what was read before. */
  staleMs: number
  /** The store may return old values for so long. */
  settleMs: number
}

/** Reads of one head. All of it is in memory when it is called. */
export interface View {
  readonly head: Head
  find(path: string): TreeEntry | undefined
  /** All entries of a directory. */
  entries(entry: DirectoryEntry): ReadonlyMap<string, TreeEntry>
  /** The values that a directory consists of. */
  values(entry: DirectoryEntry): Ref[]
}

/** A change while it is prepared. Everything in it is done again when another process was faster. */
export interface Transaction {
  readonly head: Head
  readonly batch: Batch
  readonly draft: DraftTree
  readonly writer: ListWriter
  /** Changes other parts of the head. */
  set(
    facts: Partial<
      Pick<Head, 'history' | 'floor' | 'pending' | 'generation' | 'garbage' | 'garbageBytes' | 'garbageCount'>
    >,
  ): void
  /** Names values that may be garbage after the change. */
  discard(garbage: Garbage, bytes: number): void
}

export interface StoredTree {
  /** Calls `look` with what the store has now; again whenever it needs a value that is not in memory. */
  read<Result>(look: (view: View) => Result): Promise<Result>
  /** The same for something that takes promises, with the head that the store has now. */
  head(): Promise<Head>
  /** Calls `work` and replaces the head. `before` is waited for first, and checks what the store has now. */
  change<Result>(work: (transaction: Transaction) => Result, before?: () => void | Promise<void>): Promise<Result>
  /** The transaction whose `work` is being called. */
  readonly inProgress: Transaction | undefined
  /** The newest head that this process has seen. */
  readonly known: Head
  /** Forgets the head: this process has removed the workspace. */
  forget(): void
}

/** Values that have to be read before a function is called again. */
class NotLoaded extends Error {
  constructor(readonly refs: readonly Ref[]) {
    super('a value is not in memory')
  }
}

export function openStoredTree(options: TreeOptions): StoredTree {
  const { blobs, heads, hashes, now, clock, staleMs, settleMs } = options
  const queue = serialQueue()
  const parts = new Map<Ref, Part>()
  let cachedEntries = 0
  const openedMs = clock()
  let known: Head | undefined
  let lookedMs = -Infinity
  let looking: Promise<void> | undefined
  let lookingNext: Promise<void> | undefined
  let inProgress: Transaction | undefined
  const empty = emptyHead()
  const nonce = nonces()
  /** Of one head, whose tree never changes. */
  const trail = createTrail<DirectoryEntry>()

  function emptyHead(): Head {
    const at = now()
    const times = { modifiedMs: at, createdMs: at, changedMs: at }
    return {
      version: 0,
      nonce: '',
      generation: 0,
      root: { kind: 'directory', mode: 0o755, ...times, child: emptyRef },
      history: emptyList,
      pending: [],
      garbage: emptyList,
      garbageBytes: 0,
      garbageCount: 0,
    }
  }

  async function load(): Promise<void> {
    const beganMs = clock()
    const found = await heads.read()
    adopt(found)
    lookedMs = beganMs
  }

  function adopt(found: Head | undefined): void {
    if (found === undefined) {
      if (known !== undefined && settleMs === 0) {
        throw new StoreFailure('other', 'the workspace was removed from the store by another program')
      }
      return
    }
    if (known !== undefined && known.version === found.version && known.nonce !== found.nonce) {
      throw new StoreFailure(
        'other',
        'another process has changed the workspace at the same time, which this store can not keep apart: let one process write',
      )
    }
    // A store may return an older value than before.
    if (known === undefined || found.version > known.version) known = found
  }

  /** Sees everything that was finished before this call. Calls at the same time share a request that begins after all of them. */
  function refresh(): Promise<void> {
    if (looking === undefined) {
      looking = load().finally(() => {
        looking = undefined
      })
      return looking
    }
    lookingNext ??= looking
      .catch(() => {})
      .then(() => {
        lookingNext = undefined
        return refresh()
      })
    return lookingNext
  }

  async function look(): Promise<void> {
    if (known === undefined || staleMs === 0 || clock() - lookedMs > staleMs) await refresh()
  }

  /** Directories and pages, which never change. */
  function remember(ref: Ref, part: Part): Part {
    const before = parts.get(ref)
    if (before !== undefined) cachedEntries -= sizeOf(before)
    parts.delete(ref)
    parts.set(ref, part)
    cachedEntries += sizeOf(part)
    for (const [oldest, other] of parts) {
      if (cachedEntries <= maxCachedEntries) break
      parts.delete(oldest)
      cachedEntries -= sizeOf(other)
    }
    return part
  }

  /** Calls `run` until all that it needs is in memory. */
  async function withLoaded<Result>(run: (loaded: Loaded) => Result): Promise<Result> {
    const values = new Map<Ref, Bytes>()
    const held = new Map<Ref, Part>()
    const value = (refs: readonly Ref[]) => {
      const missing: Ref[] = []
      const found: Bytes[] = []
      for (const ref of refs) {
        const bytes = values.get(ref) ?? blobs.cached(ref)
        if (bytes === undefined) missing.push(ref)
        else found.push(bytes)
      }
      if (missing.length > 0) throw new NotLoaded(missing)
      return found
    }
    /** A page and a small directory with the same entries have the same reference: what is in memory may be the other kind. */
    function partsAt<One extends Part>(
      refs: readonly Ref[],
      isOne: (part: Part) => part is One,
      decode: (bytes: Bytes) => One,
    ): One[] {
      const found = new Map<Ref, One>()
      for (const ref of refs) {
        for (const part of [parts.get(ref), held.get(ref)]) if (part && isOne(part)) found.set(ref, part)
      }
      const absent = refs.filter((ref) => !found.has(ref))
      const bytes = absent.length === 0 ? [] : value(absent)
      for (const [index, ref] of absent.entries()) {
        const part = decode(bytes[index] as Bytes)
        found.set(ref, part)
        held.set(ref, remember(ref, part))
      }
      return refs.map((ref) => found.get(ref) as One)
    }
    const pages: LoadedPages = (refs) => partsAt(refs, isPage, readPage)
    const directory = (ref: Ref) =>
      ref === emptyRef ? emptyDirectory : (partsAt([ref], isDirectory, readDirectory)[0] as StoredDirectory)
    for (;;) {
      try {
        return run({ value, directory, pages })
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error
        const bytes = await Promise.all(error.refs.map(blobs.get))
        for (const [index, ref] of error.refs.entries()) values.set(ref, bytes[index] as Bytes)
      }
    }
  }

  async function read<Result>(run: (view: View) => Result): Promise<Result> {
    await look()
    for (;;) {
      const head = known ?? empty
      try {
        return await withLoaded(({ directory, pages }) =>
          run({
            head,
            find: (path) =>
              findEntry(head.root, path, {
                directory: ({ child }) => ({ entries: namesIn(directory(child), pages) }),
                trail,
              }),
            entries: ({ child }) => allEntries(directory(child), pages),
            values: ({ child }) => [child, ...directory(child).pages.flatMap(({ ref }) => ref ?? [])],
          }),
        )
      } catch (error) {
        if (!(error instanceof LostBlob)) throw error
        // Garbage may have been collected since the head was read: then there is a newer one.
        await refresh()
        if ((known ?? empty).version === head.version) throw error
      }
    }
  }

  function attempt<Result>(base: Head, loaded: Loaded, work: (transaction: Transaction) => Result) {
    const batch = blobs.batch(base.generation)
    const draft = draftTree(base.root, loaded)
    const garbage: { ref: Garbage; bytes: number }[] = []
    const discard = (ref: Garbage, bytes: number) => void garbage.push({ ref, bytes })
    const writer = { batch, hashes, value: loaded.value, replaced: (ref: Ref) => discard(ref, metadataBytes) }
    let head = base
    inProgress = {
      head: base,
      batch,
      draft,
      writer,
      discard,
      set(facts) {
        head = { ...head, ...facts }
      },
    }
    try {
      const result = work(inProgress)
      const { root, replaced, made } = draft.save(batch, hashes)
      for (const ref of replaced) if (ref !== emptyRef) discard(ref, metadataBytes)
      for (const content of draft.dropped) discard(content, 0)
      let bytes = head.garbageBytes + draft.droppedBytes
      for (const { bytes: own } of garbage) bytes += own
      const count = garbage.length
      const refs = garbage.map(({ ref }) => ref)
      const list = appended(head.garbage, refs, writer)
      // The list may have discarded a page of itself.
      const own = garbage.slice(count).map(({ ref }) => ref)
      const next: Head = {
        ...head,
        root: root.child === emptyRef ? { ...root, child: storedEmpty(batch, loaded) } : root,
        garbage: { ...list, tail: [...list.tail, ...own] },
        garbageBytes: bytes,
        garbageCount: head.garbageCount + garbage.length,
        version: base.version + 1,
        nonce: nonce(),
      }
      return { result, next, batch, made }
    } finally {
      inProgress = undefined
    }
  }

  function storedEmpty(batch: Batch, { pages }: Loaded): Ref {
    return storeDirectory(emptyDirectory, { batch, hashes, load: pages }).ref
  }

  async function settled(): Promise<void> {
    const restMs = openedMs + settleMs - clock()
    if (settleMs > 0 && restMs > 0) await new Promise<void>((resume) => setTimeout(resume, restMs))
  }

  function change<Result>(
    work: (transaction: Transaction) => Result,
    before?: () => void | Promise<void>,
  ): Promise<Result> {
    return queue(async () => {
      await settled()
      for (;;) {
        await refresh()
        await before?.()
        const base = known
        const { result, next, batch, made } = await withLoaded((loaded) => attempt(base ?? empty, loaded, work))
        await batch.flush()
        if (!(await heads.replace(base, next))) continue
        known = next
        for (const [ref, part] of made) if (!parts.has(ref)) remember(ref, part)
        return result
      }
    })
  }

  return {
    read,
    change,
    async head() {
      await look()
      return known ?? empty
    },
    get inProgress() {
      return inProgress
    },
    get known() {
      return known ?? empty
    },
    forget() {
      known = undefined
      lookedMs = -Infinity
    },
  }
}

interface Loaded {
  value(refs: readonly Ref[]): Bytes[]
  directory(ref: Ref): StoredDirectory
  readonly pages: LoadedPages
}

type Part = StoredDirectory | ReadonlyMap<string, TreeEntry>

const isDirectory = (part: Part): part is StoredDirectory => 'pages' in part
const isPage = (part: Part): part is ReadonlyMap<string, TreeEntry> => !isDirectory(part)

function sizeOf(part: Part): number {
  if (isPage(part)) return 1 + part.size
  return part.pages.reduce((sum, { entries }) => sum + 1 + (entries?.size ?? 0), 1)
}

/** Stands for a directory that was never stored. */
const emptyRef = 'empty'
/** What a directory or a page takes, for want of its size. */
const metadataBytes = 4096
