/** What was used lately, up to a number of bytes. */
export interface Recent<Value> {
  get(key: number): Value | undefined
  set(key: number, value: Value, bytes: number): void
}

/** Two halves: when the newer one is full the older one goes, so that nothing has to be put in order. What is used again becomes new. */
export function keepRecent<Value>(maxBytes: number): Recent<Value> {
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
