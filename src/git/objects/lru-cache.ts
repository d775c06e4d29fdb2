/** A cache of recently used values, limited by their size in bytes. */
export interface LruCache<Value> {
  get(key: number): Value | undefined
  set(key: number, value: Value, bytes: number): void
}

/**
 * Approximate LRU with two generations: when the newer one is full, the older one is dropped, so no ordering is needed.
 * A value that is used again moves to the newer one.
 */
export function lruCache<Value>(maxBytes: number): LruCache<Value> {
  type Held = Map<number, { value: Value; bytes: number }>
  let newer: Held = new Map()
  let older: Held = new Map()
  let newerBytes = 0

  function set(key: number, value: Value, bytes: number): void {
    newerBytes += bytes - (newer.get(key)?.bytes ?? 0)
    newer.set(key, { value, bytes })
    if (newerBytes < maxBytes / 2) return
    older = newer
    newer = new Map()
    newerBytes = 0
  }

  return {
    set,
    get(key) {
      const known = newer.get(key)
      if (known !== undefined) return known.value
      const old = older.get(key)
      if (old !== undefined) set(key, old.value, old.bytes)
      return old?.value
    },
  }
}
