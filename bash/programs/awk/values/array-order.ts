/**
 * The order in which gawk goes through an array. It follows from how its tables store subscripts: small whole numbers in
 * ascending order, other whole numbers and text by their hash. Scripts are written against what they print, so the
 * same order is made here, by filling such tables with the subscripts in their order of creation.
 */
import { encodeText } from '../../../io/byte-text.js'
import type { Key } from './values.js'

const tableSizes = [13, 127, 1021, 8191, 131071, 1048573, 8388593, 16777213, 33554393]
/** A table grows when its lists would be longer on average. */
const averageLength = 2
const largestInteger = 2 ** 31 - 1

export function gawkOrder(keys: Key[], most: number): Key[] {
  const [first] = keys
  if (keys.length < 2 || first === undefined) return keys
  if (typeof first === 'string' || Math.abs(first) > largestInteger) return textOrder(keys, most)
  return first >= 0 ? countingOrder(keys) : integerOrder(keys)
}

/** True for subscripts that gawk keeps as numbers, without their text. */
export function keptAsNumbers(keys: readonly Key[]): (key: Key) => boolean {
  const [first] = keys
  if (!isInteger(first)) return () => false
  if ((first as number) < 0) return isInteger
  const { counting, others } = divided(keys)
  if (others.length === 0 || isInteger(others[0])) return isInteger
  const numbers = new Set<Key>(counting)
  return (key) => numbers.has(key)
}

/** Arrays whose first subscript is a whole number from 0 on. */
function countingOrder(keys: readonly Key[]): Key[] {
  const { counting, others, isAscending } = divided(keys)
  if (!isAscending) counting.sort((one, other) => one - other)
  if (others.length === 0) return counting
  const [first] = others
  return [...(isInteger(first) ? integerOrder(others) : textOrder(others, others.length)), ...counting]
}

/** What goes into the table of small whole numbers, and what does not. */
function divided(keys: readonly Key[]): { counting: number[]; others: Key[]; isAscending: boolean } {
  const counting: number[] = []
  const others: Key[] = []
  const leaves = new Set<number>()
  let capacity = 0
  let previous = -1
  let isAscending = true
  for (const key of keys) {
    if (typeof key === 'string' || key < 0 || key > largestInteger) {
      others.push(key)
      continue
    }
    const { leaf, size, bound } = leafOf(key)
    if (capacity + bound - counting.length > sparsest) {
      others.push(key)
      continue
    }
    if (!leaves.has(leaf)) {
      leaves.add(leaf)
      capacity += size
    }
    if (key < previous) isAscending = false
    previous = key
    counting.push(key)
  }
  return { counting, others, isAscending }
}

function isInteger(key: Key | undefined): boolean {
  return typeof key === 'number' && Math.abs(key) <= largestInteger
}

const leastBits = 10
/** So many unused places are allowed in the table of small whole numbers. */
const sparsest = 2048

/** Where a number is kept: a small array for a range of numbers, whose length depends on the size of the number. */
function leafOf(key: number): { leaf: number; size: number; bound: number } {
  const bits = key < 1 << leastBits ? leastBits : 31 - Math.clz32(key)
  let half = bits
  do half = Math.floor((half + 1) / 2)
  while (half > leastBits)
  let bound = Math.max(bits, leastBits)
  while (bound >= leastBits) bound = Math.floor((bound + 1) / 2)
  const size = 2 ** half
  return { leaf: Math.floor(key / size) * 64 + bits, size, bound: 2 ** bound }
}

/** Whole numbers in a hash table, in pairs; text in a table of its own, which comes first. */
function integerOrder(keys: Key[]): Key[] {
  const integers = keys.filter(isInteger) as number[]
  const texts = keys.filter((key) => !isInteger(key))
  let growths = 0
  let table = emptyTable<number[]>(0)
  let count = 0
  for (const key of integers) {
    count += 1
    if (Math.floor(count / table.length) > averageLength && growths + 1 < tableSizes.length) {
      growths += 1
      const grown = emptyTable<number[]>(growths)
      for (const pairs of table) for (const pair of pairs) for (const member of pair) insertInteger(grown, member)
      table = grown
    }
    insertInteger(table, key)
  }
  return [...textOrder(texts, texts.length), ...table.flat(2)]
}

function insertInteger(table: number[][][], key: number): void {
  const pairs = table[integerHash(key) % table.length] as number[][]
  const [newest] = pairs
  if (newest === undefined || newest.length === 2) pairs.unshift([key])
  else newest.push(key)
}

function integerHash(key: number): number {
  let hash = key | 0
  hash ^= hash << 3
  hash = (hash + (hash >>> 5)) | 0
  hash ^= hash << 4
  hash = (hash + (hash >>> 17)) | 0
  hash ^= hash << 25
  hash = (hash + (hash >>> 6)) | 0
  return hash >>> 0
}

interface Hashed {
  key: Key
  hash: number
}

/** Text in a hash table whose lists begin with the newest. */
function textOrder(keys: Key[], most: number): Key[] {
  if (keys.length === 0) return keys
  let growths = 0
  let table = emptyTable<Hashed>(0)
  const grow = () => {
    growths += 1
    const grown = emptyTable<Hashed>(growths)
    for (const list of table) {
      for (let at = list.length - 1; at >= 0; at -= 1) {
        const member = list[at] as Hashed
        ;(grown[member.hash % grown.length] as Hashed[]).push(member)
      }
    }
    table = grown
  }
  const isFull = (count: number) => Math.floor(count / table.length) > averageLength && growths + 1 < tableSizes.length
  let count = 0
  for (const key of keys) {
    count += 1
    if (isFull(count)) grow()
    const hash = textHash(`${key}`)
    // The newest is at the end here.
    ;(table[hash % table.length] as Hashed[]).push({ key, hash })
  }
  while (isFull(most)) grow()
  return table.flatMap((list) => list.reverse().map(({ key }) => key))
}

const beyondAscii = /[^\0-\x7f]/

function textHash(text: string): number {
  let hash = 0
  if (beyondAscii.test(text)) {
    // Bytes are signed here, as in C.
    for (const byte of encodeText(text)) hash = (Math.imul(hash, 65599) + ((byte << 24) >> 24)) | 0
  } else {
    for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 65599) + text.charCodeAt(at)) | 0
  }
  return hash >>> 0
}

function emptyTable<Member>(growths: number): Member[][] {
  return Array.from({ length: tableSizes[growths] as number }, () => [])
}
