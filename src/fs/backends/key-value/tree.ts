/** The tree of one workspace in a store: what is known of it in memory, and how it is changed. */
import { serialQueue } from '../../serial-queue.js'
import { findEntry } from '../tree/entries.js'
import { createTrail } from '../tree/trail.js'
import { type Batch, type Blobs, type Hashes, LostBlob, type Ref } from './blobs.js'
import { allEntries, type DirectoryEntry, emptyDirectory, storeDirectory, type TreeEntry } from './directories.js'
import { type DraftTree, draftTree, namesIn } from './draft-tree.js'
import { type Garbage, type Head, type Heads, nonces } from './head.js'
import { knownHead } from './known-head.js'
import { appended, type ListWriter } from './list.js'
import { emptyRef, type LoadedValues, loadedParts } from './loaded-parts.js'

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

export function openStoredTree(options: TreeOptions): StoredTree {
  const { blobs, heads, hashes, clock, settleMs } = options
  const queue = serialQueue()
  const openedMs = clock()
  const known = knownHead(options)
  const { withLoaded, add } = loadedParts(blobs)
  let inProgress: Transaction | undefined
  const nonce = nonces()
  /** Of one head, whose tree never changes. */
  const trail = createTrail<DirectoryEntry>()

  async function read<Result>(run: (view: View) => Result): Promise<Result> {
    await known.look()
    for (;;) {
      const { newest } = known
      try {
        return await withLoaded(({ directory, pages }) =>
          run({
            head: newest,
            find: (path) =>
              findEntry(newest.root, path, {
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
        await known.refresh()
        if (known.newest.version === newest.version) throw error
      }
    }
  }

  function attempt<Result>(base: Head, loaded: LoadedValues, work: (transaction: Transaction) => Result) {
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

  function storedEmpty(batch: Batch, { pages }: LoadedValues): Ref {
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
        await known.refresh()
        await before?.()
        const { stored, newest } = known
        const { result, next, batch, made } = await withLoaded((loaded) => attempt(newest, loaded, work))
        await batch.flush()
        if (!(await heads.replace(stored, next))) continue
        known.replace(next)
        add(made)
        return result
      }
    })
  }

  return {
    read,
    change,
    async head() {
      await known.look()
      return known.newest
    },
    get inProgress() {
      return inProgress
    },
    get known() {
      return known.newest
    },
    forget: known.forget,
  }
}

/** What a directory or a page takes, for lack of its size. */
const metadataBytes = 4096
