/** The elements of an associative array, listed in the order in which bash walks its hash table. */
import { encodeText } from '../../../io/byte-text.js'

/** Those of `declare -A`. */
export const declaredBuckets = 1024
/** Those of an array that was another variable before. */
export const convertedBuckets = 128
/** A table grows when it has more elements for each bucket. */
const fullest = 2
const growth = 4
const firstHash = 0x811c9dc5
const prime = 0x01000193

export class HashTable {
  /** By age: the newest of a bucket comes first in it. */
  #elements = new Map<string, string>()
  #buckets: number
  /** The keys in order, until another one is added or removed. */
  #order: readonly string[] | undefined
  /** False as long as the array is only declared. */
  isAssigned = false

  constructor(buckets = declaredBuckets) {
    this.#buckets = buckets
  }

  get size(): number {
    return this.#elements.size
  }

  get buckets(): number {
    return this.#buckets
  }

  get(key: string): string | undefined {
    return this.#elements.get(key)
  }

  has(key: string): boolean {
    return this.#elements.has(key)
  }

  set(key: string, value: string): void {
    if (!this.#elements.has(key)) {
      if (this.#elements.size >= this.#buckets * fullest) this.#grow()
      this.#order = undefined
    }
    this.#elements.set(key, value)
    this.isAssigned = true
  }

  delete(key: string): void {
    if (this.#elements.delete(key)) this.#order = undefined
  }

  keys(): readonly string[] {
    this.#order ??= this.#walk()
    return this.#order
  }

  values(): string[] {
    return this.keys().map((key) => this.#elements.get(key) ?? '')
  }

  entries(): Array<[key: string, value: string]> {
    return this.keys().map((key) => [key, this.#elements.get(key) ?? ''])
  }

  copy(): HashTable {
    const table = new HashTable(this.#buckets)
    table.#elements = new Map(this.#elements)
    table.#order = this.#order
    table.isAssigned = this.isAssigned
    return table
  }

  #walk(): string[] {
    const mask = this.#buckets - 1
    const newestFirst = [...this.#elements.keys()].reverse()
    return newestFirst
      .map((key) => ({ key, bucket: hash(key) & mask }))
      .sort((left, right) => left.bucket - right.bucket)
      .map(({ key }) => key)
  }

  /** Moves the elements to more buckets, in the order of the old ones. */
  #grow(): void {
    this.#elements = new Map(this.entries())
    this.#buckets *= growth
  }
}

/** FNV-1 of the bytes, which are signed. */
function hash(key: string): number {
  let value = firstHash
  for (let at = 0; at < key.length; at += 1) {
    const code = key.charCodeAt(at)
    if (code >= 128) return hashBytes(key)
    value = Math.imul(value, prime) ^ code
  }
  return value
}

function hashBytes(key: string): number {
  let value = firstHash
  for (const byte of encodeText(key)) value = Math.imul(value, prime) ^ ((byte << 24) >> 24)
  return value
}
