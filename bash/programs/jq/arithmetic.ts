/** The operators of jq. */
import { describe } from './paths.js'
import { compare, isEqual, JqError, type Json, type JsonObject } from './values.js'

type Operator = (one: Json, other: Json) => Json

export function applyOperator(operator: string): Operator {
  const found = operators[operator]
  if (found === undefined) throw new JqError(`unknown operator ${operator}`)
  return found
}

const operators: Readonly<Record<string, Operator>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': remainder,
  '==': isEqual,
  '!=': (one, other) => !isEqual(one, other),
  '<': (one, other) => compare(one, other) < 0,
  '<=': (one, other) => compare(one, other) <= 0,
  '>': (one, other) => compare(one, other) > 0,
  '>=': (one, other) => compare(one, other) >= 0,
}

export function add(one: Json, other: Json): Json {
  if (typeof one === 'number' && typeof other === 'number') return one + other
  if (typeof one === 'string' && typeof other === 'string') return one + other
  if (one === null) return other
  if (other === null) return one
  if (Array.isArray(one) && Array.isArray(other)) return one.concat(other)
  if (one instanceof Map && other instanceof Map) {
    const merged: JsonObject = new Map(one)
    for (const [key, value] of other) merged.set(key, value)
    return merged
  }
  throw cannot(one, other, 'added')
}

function subtract(one: Json, other: Json): Json {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.filter((item) => !other.some((removed) => isEqual(item, removed)))
  }
  throw cannot(one, other, 'subtracted')
}

const longestText = 2 ** 29

function multiply(one: Json, other: Json): Json {
  if (typeof one === 'number' && typeof other === 'number') return one * other
  if (typeof one === 'string' && typeof other === 'number') return repeat(one, other)
  if (typeof one === 'number' && typeof other === 'string') return repeat(other, one)
  if (one instanceof Map && other instanceof Map) return mergeDeeply(one, other)
  throw cannot(one, other, 'multiplied')
}

function repeat(text: string, count: number): Json {
  if (!(count > 0)) return null
  const times = count < 1 ? 1 : Math.floor(count)
  if (text.length * times > longestText) throw new JqError('Repeat string result too long')
  return text.repeat(times)
}

function mergeDeeply(one: JsonObject, other: JsonObject): JsonObject {
  const merged: JsonObject = new Map(one)
  for (const [key, value] of other) {
    const old = merged.get(key)
    merged.set(key, old instanceof Map && value instanceof Map ? mergeDeeply(old, value) : value)
  }
  return merged
}

function divide(one: Json, other: Json): Json {
  if (typeof one === 'number' && typeof other === 'number') {
    if (other === 0) throw cannot(one, other, 'divided because the divisor is zero')
    return one / other
  }
  if (typeof one === 'string' && typeof other === 'string') return splitText(one, other)
  throw cannot(one, other, 'divided')
}

export function splitText(text: string, separator: string): Json[] {
  if (text === '') return []
  return separator === '' ? [...text] : text.split(separator)
}

/** Integers only; a divisor below zero counts by its size. */
function remainder(one: Json, other: Json): Json {
  if (typeof one !== 'number' || typeof other !== 'number') throw cannot(one, other, 'divided')
  const divisor = toInteger(other)
  if (divisor === 0n) throw cannot(one, other, 'divided (remainder) because the divisor is zero')
  const size = divisor < 0n ? -divisor : divisor
  return Number(toInteger(one) % size)
}

const least = -(2n ** 63n)

function toInteger(value: number): bigint {
  if (Number.isNaN(value)) return least
  if (value >= 2 ** 63) return least * -1n - 1n
  return value <= -(2 ** 63) ? least : BigInt(Math.trunc(value))
}

function cannot(one: Json, other: Json, what: string): JqError {
  return new JqError(`${describe(one)} and ${describe(other)} cannot be ${what}`)
}
