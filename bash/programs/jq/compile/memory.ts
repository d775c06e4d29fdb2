/** Counts the memory of values that a program builds. */
import type { Json } from '../values.js'

export type Account = (bytes: number) => void

/** Most values are small, so they are counted together. */
export const countedAtOnce = 1 << 16

/** What a value takes in an array, about, without what its own items contain. */
export function itemBytes(value: Json): number {
  if (typeof value === 'string') return 16 + value.length
  if (Array.isArray(value)) return 16 + 8 * value.length
  return value instanceof Map ? 16 + 64 * value.size : 16
}

/** What a member of an object takes, about. */
export function memberBytes(key: string, value: Json): number {
  return 64 + key.length + itemBytes(value)
}

const largeText = 1 << 20

/** Ends the command if a text is too large. One that was joined or repeated takes its memory only later, all at once. */
export function checkText(value: Json, account: Account): Json {
  if (typeof value === 'string' && value.length > largeText) {
    account(value.length)
    account(-value.length)
  }
  return value
}
