/** Indexing, and changing values at paths. Values are never changed in place. */

import { memberBytes } from './compile/memory.js'
import type { Owned } from './compile/owned.js'
import { compactText } from './json/json-text.js'
import { compare, isEqual, JqError, type Json, type JsonObject, typeOf } from './values.js'

/** A value in a message: its first characters. */
export function shortText(value: Json): string {
  return cutText(value, 14)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The value in so many bytes. */
export function cutText(value: Json, most: number): string {
  const text = compactText(value)
  const bytes = encoder.encode(text)
  return bytes.length > most ? `${decoder.decode(bytes.subarray(0, most - 3))}...` : text
}

export const describe = (value: Json) => `${typeOf(value)} (${shortText(value)})`

function cannotIndex(value: Json, key: Json): JqError {
  if (typeof key === 'string') return new JqError(`Cannot index ${typeOf(value)} with string ${JSON.stringify(key)}`)
  return new JqError(`Cannot index ${typeOf(value)} with ${typeOf(key)}`)
}

export function indexValue(value: Json, key: Json): Json {
  if (typeof key === 'string') {
    if (value instanceof Map) return value.get(key) ?? null
    if (value === null) return null
    throw cannotIndex(value, key)
  }
  if (typeof key === 'number') {
    if (Array.isArray(value)) {
      if (!Number.isInteger(key)) return null
      return value[key < 0 ? key + value.length : key] ?? null
    }
    if (value === null) return null
    throw cannotIndex(value, key)
  }
  if (key instanceof Map && (Array.isArray(value) || value === null || typeof value === 'string')) {
    if (!key.has('start') || !key.has('end')) {
      throw new JqError('Start and end indices of an array slice must be numbers')
    }
    return sliceValue(value, key.get('start') ?? null, key.get('end') ?? null)
  }
  if (Array.isArray(key) && Array.isArray(value)) return indicesOf(value, key)
  if (key === null && value === null) return null
  throw cannotIndex(value, key)
}

export function indicesOf(value: Json[], wanted: Json[]): Json[] {
  const found: Json[] = []
  if (wanted.length === 0) return found
  for (let at = 0; at + wanted.length <= value.length; at += 1) {
    if (wanted.every((item, offset) => isEqual(item, value[at + offset] as Json))) found.push(at)
  }
  return found
}

function sliceBounds(length: number, from: Json, to: Json): [number, number] {
  if ((from !== null && typeof from !== 'number') || (to !== null && typeof to !== 'number')) {
    throw new JqError('Start and end indices of an array slice must be numbers')
  }
  const clamp = (bound: number) => Math.min(Math.max(bound < 0 ? bound + length : bound, 0), length)
  const start = clamp(Math.floor(from ?? 0))
  return [start, Math.max(start, clamp(Math.ceil(to ?? length)))]
}

export function sliceValue(value: Json, from: Json, to: Json): Json {
  if (value === null) {
    sliceBounds(0, from, to)
    return null
  }
  if (Array.isArray(value)) return value.slice(...sliceBounds(value.length, from, to))
  if (typeof value === 'string') {
    const characters = [...value]
    return characters.slice(...sliceBounds(characters.length, from, to)).join('')
  }
  throw new JqError(`Cannot index ${typeOf(value)} with object`)
}

export function getPath(value: Json, path: readonly Json[]): Json {
  let at = value
  for (const key of path) {
    if (at === null) return null
    at = indexValue(at, key)
  }
  return at
}

/** Containers that are owned are changed in place, and copies become owned. */
export function setPath(value: Json, path: readonly Json[], to: Json, owned?: Owned, from = 0): Json {
  if (from === path.length) return to
  return updateKey(value, path[from] as Json, (inner) => setPath(inner, path, to, owned, from + 1), owned)
}

/** The value with another one at a key. */
export function updateKey(value: Json, key: Json, change: (value: Json) => Json, owned?: Owned): Json {
  if (typeof key === 'string') {
    if (value !== null && !(value instanceof Map)) throw cannotIndex(value, key)
    const next = change(value === null ? null : (value.get(key) ?? null))
    const object: JsonObject = value !== null && owned?.has(value) ? value : new Map(value ?? [])
    if (owned !== undefined && !object.has(key)) owned.grew(memberBytes(key, next))
    object.set(key, next)
    owned?.add(object)
    return object
  }
  if (typeof key === 'number') {
    if (value !== null && !Array.isArray(value)) throw cannotIndex(value, key)
    const next = change(indexValue(value, key))
    return withItem(value ?? [], Math.floor(key), next, owned)
  }
  if (key instanceof Map) {
    if (value !== null && !Array.isArray(value)) {
      throw new JqError(`Cannot update field at object index of ${typeOf(value)}`)
    }
    const items = value ?? []
    const [start, end] = sliceBounds(items.length, key.get('start') ?? null, key.get('end') ?? null)
    const next = change(value === null ? null : items.slice(start, end))
    if (!Array.isArray(next)) throw new JqError('A slice of an array can only be assigned another array')
    // The new array is not owned, but parts of it may be.
    owned?.clear()
    return items.slice(0, start).concat(next, items.slice(end))
  }
  if (Array.isArray(key) && Array.isArray(value)) throw new JqError('Cannot update field at array index of array')
  throw new JqError(`Invalid path component: cannot update ${typeOf(value)} with ${typeOf(key)}`)
}

const mostItems = 2 ** 29
/** Items that one update may put before a new one. */
const mostPadding = 2 ** 23

function withItem(items: Json[], index: number, value: Json, owned: Owned | undefined): Json[] {
  const at = index < 0 ? index + items.length : index
  if (!(at >= 0)) throw new JqError('Out of bounds negative array index')
  if (at > mostItems || at - items.length > mostPadding) throw new JqError('Array index too large')
  const changed = owned?.has(items) ? items : items.slice()
  if (at >= changed.length) owned?.grew(16 * (at + 1 - changed.length))
  while (changed.length < at) changed.push(null)
  changed[at] = value
  owned?.add(changed)
  return changed
}

export function deletePaths(value: Json, paths: readonly Json[]): Json {
  const sorted = [...paths].sort(compare)
  if (!sorted.every((path) => Array.isArray(path))) throw new JqError('Path must be specified as an array')
  if (sorted.length === 0) return value
  return sorted[0]?.length === 0 ? null : deleteSorted(value, sorted, 0)
}

/** What is deleted at one level counts from where it was before any of it is deleted. */
function deleteSorted(value: Json, paths: readonly Json[][], level: number): Json {
  let result = value
  const deleted: Json[] = []
  for (let at = 0; at < paths.length; ) {
    const path = paths[at] as Json[]
    const key = path[level] as Json
    let end = at + 1
    while (end < paths.length && isEqual(key, paths[end]?.[level] as Json)) end += 1
    if (path.length === level + 1) deleted.push(key)
    else if (result !== null) {
      const below = paths.slice(at, end)
      const inner = indexValue(result, key)
      if (inner !== null) result = updateKey(result, key, () => deleteSorted(inner, below, level + 1))
    }
    at = end
  }
  return deleted.length === 1 || !Array.isArray(result)
    ? deleted.reduce((rest, key) => deleteKey(rest, key), result)
    : deleteItems(result, deleted)
}

function deleteItems(items: Json[], keys: readonly Json[]): Json[] {
  const ranges = keys.map((key): [number, number] => {
    if (typeof key === 'number') {
      const at = Math.floor(key) < 0 ? Math.floor(key) + items.length : Math.floor(key)
      return [at, at + 1]
    }
    if (!(key instanceof Map)) throw new JqError(`Cannot delete field at ${typeOf(key)} index of array`)
    return sliceBounds(items.length, key.get('start') ?? null, key.get('end') ?? null)
  })
  const gone = new Uint8Array(items.length)
  for (const [start, end] of ranges) if (start >= 0) gone.fill(1, start, end)
  return items.filter((_, index) => gone[index] === 0)
}

function deleteKey(value: Json, key: Json): Json {
  if (value === null) return null
  if (value instanceof Map && typeof key === 'string') {
    if (!value.has(key)) return value
    const object: JsonObject = new Map(value)
    object.delete(key)
    return object
  }
  if (Array.isArray(value) && typeof key === 'number') {
    const at = Math.floor(key) < 0 ? Math.floor(key) + value.length : Math.floor(key)
    return at < 0 || at >= value.length ? value : value.filter((_, index) => index !== at)
  }
  if (Array.isArray(value) && key instanceof Map) {
    const [start, end] = sliceBounds(value.length, key.get('start') ?? null, key.get('end') ?? null)
    return [...value.slice(0, start), ...value.slice(end)]
  }
  if (value instanceof Map) throw new JqError(`Cannot delete field at ${typeOf(key)} index of object`)
  if (Array.isArray(value)) throw new JqError(`Cannot delete field at ${typeOf(key)} index of array`)
  throw new JqError(`Cannot delete field at ${typeof key === 'string' ? 'object' : 'array'} index of ${typeOf(value)}`)
}
