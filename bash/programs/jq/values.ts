/** JSON values as jq has them: objects keep the order of their keys, whatever the keys are. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = Map<string, Json>

/** An error that a program can catch. Its value is mostly a string. */
export class JqError extends Error {
  constructor(readonly value: Json) {
    super(typeof value === 'string' ? value : 'jq error')
  }
}

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

export function typeOf(value: Json): TypeName {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Map) return 'object'
  return typeof value as 'boolean' | 'number' | 'string'
}

export const isTruthy = (value: Json) => value !== null && value !== false

const order: Readonly<Record<TypeName, number>> = { null: 0, boolean: 1, number: 3, string: 4, array: 5, object: 6 }

function rank(value: Json): number {
  return value === true ? 2 : order[typeOf(value)]
}

/** The order of all values. NaN is less than any number. */
export function compare(one: Json, other: Json): number {
  if (typeof one === 'number' && typeof other === 'number') {
    return one < other || Number.isNaN(one) ? -1 : one === other ? 0 : Number.isNaN(other) ? 1 : one > other ? 1 : 0
  }
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  const ranks = rank(one) - rank(other)
  if (ranks !== 0) return ranks
  if (Array.isArray(one) && Array.isArray(other)) return compareArrays(one, other)
  if (one instanceof Map && other instanceof Map) return compareObjects(one, other)
  return 0
}

/** By code points. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at += 1) {
    const left = one.charCodeAt(at)
    const right = other.charCodeAt(at)
    if (left === right) continue
    // Surrogates stand for code points above all others of two bytes.
    const leftHigh = left >= 0xd800 && left < 0xe000
    const rightHigh = right >= 0xd800 && right < 0xe000
    if (leftHigh !== rightHigh) return leftHigh ? 1 : -1
    return left - right
  }
  return one.length - other.length
}

function compareArrays(one: Json[], other: Json[]): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at += 1) {
    const result = compare(one[at] as Json, other[at] as Json)
    if (result !== 0) return result
  }
  return one.length - other.length
}

/** First by their sorted keys, then by the values. */
function compareObjects(one: JsonObject, other: JsonObject): number {
  const keys = sortedKeys(one)
  const keyOrder = compareArrays(keys, sortedKeys(other))
  if (keyOrder !== 0) return keyOrder
  for (const key of keys) {
    const result = compare(one.get(key) as Json, other.get(key) as Json)
    if (result !== 0) return result
  }
  return 0
}

export function sortedKeys(object: JsonObject): string[] {
  return [...object.keys()].sort(compareTexts)
}

export const isEqual = (one: Json, other: Json) => one === other || compare(one, other) === 0

export function objectOf(entries: Readonly<Record<string, Json>>): JsonObject {
  return new Map(Object.entries(entries))
}
