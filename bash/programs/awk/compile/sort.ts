/** The orders of `PROCINFO["sorted_in"]`, `asort` and `asorti`. */

import { entryOf } from '../../../../src/text/entry-of.js'
import { AwkFatal } from '../syntax/awk-error.js'
import { AwkArray, type Cell, keyText } from '../values/array.js'
import { comparesAs, compareText, IndexText, type Key, type Scalar, toNumber } from '../values/values.js'
import type { Compiler } from './compiler.js'

interface Element {
  key: Key
  value: Cell
}

type Compare = (one: Element, other: Element) => number

export function sortedKeys(compiler: Compiler, array: AwkArray, order: string): Key[] {
  if (order === '' || order === '@unsorted') return array.keys()
  return sortedElements(compiler, array, order).map(({ key }) => key)
}

export function sortedElements(compiler: Compiler, array: AwkArray, order: string): Element[] {
  const elements = array.keys().map((key) => ({ key, value: array.peek(key) }))
  return elements.sort(comparison(compiler, order, array.tieTexts()))
}

function comparison(compiler: Compiler, order: string, tieText: (key: Key) => string): Compare {
  const { text, io, regexes } = compiler.runtime
  const folded = (given: string) => (regexes.ignoreCase ? given.toLowerCase() : given)
  const byText = (one: string, other: string) => compareText(folded(one), folded(other))
  const valueText = (value: Cell) => (value instanceof AwkArray ? '' : text(value))
  const valueNumber = (value: Cell) => (value instanceof AwkArray ? 0 : toNumber(value))
  const byKeyText: Compare = (one, other) => byText(keyText(one.key), keyText(other.key))
  const byTie: Compare = (one, other) => byText(tieText(one.key), tieText(other.key))
  const orders: Readonly<Record<string, Compare>> = {
    '@ind_str': byKeyText,
    '@ind_num': (one, other) => toNumber(keyText(one.key)) - toNumber(keyText(other.key)) || byKeyText(one, other),
    '@val_str': (one, other) =>
      arraysLast(one, other) || byText(valueText(one.value), valueText(other.value)) || byTie(one, other),
    '@val_num': (one, other) =>
      arraysLast(one, other) ||
      valueNumber(one.value) - valueNumber(other.value) ||
      byText(valueText(one.value), valueText(other.value)) ||
      byTie(one, other),
    '@val_type': (one, other) => byType(one.value, other.value, byText, valueText) || byTie(one, other),
  }
  const [, name = '', direction] = /^(@\w+?)_(asc|desc)$/.exec(order) ?? []
  const compare = entryOf(orders, name)
  if (compare !== undefined) {
    const counted: Compare = (one, other) => {
      io.step()
      return compare(one, other)
    }
    return direction === 'asc' ? counted : (one, other) => counted(other, one)
  }
  const called = compiler.functions.get(order)
  if (called === undefined) throw new AwkFatal(`sort comparison function \`${order}' is not defined`)
  if (called.waits)
    throw new AwkFatal(
      `the comparison function \`${order}' reads or runs something, which is not supported by this shell`,
    )
  return (one, other) => {
    const frame: Cell[] = [keyText(one.key), one.value, keyText(other.key), other.value]
    while (frame.length < called.parameters.length) frame.push(undefined)
    return toNumber(called.call(frame) as Scalar)
  }
}

function arraysLast({ value: one }: Element, { value: other }: Element): number {
  return Number(one instanceof AwkArray) - Number(other instanceof AwkArray)
}

/** The number of a value that sorts as one; a subscript of a loop is text here. */
function sortsAs(value: Scalar): number | undefined {
  return value instanceof IndexText ? undefined : comparesAs(value)
}

/** Numbers, then text, then arrays. */
function byType(
  one: Cell,
  other: Cell,
  byText: (one: string, other: string) => number,
  text: (value: Cell) => string,
): number {
  const rank = (value: Cell) => (value instanceof AwkArray ? 2 : sortsAs(value) === undefined ? 1 : 0)
  const difference = rank(one) - rank(other)
  if (difference !== 0 || one instanceof AwkArray || other instanceof AwkArray) return difference
  const [a, b] = [sortsAs(one), sortsAs(other)]
  if (a !== undefined && b !== undefined) return a - b
  return byText(text(one), text(other))
}
