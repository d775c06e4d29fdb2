/** Values that never change, named by their hash: chunks of files, directories, pages of lists. */
import { copiedBytes } from '../../../text/copied-bytes.js'
import type { RunningHash } from '../../transactional-types.js'
import type { Bytes } from '../../types.js'
import { type GuardedStore, StoreFailure } from './store.js'

/**
 * The name of a value: a generation and a hash, joined by `:`. A value that is written again after garbage was collected belongs to a later
 * generation, so that a collector which deletes the earlier one can never delete what somebody has just written.
 */
export type Ref = string

export interface Hashes {
  sha256(bytes: Bytes): string
  sha256InPieces(): RunningHash
}

export interface Blobs {
  /** Throws `LostBlob` if the store does not have it, or has something else under its name. The bytes are shared. */
  get(ref: Ref): Promise<Bytes>
  /** The bytes if they are in memory. */
  cached(ref: Ref): Bytes | undefined
  /** Starts to collect values for one change. */
  batch(generation: number): Batch
  remove(ref: Ref): Promise<void>
  /** The names of all values, as far as the store lists them. */
  list(): Promise<Ref[]>
}

/** Values that are stored together. */
export interface Batch {
  /** The name of these bytes, which are in the store after `flush`. */
  put(bytes: Bytes, hash: string): Ref
  /** Stores a value at once; for content that comes in pieces. */
  store(bytes: Bytes, hash: string): Promise<Ref>
  flush(): Promise<void>
}

/** The store does not have a value that something refers to. */
export class LostBlob extends StoreFailure {}

export interface BlobOptions {
  prefix: string
  hashes: Hashes
  /** How long the store may take until everybody reads what was written. */
  settleMs: number
}

const maxCachedBytes = 64 * 1024 * 1024
/** How many requests are made at the same time. */
const maxParallel = 32
/** A value that is missing or torn may be in the middle of being written: it is read again after these times. */
const patienceMs = [10, 40, 150]

export function openBlobs(store: GuardedStore, { prefix, hashes, settleMs }: BlobOptions): Blobs {
  const cache = new Map<Ref, Bytes>()
  let cachedBytes = 0
  const loading = new Map<Ref, Promise<Bytes>>()
  /** What this process has stored in the generation. */
  let known = { generation: -1, refs: new Set<Ref>() }

  function remember(ref: Ref, bytes: Bytes): Bytes {
    if (cache.has(ref)) return bytes
    cache.set(ref, bytes)
    cachedBytes += bytes.length
    for (const [oldest, { length }] of cache) {
      if (cachedBytes <= maxCachedBytes) break
      cache.delete(oldest)
      cachedBytes -= length
    }
    return bytes
  }

  function cached(ref: Ref): Bytes | undefined {
    const bytes = cache.get(ref)
    if (bytes === undefined) return undefined
    // The last used ones stay.
    cache.delete(ref)
    cache.set(ref, bytes)
    return bytes
  }

  async function load(ref: Ref): Promise<Bytes> {
    const key = keyOf(prefix, ref)
    const hash = ref.slice(ref.indexOf(':') + 1)
    let waitedMs = 0
    for (let attempt = 0; ; attempt += 1) {
      const bytes = await store.get(key)
      if (bytes !== undefined && hashes.sha256(bytes) === hash) return remember(ref, bytes)
      const pause = patienceMs[attempt] ?? (waitedMs < settleMs ? 250 : undefined)
      if (pause === undefined) throw new LostBlob('other', bytes === undefined ? missing(key) : changed(key))
      await new Promise<void>((resume) => setTimeout(resume, pause))
      waitedMs += pause
    }
  }

  async function hasWhole(ref: Ref): Promise<boolean> {
    const bytes = await store.get(keyOf(prefix, ref))
    return bytes !== undefined && ref.endsWith(`:${hashes.sha256(bytes)}`)
  }

  function get(ref: Ref): Promise<Bytes> {
    const here = cached(ref)
    if (here !== undefined) return Promise.resolve(here)
    const soon = loading.get(ref)
    if (soon !== undefined) return soon
    const loaded = load(ref).finally(() => loading.delete(ref))
    loading.set(ref, loaded)
    return loaded
  }

  function batch(generation: number): Batch {
    if (known.generation !== generation) known = { generation, refs: new Set() }
    const { refs } = known
    const waiting = new Map<Ref, Bytes>()

    async function write(ref: Ref, bytes: Bytes): Promise<void> {
      // A crash while a value is replaced would destroy it, even if the new one is equal.
      const isThere = !store.wholeWrites && (await hasWhole(ref))
      if (!isThere) await store.set(keyOf(prefix, ref), bytes)
      refs.add(ref)
      remember(ref, bytes)
    }

    return {
      put(bytes, hash) {
        const ref = `${generation}:${hash}`
        // The caller may change its bytes later, and a store in memory has no copy.
        if (!refs.has(ref) && !waiting.has(ref)) waiting.set(ref, copiedBytes(bytes))
        return ref
      },
      async store(bytes, hash) {
        const ref = `${generation}:${hash}`
        if (!refs.has(ref)) await write(ref, copiedBytes(bytes))
        return ref
      },
      async flush() {
        await concurrently([...waiting], ([ref, bytes]) => write(ref, bytes))
        waiting.clear()
      },
    }
  }

  return {
    get,
    cached,
    batch,
    remove: (ref) => store.remove(keyOf(prefix, ref)),
    async list() {
      const base = `${prefix}blobs`
      const keys = await store.keys(base)
      return keys.map((key) => refOf(prefix, key)).filter((ref) => ref !== undefined)
    },
  }
}

/** Runs `work` for all items, a few at the same time. The first failure is thrown when those that were begun have ended. */
export async function concurrently<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  let next = 0
  const failures: unknown[] = []
  const worker = async () => {
    while (next < items.length && failures.length === 0) {
      const item = items[next++] as Item
      await work(item).catch((error: unknown) => void failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxParallel, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
}

/** Two digits of the hash are a part of their own: stores that are directories should not have a million files in one. */
function keyOf(prefix: string, ref: Ref): string {
  const [generation, hash = ''] = ref.split(':')
  return `${prefix}blobs:${generation}:${hash.slice(0, 2)}:${hash.slice(2)}`
}

function refOf(prefix: string, key: string): Ref | undefined {
  const rest = key.startsWith(`${prefix}blobs:`) ? key.slice(`${prefix}blobs:`.length) : ''
  const [, generation, start, end] = /^(\d+):([0-9a-f]{2}):([0-9a-f]{62})$/.exec(rest) ?? []
  return generation === undefined ? undefined : `${generation}:${start}${end}`
}

function missing(key: string): string {
  return `the store does not have the value ${key}, which was written before`
}

function changed(key: string): string {
  return `the value ${key} of the store is not the one that was written: another program changed it`
}
