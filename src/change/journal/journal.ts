/** Where changes are written down before they are made, and kept after. */
import { basename, dirname, join } from '../../fs/path.js'
import type { ByteRange, Bytes, FileSystem } from '../../fs/types.js'
import { contentHash } from '../hash.js'
import { quarantine } from './quarantine.js'
import { bytesIn, type ChangeRecord, type Contents } from './record.js'
import { readRecord, type Seal, type StoredRecord, writeRecord } from './record-file.js'
import { ignoreMissing, makeOwnDirectory, namesIn, openRecordStore } from './record-store.js'

/** A change that was begun and not ended. */
export interface Pending {
  record: ChangeRecord
  /** Once `committed` it is to be finished, once `withdrawn` to be taken back; before that nothing of it is in the tree. */
  state: 'begun' | 'committed' | 'withdrawn'
}

/** The state of a change that is done: `begun` for one without a commit point, see `isOneRename`; `committed` unless given. */
export type Landed = 'begun' | 'committed'

/** Whoever shares a journal also shares the locks: what is pending and not one's own is then left over. */
export interface Journal {
  /** Keeps the intent and what is needed to take it back. Durable when it returns, as is each of the following. */
  begin(record: ChangeRecord, contents: Contents): Promise<void>
  /** Keeps what is needed to take back a change that was begun without. Absent where that can't be done in one step. */
  keep?(record: ChangeRecord, contents: Contents): Promise<void>
  /** The commit point: from here on the change is finished, not dropped, whatever happens. */
  commit(id: string): Promise<void>
  /** From here on the change is taken back, not finished, whatever happens. One that is in another state than `from` stays as it is. */
  withdraw(id: string, from?: Landed): Promise<void>
  /**
   * The change is done and becomes history; what it replaced is kept only if it is undoable. That it is history need not be durable when it
   * returns: a change that is found pending and done becomes history then.
   */
  finish(record: ChangeRecord, from?: Landed): Promise<void>
  /** The change is as if it had never been. */
  abandon(id: string): Promise<void>
  /** Oldest first; without the ones named. Fails with `NOT_FOUND` where someone has removed what it is kept in. */
  pending(except?: ReadonlySet<string>): Promise<Pending[]>
  /** Removes what a crash left of records that were never written to their end. Nobody else may be writing. */
  clean(): Promise<void>
  /** Records that can't be read, or are not ours. Each was set aside when it was met, under this name, so that it is in nobody's way. */
  corrupt(): Promise<string[]>
  /** Adds a finished record, such as a checkpoint. */
  add(record: ChangeRecord, contents: Contents): Promise<void>
  /** Oldest first; of all, or of so many of the newest. With `before`, only those whose ids come before that one. */
  history(newest?: number, before?: string): Promise<ChangeRecord[]>
  /** Bytes kept with a record. */
  content(id: string, hash: string): Promise<Bytes | undefined>
  /** Drops the oldest history past the bounds; returns how many records are left. */
  prune(bounds: { maxBytes: number; oldestMs: number }): Promise<number>
  /**
   * Puts another record, without content, in the place of each finished one that `left` gives another for, and removes those for which it
   * gives none. What was set aside, and what was never written to its end, goes too. Nobody else may be writing.
   */
  purge(left: (record: ChangeRecord) => ChangeRecord | undefined): Promise<void>
}

/** A journal that lives as long as the process, for trees that do too. Bytes are kept by reference. */
export function memoryJournal(): Journal {
  const open = new Map<string, Pending & { contents: Contents }>()
  const kept = new Map<string, { record: ChangeRecord; contents: Contents }>()

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
    history: async (newest = Infinity, before) =>
      [...kept.values()]
        .map(({ record }) => record)
        .filter(({ id }) => before === undefined || id < before)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(-newest),
    content: async (id, hash) => (kept.get(id) ?? open.get(id))?.contents.get(hash),
    async prune({ maxBytes, oldestMs }) {
      const sizes = [...kept.values()].map(({ record, contents }) => sized(record, bytesIn(contents)))
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
  }
}

const pendingDirectory = '/pending'
const historyDirectory = '/history'
const states = ['committed', 'withdrawn', 'begun'] as const
/** A change, and the one that took it back, with room for others that come in between. */
const recordsAtHand = 4

/**
 * A journal in a file system of its own, outside the tree whose changes it keeps. Its file system must write durably. With a `seal`,
 * a record that does not bear it is none of ours: like one that can't be read, it is set aside and not acted on.
 */
export async function storedJournal(store: FileSystem, { seal }: { seal?: Seal } = {}): Promise<Journal> {
  await makeOwnDirectory(store, pendingDirectory)
  const kept = await openRecordStore(store, historyDirectory)
  const aside = quarantine(store)
  const pathOf = (id: string, state: Pending['state']) => join(pendingDirectory, `${id}.${state}`)

  /** Undefined for a record that is gone by now, or that can't be read. */
  async function headerOf(path: string): Promise<StoredRecord | undefined> {
    const header = await readRecord(store, path, seal).catch(ignoreMissing)
    // Whoever acts on a record finds its file again by the id.
    const isOwn =
      header !== 'corrupt' && (header === undefined || basename(path).replace(/\.[a-z]+$/, '') === header.record.id)
    if (isOwn) return header
    await aside.add(path)
    return undefined
  }

  /** Under a name of its own first, so that after a crash whatever is left of it can be found. */
  async function writePartial(record: ChangeRecord, contents: Contents): Promise<string> {
    const partial = join(pendingDirectory, `${record.id}.partial`)
    await writeRecord(store, partial, { record, contents, seal })
    return partial
  }

  /** Where the contents of the records that were last asked for lie: of one with thousands of files each is asked for by itself. */
  const lately = new Map<string, StoredRecord['kept']>()

  async function placeIn(path: string, hash: string): Promise<ByteRange | undefined> {
    const isKept = dirname(path) !== pendingDirectory
    const places = lately.get(path) ?? (await headerOf(path))?.kept
    lately.delete(path)
    // What is pending may be written once more.
    if (places !== undefined && isKept) lately.set(path, places)
    for (const [oldest] of lately) if (lately.size > recordsAtHand) lately.delete(oldest)
    return places?.get(hash)
  }

  async function clean(): Promise<void> {
    for (const name of await namesIn(store, pendingDirectory, 'file')) {
      if (name.endsWith('.partial')) await store.remove(join(pendingDirectory, name)).catch(ignoreMissing)
    }
  }

  async function begin(record: ChangeRecord, contents: Contents): Promise<void> {
    await store.rename(await writePartial(record, contents), pathOf(record.id, 'begun'))
  }

  return {
    begin,
    // The same in place of what was begun.
    ...(store.capabilities.atomicRename && { keep: begin }),
    commit: (id) => store.rename(pathOf(id, 'begun'), pathOf(id, 'committed')),
    withdraw: (id, from = 'committed') => store.rename(pathOf(id, from), pathOf(id, 'withdrawn')).catch(ignoreMissing),

    async finish(record, from = 'committed') {
      const path = pathOf(record.id, from)
      // Whoever begins the next change flushes the directory that it leaves, and with that the rename, which is one step.
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
        const bytes = await store.readFile(path, place).catch(ignoreMissing)
        // What is sealed names contents by their hashes: those that are others by now were not kept by us.
        const isOwn = bytes === undefined || seal === undefined || (await contentHash(bytes, store)) === hash
        return isOwn ? bytes : undefined
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

/** The newest that fit are kept; one that is too old goes, and so does all before it. */
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
