/** Stores for tests: a map with conditional writes, and one that forgets, delays, tears and dies. */
import { createHash } from 'node:crypto'
import { type KeyValueOptions, keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import type { KeyValueStore } from '../../../src/fs/backends/key-value/store.js'

/** The hashes of Node, as the command uses them. */
export const nodeHashes: Pick<Required<KeyValueOptions>, 'sha256' | 'sha256InPieces'> = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
  sha256InPieces() {
    const hash = createHash('sha256')
    return { add: (bytes) => void hash.update(bytes), end: () => hash.digest('hex') }
  },
}

export interface MapStore extends KeyValueStore {
  readonly values: Map<string, Uint8Array>
  /** Requests since the last time it was set to 0. */
  requests: number
}

/** A store in memory, whose values can be looked at. */
export function mapStore(values = new Map<string, Uint8Array>(), { conditional = true } = {}): MapStore {
  const isEqual = (a: Uint8Array | undefined, b: Uint8Array | undefined) =>
    a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0
  const store: MapStore = {
    values,
    requests: 0,
    async getItemRaw(key) {
      store.requests += 1
      return values.get(key) ?? null
    },
    async setItemRaw(key, value) {
      store.requests += 1
      values.set(key, value)
    },
    async removeItem(key) {
      store.requests += 1
      values.delete(key)
    },
    async getKeys(base = '') {
      store.requests += 1
      return [...values.keys()].filter((key) => key.startsWith(base))
    },
    ...(conditional && {
      conditional: {
        async replace(key, expected, value) {
          store.requests += 1
          if (!isEqual(values.get(key), expected)) return false
          if (value === undefined) values.delete(key)
          else values.set(key, value)
          return true
        },
      },
    }),
  }
  return store
}

/**
 * A store of some 40 values, made by somebody else: `/top` has two directories that are one value, which has two directories that are one
 * value, and so on down to 2^40 places with a thousand links.
 */
export async function endlessStore(): Promise<MapStore> {
  const store = mapStore()
  const { place, writeFile } = keyValue(store, { ...nodeHashes, now: () => 0 })
  const links = Array.from({ length: 1000 }, (_, index) => [`link-${index}`, 'l', 0o777, 0, 0, 0, 'nowhere'])
  await place.tree.change(({ batch, draft }) => {
    const put = (entries: unknown[]) => {
      const bytes = new TextEncoder().encode(JSON.stringify({ entries }))
      return batch.put(bytes, nodeHashes.sha256(bytes))
    }
    let child = put(links)
    for (let level = 1; level <= 40; level += 1) {
      child = put(['a', 'b'].map((name) => [name, 'd', 0o755, 0, 0, 0, child]))
    }
    const facts = { mode: 0o755, modifiedMs: 0, createdMs: 0, changedMs: 0 }
    draft.owned('/').set('top', { kind: 'directory', ...facts, child })
  })
  await writeFile('/top/file', new TextEncoder().encode('content\n'))
  return store
}

/** Requests in order; those that change something count. */
export interface MortalStore extends KeyValueStore {
  readonly writes: number
  /** With this write everything begins to fail, as when the process is killed there. `tears`: half of the value is written. */
  dieAt(write: number, options?: { tears?: boolean }): void
}

export function mortal(inner: KeyValueStore): MortalStore {
  let writes = 0
  let death = Infinity
  let tears = false

  async function live<Result>(run: () => Promise<Result>): Promise<Result> {
    if (writes >= death) throw new Error('the process is dead')
    return run()
  }

  async function write<Result>(run: () => Promise<Result>, torn?: () => Promise<unknown>): Promise<Result> {
    writes += 1
    if (writes === death && tears) await torn?.()
    return live(run)
  }

  const { conditional } = inner
  return {
    get writes() {
      return writes
    },
    dieAt(at, options = {}) {
      writes = 0
      death = at
      tears = options.tears ?? false
    },
    getItemRaw: (key) => live(() => inner.getItemRaw(key)),
    getKeys: (base) => live(() => inner.getKeys(base)),
    setItemRaw: (key, value) =>
      write(
        () => inner.setItemRaw(key, value),
        () => inner.setItemRaw(key, value.slice(0, value.length / 2)),
      ),
    removeItem: (key) => write(() => inner.removeItem(key)),
    ...(conditional && {
      conditional: { replace: (key, expected, value) => write(() => conditional.replace(key, expected, value)) },
    }),
  }
}

/**
 * A store whose reads are old: each returns any value that its key had in the last `staleMs`, chosen by `random`, so that a later read
 * may return an older value than an earlier one.
 */
export function eventual(
  inner: MapStore,
  { staleMs, random }: { staleMs: number; random: () => number },
): KeyValueStore {
  const past = new Map<string, { untilMs: number; value: Uint8Array | undefined }[]>()

  function remember(key: string): void {
    const earlier = past.get(key) ?? []
    past.set(key, [...earlier, { untilMs: performance.now(), value: inner.values.get(key) }])
  }

  return {
    getKeys: inner.getKeys,
    async getItemRaw(key) {
      const earlier = (past.get(key) ?? []).filter(({ untilMs }) => untilMs > performance.now() - staleMs)
      const versions = [...earlier.map(({ value }) => value), inner.values.get(key)]
      return versions[Math.floor(random() * versions.length)] ?? null
    },
    async setItemRaw(key, value) {
      remember(key)
      await inner.setItemRaw(key, value)
    },
    async removeItem(key) {
      remember(key)
      await inner.removeItem(key)
    },
  }
}
