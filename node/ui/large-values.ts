/** Large values on their way between the server and a page, each fetched once by HTTP. */
import { randomBytes } from 'node:crypto'

export interface LargeValues {
  /** Returns the name under which it can be taken. Fails when too much is waiting. */
  put(value: Uint8Array): string
  take(name: string): Uint8Array | undefined
  clear(): void
}

export function largeValues(maxBytes: number): LargeValues {
  const values = new Map<string, Uint8Array>()
  let bytes = 0
  return {
    put(value) {
      if (bytes + value.length > maxBytes) throw new Error('Too many large values are waiting to be fetched')
      const name = randomBytes(18).toString('base64url')
      values.set(name, value)
      bytes += value.length
      return name
    },
    take(name) {
      const value = values.get(name)
      if (values.delete(name)) bytes -= value?.length ?? 0
      return value
    },
    clear() {
      values.clear()
      bytes = 0
    },
  }
}
