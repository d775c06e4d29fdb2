/** A journal in the store of the tree: a change and its record are one replacement of the head, and replaced content is not copied. */
import { LostBlob, type Ref } from '../../fs/backends/key-value/blobs.js'
import { type Content, hashOf } from '../../fs/backends/key-value/contents.js'
import type { KeyValueFileSystem } from '../../fs/backends/key-value/file-system.js'
import type { HistoryItem, PendingItem } from '../../fs/backends/key-value/head.js'
import { appended, listOf, newestFirst } from '../../fs/backends/key-value/list.js'
import { StoreFailure } from '../../fs/backends/key-value/store.js'
import type { Transaction } from '../../fs/backends/key-value/tree.js'
import { isChangeRecord } from './check-record.js'
import type { Journal, Pending } from './journal.js'
import { bytesIn, type ChangeRecord, type Contents } from './record.js'

interface StoredRecord {
  record: ChangeRecord
  /** Replaced contents, by their hash and by their name in the store. */
  kept: [string, Content][]
}

/** The journal of a workspace. */
export function keyValueJournal({ place }: KeyValueFileSystem): Journal {
  const { tree, blobs, contents, collector, sha256 } = place
  const corrupt = new Set<string>()

  /** Stores a record with the content that it needs. */
  function put({ batch, draft }: Transaction, record: ChangeRecord, replaced: Contents): HistoryItem {
    // What the change itself replaces is in the store already.
    const there = new Map([...draft.dropped].map((content) => [hashOf(content), content]))
    const kept = [...replaced].map(([hash, bytes]): [string, Content] => [
      hash,
      there.get(hash) ?? contents.put(batch, bytes, hash),
    ])
    return putStored(batch, { record, kept }, bytesIn(replaced))
  }

  function putStored(batch: Transaction['batch'], stored: StoredRecord, keptBytes: number): HistoryItem {
    const bytes = encoder.encode(JSON.stringify(stored))
    const { id, atMs } = stored.record
    return { id, atMs, bytes: keptBytes + bytes.length, record: batch.put(bytes, sha256(bytes)) }
  }

  /** Adds a finished change, which is pending no longer. */
  function add(transaction: Transaction, item: HistoryItem): void {
    const { head, writer, set } = transaction
    set({ history: appended(head.history, [item], writer), pending: without(head.pending, item.id) })
  }

  /** Undefined for a record that the store has lost or somebody has changed. */
  async function stored(item: HistoryItem): Promise<StoredRecord | undefined> {
    try {
      const value: unknown = JSON.parse(decoder.decode(await blobs.get(item.record)))
      if (isStored(value) && value.record.id === item.id) return value
    } catch (error) {
      if (!(error instanceof LostBlob || error instanceof SyntaxError)) throw error
    }
    corrupt.add(item.id)
    return undefined
  }

  /** The finished changes, the newest first. */
  async function* finished(onPage?: (ref: Ref) => void): AsyncGenerator<HistoryItem> {
    const { history, floor } = await tree.head()
    for await (const item of newestFirst(history, blobs.get, onPage)) {
      if (floor !== undefined && item.id <= floor) return
      yield item
    }
  }

  async function find(id: string): Promise<HistoryItem | undefined> {
    const pending = (await tree.head()).pending.find((item) => item.id === id)
    if (pending !== undefined) return pending
    for await (const item of finished()) {
      if (item.id === id) return item
    }
    return undefined
  }

  async function garbageOf(items: readonly HistoryItem[]): Promise<(Ref | Content)[]> {
    const all: (Ref | Content)[] = []
    for (const item of items) {
      all.push(item.record)
      for (const [, content] of (await stored(item))?.kept ?? []) all.push(content)
    }
    return all
  }

  function setState(id: string, from: PendingItem['state'], state: PendingItem['state']): Promise<void> {
    return changing(({ head, set }) => {
      const isPending = head.pending.some((item) => item.id === id && item.state === from)
      if (isPending) set({ pending: head.pending.map((item) => (item.id === id ? { ...item, state } : item)) })
    })
  }

  function changing(work: (transaction: Transaction) => void): Promise<void> {
    return translated(() => tree.change(work))
  }

  const begin = (record: ChangeRecord, replaced: Contents) =>
    changing((transaction) => {
      const { head, set } = transaction
      const item = { ...put(transaction, record, replaced), state: 'begun' as const }
      set({ pending: [...without(head.pending, record.id), item] })
    })

  return {
    begin,
    keep: begin,
    commit: (id) => setState(id, 'begun', 'committed'),
    withdraw: (id, from = 'committed') => setState(id, from, 'withdrawn'),

    finish: (record, from = 'committed') =>
      changing((transaction) => {
        const item = transaction.head.pending.find(({ id, state }) => id === record.id && state === from)
        if (!record.undoable) add(transaction, put(transaction, record, new Map()))
        else if (item !== undefined) {
          const { state: _, ...done } = item
          add(transaction, done)
        }
      }),

    abandon: (id) =>
      translated(async () => {
        const item = (await tree.head()).pending.find((one) => one.id === id)
        if (item === undefined) return
        const garbage = await garbageOf([item])
        await tree.change(({ head, set, discard }) => {
          set({ pending: without(head.pending, id) })
          for (const one of garbage) discard(one, 0)
        })
      }),

    pending: (except) =>
      translated(async () => {
        const { pending } = await tree.head()
        const found: Pending[] = []
        for (const item of [...pending].sort((a, b) => (a.id < b.id ? -1 : 1))) {
          if (except?.has(item.id)) continue
          const record = (await stored(item))?.record
          if (record !== undefined) found.push({ record, state: item.state })
        }
        return found
      }),

    // A record is part of the head, so there are no parts of one.
    clean: async () => {},

    corrupt: async () => [...corrupt],

    add: (record, replaced) => changing((transaction) => add(transaction, put(transaction, record, replaced))),

    history: (newest = Infinity, before) =>
      translated(async () => {
        const records: ChangeRecord[] = []
        for await (const item of finished()) {
          if (records.length >= newest) break
          if (before !== undefined && item.id >= before) continue
          const found = await stored(item)
          if (found !== undefined) records.push(found.record)
        }
        return records.reverse()
      }),

    newestId: () => tree.known.history.tail.at(-1)?.id,

    content: (id, hash) =>
      translated(async () => {
        const item = await find(id)
        const found = item && (await stored(item))
        const content = found?.kept.find(([one]) => one === hash)?.[1]
        if (content === undefined) return undefined
        try {
          return (await contents.read(content, Infinity)).slice()
        } catch (error) {
          if (error instanceof LostBlob) return undefined
          throw error
        }
      }),

    prune: ({ maxBytes, oldestMs }) =>
      translated(async () => {
        let [total, left] = [0, 0]
        const dropped: HistoryItem[] = []
        for await (const item of finished()) {
          total += item.bytes
          if (dropped.length > 0 || total > maxBytes || item.atMs < oldestMs) dropped.push(item)
          else left += 1
        }
        const [newest] = dropped
        if (newest === undefined) return left
        const garbage = await garbageOf(dropped)
        await tree.change(({ head, set, discard }) => {
          if (head.floor === undefined || head.floor < newest.id) set({ floor: newest.id })
          for (const one of garbage) discard(one, 0)
          discard(newest.record, total)
        })
        return left
      }),

    purge: (left) =>
      translated(async () => {
        const items: HistoryItem[] = []
        const garbage: (Ref | Content)[] = []
        for await (const item of finished((page) => garbage.push(page))) items.push(item)
        const dropped: HistoryItem[] = []
        const replaced = new Map<string, ChangeRecord | undefined>()
        for (const item of items) {
          const found = await stored(item)
          const other = found && left(found.record)
          if (found !== undefined && other === found.record) continue
          dropped.push(item)
          replaced.set(item.id, other)
        }
        garbage.push(...(await garbageOf(dropped)))
        await tree.change(({ batch, writer, set, discard }) => {
          const rest = [...items].reverse().flatMap((item) => {
            if (!replaced.has(item.id)) return [item]
            const other = replaced.get(item.id)
            return other === undefined ? [] : [putStored(batch, { record: other, kept: [] }, 0)]
          })
          set({ history: listOf(rest, writer) })
          for (const one of garbage) discard(one, 0)
        })
        corrupt.clear()
        await collector.collect()
      }),

    atomic: {
      unit: tree,
      add(record, replaced) {
        const transaction = tree.inProgress
        if (transaction !== undefined) add(transaction, put(transaction, record, replaced))
      },
    },
  }
}

function isStored(value: unknown): value is StoredRecord {
  const { record, kept } = (value ?? {}) as Partial<StoredRecord>
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((one) => typeof one === 'string')
  return isChangeRecord(record) && Array.isArray(kept) && kept.every(isPair)
}

function without(pending: readonly PendingItem[], id: string): PendingItem[] {
  return pending.filter((item) => item.id !== id)
}

async function translated<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof StoreFailure ? error.at('/') : error
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
