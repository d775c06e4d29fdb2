/** The head of a workspace: the one value that changes. It names the root of the tree, and is replaced with each change. */

import { randomHex } from '../../../text/random-hex.js'
import type { Bytes } from '../../types.js'
import { isCount } from '../tree/entries.js'
import type { Hashes, Ref } from './blobs.js'
import type { Content } from './contents.js'
import { type DirectoryEntry, rootOf, rowOf } from './directories.js'
import type { StoredList } from './list.js'
import { type GuardedStore, StoreFailure } from './store.js'
import { isRef, isReference, odd, parsed, record } from './values.js'

export interface Head {
  /** Grows with each change. */
  readonly version: number
  /** Tells one change from another of the same version. */
  readonly nonce: string
  /** Grows each time garbage is collected. */
  readonly generation: number
  readonly root: DirectoryEntry
  readonly history: StoredList<HistoryItem>
  /** Changes up to this id were removed from the history. */
  readonly floor?: string
  readonly pending: readonly PendingItem[]
  readonly garbage: StoredList<Garbage>
  /** About how many bytes the garbage has. */
  readonly garbageBytes: number
  readonly garbageCount: number
}

export interface HistoryItem {
  id: string
  atMs: number
  bytes: number
  record: Ref
}

export interface PendingItem extends HistoryItem {
  state: 'begun' | 'committed' | 'withdrawn'
}

/** What may be garbage: a value, or all values of a content. */
export type Garbage = Ref | Content

/** The layout of keys and values. */
export const layout = 1

export interface Heads {
  /** The newest head in the store; undefined if there is none. */
  read(): Promise<Head | undefined>
  /** Replaces `base`. False if another process was faster, which only a store with conditional writes can find out. */
  replace(base: Head | undefined, next: Head): Promise<boolean>
  remove(): Promise<void>
}

export function openHeads(store: GuardedStore, prefix: string, hashes: Hashes): Heads {
  const single = `${prefix}head`
  // Without whole writes a crash leaves part of a value, so that two keys take turns, and one of them is always whole.
  const turns = [`${prefix}head-0`, `${prefix}head-1`] as const
  const own: readonly string[] = store.wholeWrites ? [single] : turns
  /** The bytes of the head that was read or written last, which a conditional write compares. */
  let last: { head: Head; bytes: Bytes; key: string } | undefined
  let looksEverywhere = true

  async function read(): Promise<Head | undefined> {
    // The workspace may have been written by a driver with other abilities before.
    const keys = looksEverywhere ? [single, ...turns] : own
    const values = await Promise.all(keys.map(store.get))
    let newest: { head: Head; bytes: Bytes; key: string } | undefined
    let damage: StoreFailure | undefined
    for (const [index, bytes] of values.entries()) {
      if (bytes === undefined) continue
      const key = keys[index] ?? ''
      try {
        const head = last !== undefined && isSame(bytes, last.bytes) ? last.head : decode(bytes, key)
        if (newest === undefined || head.version > newest.head.version) newest = { head, bytes, key }
      } catch (error) {
        if (!(error instanceof DamagedHead)) throw error
        damage = error
      }
    }
    if (newest === undefined) {
      if (damage !== undefined) throw damage
      last = undefined
      return undefined
    }
    // With one key, its damage is not that of a crash.
    if (damage !== undefined && store.wholeWrites) throw damage
    const { head, key } = newest
    last = newest
    looksEverywhere = !own.includes(key)
    return head
  }

  function decode(bytes: Bytes, key: string): Head {
    const text = decoder.decode(bytes)
    const [, found, hash] = /^polyfs-head (\d+) ([0-9a-f]{64})\n/.exec(text) ?? []
    if (found !== undefined && Number(found) !== layout) {
      throw new StoreFailure(
        'other',
        `the workspace has layout ${found}, and this version of polyfs uses layout ${layout}; nothing was changed`,
      )
    }
    const body = encoder.encode(text.slice(text.indexOf('\n') + 1))
    if (hash === undefined || hashes.sha256(body) !== hash) {
      throw new DamagedHead('other', `the value ${key} of the store is damaged, or another program changed it`)
    }
    return headIn(record(parsed(body)))
  }

  function encode(head: Head): Bytes {
    const body = JSON.stringify({ ...head, root: rowOf('', head.root) })
    return encoder.encode(`polyfs-head ${layout} ${hashes.sha256(encoder.encode(body))}\n${body}`)
  }

  async function write(base: Head | undefined, next: Head, bytes: Bytes): Promise<boolean> {
    if (store.replace === undefined) {
      await store.set(own[next.version % own.length] as string, bytes)
      return true
    }
    const isHere = base !== undefined && base.nonce === last?.head.nonce && last.key === single
    return store.replace(single, isHere ? last?.bytes : undefined, bytes)
  }

  return {
    read,
    async replace(base, next) {
      const bytes = encode(next)
      let isDone = false
      try {
        isDone = await write(base, next, bytes)
      } catch (error) {
        // The answer may be lost, and the change made.
        const found = await read().catch(() => undefined)
        if (found?.nonce === next.nonce) return true
        const { kind, detail, cause } = error as StoreFailure
        throw new StoreFailure(kind, `${detail}; the change may have been made or not`, cause)
      }
      if (isDone) {
        last = { head: next, bytes, key: own[next.version % own.length] as string }
        looksEverywhere = false
      }
      // A driver may send a request again after its connection was lost, and be refused the second time.
      return isDone || (await read())?.nonce === next.nonce
    },
    async remove() {
      for (const key of [single, ...turns]) await store.remove(key)
    },
  }
}

/** Throws for a head that has its hash, and that polyfs did not write. */
function headIn(value: Readonly<Record<string, unknown>>): Head {
  const { root, ...rest } = value
  const { version, nonce, generation, history, floor, pending, garbage, garbageBytes, garbageCount } = rest
  const isGood =
    [version, generation, garbageCount].every(isCount) &&
    Number.isFinite(garbageBytes) &&
    typeof nonce === 'string' &&
    (floor === undefined || typeof floor === 'string') &&
    Array.isArray(pending) &&
    pending.every((item) => isItem(item) && ['begun', 'committed', 'withdrawn'].includes(item.state as string)) &&
    isListOf(history, isItem) &&
    isListOf(garbage, isReference)
  if (!isGood) throw odd('a head')
  return { ...(rest as unknown as Omit<Head, 'root'>), root: rootOf(root) }
}

function isListOf(value: unknown, isOne: (item: unknown) => boolean): boolean {
  const { tail, page } = record(value)
  return Array.isArray(tail) && tail.every(isOne) && (page === undefined || isRef(page))
}

/** True for an item of the history. */
function isItem(value: unknown): value is Readonly<Record<string, unknown>> {
  const { id, atMs, bytes, record: ref } = record(value)
  return typeof id === 'string' && Number.isFinite(atMs) && Number.isFinite(bytes) && isRef(ref)
}

class DamagedHead extends StoreFailure {}

/** Texts that no other writer uses. */
export function nonces(): () => string {
  const own = randomHex(12)
  let count = 0
  return () => `${own}-${(count += 1)}`
}

export function isSame(a: Bytes, b: Bytes): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false
  return true
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
