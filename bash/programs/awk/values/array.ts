/** Arrays of awk. */

import type { Accounting } from './accounting.js'
import { gawkOrder, keptAsNumbers } from './array-order.js'
import { detached, IndexText, integerText, type Key, type Scalar, UserText } from './values.js'

export type Cell = Scalar | AwkArray

const elementBytes = 80
const largestKey = 2 ** 53 - 1

export class AwkArray {
  private elements = new Map<Key, Cell>()
  /** The most elements it had since it was empty: gawk's tables do not shrink. */
  private most = 0
  /** Subscripts that are numbers from outside, which stay such in tables of text. */
  private fromInput: Set<Key> | undefined
  /** Until then it is a name that can still become something else. */
  isUsed = false

  constructor(private readonly accounting: Accounting) {}

  get size(): number {
    return this.elements.size
  }

  has(key: Key): boolean {
    this.isUsed = true
    return this.elements.has(key)
  }

  /** A reference creates the element. */
  get(key: Key): Cell {
    this.isUsed = true
    const found = this.elements.get(key)
    if (found === undefined && !this.elements.has(key)) this.set(key, undefined)
    return found
  }

  peek(key: Key): Cell {
    return this.elements.get(key)
  }

  set(key: Key, value: Cell): void {
    const kept = value instanceof UserText && value.text.length > 12 ? copied(value) : value
    const { size } = this.elements
    this.isUsed = true
    if (typeof key === 'string' && !this.elements.has(key)) {
      this.elements.set(detached(key), kept)
      this.accounting.add(2 * key.length)
    } else {
      if (typeof kept === 'string') this.accounting.replaced(this.elements.get(key), kept)
      this.elements.set(key, kept)
    }
    if (this.elements.size === size) return
    if (key === this.accounting.inputKey && (typeof key === 'string' || this.isTextTable())) {
      this.fromInput ??= new Set()
      this.fromInput.add(key)
      this.accounting.add(elementBytes / 2)
    }
    this.accounting.add(elementBytes + textSize(kept))
    if (size >= this.most) this.most = size + 1
  }

  delete(key: Key): void {
    this.isUsed = true
    if (!this.elements.delete(key)) return
    this.accounting.add(-elementBytes)
    if (this.fromInput?.delete(key) === true) this.accounting.add(-elementBytes / 2)
    if (this.elements.size === 0) this.most = 0
  }

  clear(): void {
    this.isUsed = true
    this.accounting.add(-elementBytes * this.elements.size - (elementBytes / 2) * (this.fromInput?.size ?? 0))
    this.fromInput = undefined
    this.elements.clear()
    this.most = 0
  }

  /** The subscripts in the order in which gawk goes through them. */
  keys(): Key[] {
    this.isUsed = true
    return gawkOrder([...this.elements.keys()], this.most)
  }

  /** The values that a loop over subscripts gives. */
  indices(userText: (text: string) => UserText): (key: Key) => Scalar {
    const isNumber = keptAsNumbers([...this.elements.keys()])
    return (key) => {
      if (isNumber(key)) return new IndexText(key as number)
      return this.fromInput?.has(key) === true ? userText(keyText(key)) : keyText(key)
    }
  }

  /** Whether its first subscript was no whole number, so that all are kept as text. */
  private isTextTable(): boolean {
    return !keptAsNumbers([this.elements.keys().next().value as Key])(0)
  }

  /** The text that breaks a tie when elements are sorted: gawk has none at hand for numbers. */
  tieTexts(): (key: Key) => string {
    const isNumber = keptAsNumbers([...this.elements.keys()])
    return (key) => (isNumber(key) ? '' : keyText(key))
  }
}

function copied(value: UserText): UserText {
  return value.constructor === UserText ? new UserText(detached(value.text)) : value
}

function textSize(value: Cell): number {
  if (typeof value === 'string') return 2 * value.length
  return value instanceof UserText ? 2 * value.text.length + 32 : 0
}

export function keyText(key: Key): string {
  return typeof key === 'number' ? `${key}` : key
}

/** Text as a subscript. */
export function textKey(text: string): Key {
  const { length } = text
  if (length === 0 || length > 15) return text
  let at = 0
  if (text.charCodeAt(0) === 45) {
    if (length === 1) return text
    at = 1
  }
  const first = text.charCodeAt(at)
  // "0" is a number; "00", "01" and "-0" are not written as numbers are.
  if (first === 48) return length === 1 ? 0 : text
  let value = 0
  for (let index = at; index < length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 48 || code > 57) return text
    value = value * 10 + code - 48
  }
  return at === 1 ? -value : value
}

/** A value as a subscript; `text` converts numbers that are not whole. */
export function keyOf(value: Scalar, text: (value: number) => string): Key {
  if (typeof value === 'number') {
    if (Number.isInteger(value)) {
      return value <= largestKey && value >= -largestKey ? value + 0 : integerText(value)
    }
    return textKey(text(value))
  }
  if (value === undefined) return ''
  if (value instanceof IndexText) return value.index
  return textKey(typeof value === 'string' ? value : value.text)
}
