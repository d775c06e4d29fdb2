/** The journal: stores each change before it is made, and as history afterwards. */
import { basename, dirname, join } from '../../fs/path.js'
import { processMemory, transactional } from '../../fs/transactional.js'
import type { ByteRange, Bytes, FileSystem } from '../../fs/types.js'
import { quarantine } from './quarantine.js'
import { bytesIn, type ChangeRecord, type Contents, pathsOf } from './record.js'
import { readRecord, type Seal, type StoredRecord, writeRecord } from './record-file.js'
import { ignoreMissing, makeOwnDirectory, namesIn, openRecordStore } from './record-store.js'

/** A change that was begun and neither finished nor abandoned. */
export interface Pending {
  record: ChangeRecord
  /** A `committed` change has to be finished, a `withdrawn` one rolled back. While `begun`, the tree is unchanged; see `isOneRename`. */
  state: 'begun' | 'committed' | 'withdrawn'
}

/** The pending state of a change whose steps are done: `begun` for one without a commit point, see `isOneRename`; `committed` by default. */
export type Landed = 'begun' | 'committed'

/** Engines that share a journal share the locks. So a pending change that is not in progress was left by a crash or a failure. */
export interface Journal {
  /** Stores the record and the content needed to roll it back. Durable when it returns, as are the following calls. */
  begin(record: ChangeRecord, contents: Contents): Promise<void>
  /** Stores the content needed to roll back a change that was begun without it. Absent where that is not atomic. */
  keep?(record: ChangeRecord, contents: Contents): Promise<void>
  /** The commit point: after a crash the change is finished, not dropped. */
  commit(id: string): Promise<void>
  /** From here on the change is rolled back, not finished, also after a crash. Does nothing unless its state is `from`. */
  withdraw(id: string, from?: Landed): Promise<void>
  /**
   * Moves a change whose steps are done into the history, with the replaced content if it is undoable. Need not be durable when it
   * returns: recovery finishes a change that is pending and done.
   */
  finish(record: ChangeRecord, from?: Landed): Promise<void>
  /** Removes the record of a pending change. */
  abandon(id: string): Promise<void>
  /** Oldest first, without those in `except`. Fails with `NOT_FOUND` when the journal's directory was removed. */
  pending(except?: ReadonlySet<string>): Promise<Pending[]>
  /** Removes partial records that a crash left behind. No other process may be writing. */
  clean(): Promise<void>
  /** The names of quarantined records: those that could not be read or have a wrong seal. */
  corrupt(): Promise<string[]>
  /** Adds a finished record, such as a checkpoint. */
  add(record: ChangeRecord, contents: Contents): Promise<void>
  /** The `newest` last records, or all, oldest first. With `before`, only those of smaller ids. */
  history(newest?: number, before?: string): Promise<ChangeRecord[]>
  /** The newest id in the history, where it is known without waiting. Ids that follow it sort right whatever the clocks of processes say. */
  newestId?(): string | undefined
  /** Content stored with a record. Whoever uses it compares it with the hash (`keptContent`). */
  content(id: string, hash: string): Promise<Bytes | undefined>
  /** Removes the oldest history beyond the bounds; returns how many records are left. */
  prune(bounds: { maxBytes: number; oldestMs: number }): Promise<number>
  /**
   * Replaces each finished record by what `left` returns for it, without content: the same record stays as it is, `undefined` removes it.
   * Also removes quarantined and partial records. No other process may be writing.
   */
  purge(left: (record: ChangeRecord) => ChangeRecord | undefined): Promise<void>
  /** Present where the journal is in the same store as the tree: then a change and its record are one transaction. */
  readonly atomic?: AtomicJournal
}

export interface AtomicJournal {
  /** That of the file system's `AtomicChanges`. */
  readonly unit: object
  /** Adds a finished record, in a transaction of the file system that is in progress. */
  add(record: ChangeRecord, contents: Contents): void
}

/** A journal in memory that can be copied. */
export interface MemoryJournal extends Journal {
  /** A journal of its own with the same records. */
  fork(): MemoryJournal
}

interface StoredChange {
  record: ChangeRecord
  contents: Contents
}

/** A journal in memory, for trees in memory. Stores bytes by reference. */
export function memoryJournal(): MemoryJournal {
  return journalOf(new Map(), new Map())
}

function journalOf(open: Map<string, Pending & StoredChange>, kept: Map<string, StoredChange>): MemoryJournal {
  async function begin(record: ChangeRecord, contents: Contents): Promise<void> {
    open.set(record.id, { record, contents, state: 'begun' })
  }

  return {
    begin,
    keep: begin,
    async commit(id) {
      const pending = open.get(id)
      if (pending !== undefined) pending.state = 'committed'
    },
    async withdraw(id, from = 'committed') {
      const pending = open.get(id)
      if (pending?.state === from) pending.state = 'withdrawn'
    },
    async finish({ id, undoable }) {
      const pending = open.get(id)
      open.delete(id)
      if (pending === undefined) return
      const { record, contents } = pending
      kept.set(id, { record, contents: undoable ? contents : new Map() })
    },
    async abandon(id) {
      open.delete(id)
    },
    pending: async (except) => [...open.values()].filter(({ record }) => !except?.has(record.id)),
    clean: async () => {},
    corrupt: async () => [],
    async add(record, contents) {
      kept.set(record.id, { record, contents })
    },
    atomic: { unit: processMemory, add: (record, contents) => void kept.set(record.id, { record, contents }) },
    history: async (newest = Infinity, before) =>
      [...kept.values()]
        .map(({ record }) => record)
        .filter(({ id }) => before === undefined || id < before)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(-newest),
    content: async (id, hash) => (kept.get(id) ?? open.get(id))?.contents.get(hash),
    async prune({ maxBytes, oldestMs }) {
      const sizes = [...kept.values()].map(({ record, contents }) => sized(record, bytesIn(contents) + bytesOf(record)))
      const dropped = toDrop(sizes, maxBytes, oldestMs)
      for (const id of dropped) kept.delete(id)
      return kept.size
    },
    async purge(left) {
      for (const [id, { record }] of [...kept]) {
        const other = left(record)
        if (other === undefined) kept.delete(id)
        else if (other !== record) kept.set(id, { record: other, contents: new Map() })
      }
    },
    fork() {
      const pending = [...open].map(([id, change]) => [id, { ...change }] as const)
      return journalOf(new Map(pending), new Map(kept))
    },
  }
}

const pendingDirectory = '/pending'
const historyDirectory = '/history'
const states = ['committed', 'withdrawn', 'begun'] as const
/** Records whose content positions are cached: a change and the one that undid it, and some more. */
const recordsAtHand = 4

/**
 * A journal in a file system of its own, outside the tree whose changes it stores. That file system must write durably. With a `seal`,
 * a record with a wrong seal is quarantined like one that can't be read.
 */
export async function storedJournal(store: FileSystem, { seal }: { seal?: Seal } = {}): Promise<Journal> {
  await makeOwnDirectory(store, pendingDirectory)
  const kept = await openRecordStore(store, historyDirectory)
  const aside = quarantine(store)
  const pathOf = (id: string, state: Pending['state']) => join(pendingDirectory, `${id}.${state}`)

  /** Undefined for a record that was removed, or that is now quarantined. */
  async function headerOf(path: string): Promise<StoredRecord | undefined> {
    const header = await readRecord(store, path, seal).catch(ignoreMissing)
    // The file must be named after the id, by which it is found later.
    const isOwn =
      header !== 'corrupt' && (header === undefined || basename(path).replace(/\.[a-z]+$/, '') === header.record.id)
    if (isOwn) return header
    await aside.add(path)
    return undefined
  }

  /** Writes a record under a temporary name, by which `clean` finds it after a crash. */
  async function writePartial(record: ChangeRecord, contents: Contents): Promise<string> {
    const partial = join(pendingDirectory, `${record.id}.partial`)
    await writeRecord(store, partial, { record, contents, seal })
    return partial
  }

  /** The content positions of the last records read: a record with thousands of contents is read once, not for each. */
  const lately = new Map<string, StoredRecord['kept']>()

  async function placeIn(path: string, hash: string): Promise<ByteRange | undefined> {
    const isKept = dirname(path) !== pendingDirectory
    const places = lately.get(path) ?? (await headerOf(path))?.kept
    lately.delete(path)
    // A pending record may be rewritten, so it is not cached.
    if (places !== undefined && isKept) lately.set(path, places)
    for (const [oldest] of lately) if (lately.size > recordsAtHand) lately.delete(oldest)
    return places?.get(hash)
  }

  async function clean(): Promise<void> {
    for (const name of await namesIn(store, pendingDirectory, 'file')) {
      if (name.endsWith('.partial')) await store.remove(join(pendingDirectory, name)).catch(ignoreMissing)
    }
    // A killed process may have renamed a record without making that durable, and recovery acts on its name.
    await transactional(store).makeDurable?.(pendingDirectory)
  }

  async function begin(record: ChangeRecord, contents: Contents): Promise<void> {
    await store.rename(await writePartial(record, contents), pathOf(record.id, 'begun'))
  }

  return {
    begin,
    // Replaces the record that was begun.
    ...(store.capabilities.atomicRename && { keep: begin }),
    commit: (id) => store.rename(pathOf(id, 'begun'), pathOf(id, 'committed')),
    withdraw: (id, from = 'committed') => store.rename(pathOf(id, from), pathOf(id, 'withdrawn')).catch(ignoreMissing),

    async finish(record, from = 'committed') {
      const path = pathOf(record.id, from)
      // The rename becomes durable when the next `begin` flushes the pending directory.
      if (record.undoable) return kept.keep(record.id, path, { deferred: true })
      await kept.keep(record.id, await writePartial(record, new Map()))
      await store.remove(path)
    },

    async abandon(id) {
      for (const name of [`${id}.partial`, ...states.map((state) => `${id}.${state}`)]) {
        await store.remove(join(pendingDirectory, name)).catch(ignoreMissing)
      }
    },

    async pending(except) {
      const found: Pending[] = []
      for (const name of await namesIn(store, pendingDirectory, 'file')) {
        const { id, state } = /^(?<id>.*)\.(?<state>[a-z]+)$/.exec(name)?.groups ?? {}
        const known = states.find((one) => one === state)
        if (id === undefined || known === undefined || except?.has(id)) continue
        const header = await headerOf(join(pendingDirectory, name))
        if (header !== undefined) found.push({ record: header.record, state: known })
      }
      return found
    },

    clean,

    corrupt: aside.names,

    add: async (record, contents) => kept.keep(record.id, await writePartial(record, contents)),

    async history(newest = Infinity, before) {
      const records: ChangeRecord[] = []
      for (const path of await kept.paths(newest, before)) {
        const header = await headerOf(path)
        if (header !== undefined) records.push(header.record)
      }
      return records
    },

    async content(id, hash) {
      for (const path of [kept.pathOf(id), ...states.map((state) => pathOf(id, state))]) {
        const place = await placeIn(path, hash)
        if (place === undefined) continue
        return store.readFile(path, place).catch(ignoreMissing)
      }
      return undefined
    },

    async prune(bounds) {
      const left = await kept.prune(bounds)
      await aside.prune(bounds)
      return left
    },

    async purge(left) {
      for (const path of await kept.paths(Infinity)) {
        const header = await headerOf(path)
        const other = header && left(header.record)
        if (header === undefined || other === header.record) continue
        if (other === undefined) await store.remove(path).catch(ignoreMissing)
        else await store.rename(await writePartial(other, new Map()), path)
      }
      lately.clear()
      await clean()
      await aside.clear()
    },
  }
}

interface Sized {
  id: string
  atMs: number
  bytes: number
}

function sized({ id, atMs }: ChangeRecord, bytes: number): Sized {
  return { id, atMs, bytes }
}

/** About what a record itself takes in memory: without it, changes that replace little would be kept without limit. */
function bytesOf({ steps }: ChangeRecord): number {
  return steps.reduce((bytes, step) => bytes + 512 + pathsOf(step).join('').length, 1024)
}

/** Retains the newest records that fit; drops the first that is too old and all before it. */
function toDrop(records: readonly Sized[], maxBytes: number, oldestMs: number): string[] {
  let total = 0
  let keepFrom = records.length
  while (keepFrom > 0) {
    const next = records[keepFrom - 1] as Sized
    total += next.bytes
    if (total > maxBytes || next.atMs < oldestMs) break
    keepFrom -= 1
  }
  return records.slice(0, keepFrom).map(({ id }) => id)
}
