/** The values of awk, and how they become numbers and text. */
import { encodeText } from '../../../io/byte-text.js'

/**
 * Text that came from outside: a field, a line, an element of `ARGV`. It is a number in comparisons when it looks like
 * one.
 */
export class UserText {
  /** What it is as a number; null when it does not look like one; undefined as long as nobody asked. */
  private known: number | null | undefined

  constructor(readonly text: string) {}

  get number(): number | null {
    if (this.known === undefined) this.known = looksNumeric(this.text) ? numberOf(this.text) : null
    return this.known
  }

  /** Whether it looks like a number, and nobody has asked for it. */
  get isUnseenNumber(): boolean {
    return this.known === undefined && looksNumeric(this.text)
  }

  /** The number that it begins with, or 0. */
  get leading(): number {
    return numberOf(this.text)
  }
}

/** The same under `--posix`, where text can be a number in all ways that C has. */
export class PosixText extends UserText {
  override get number(): number | null {
    return posixWhole.test(this.text) ? posixNumberOf(this.text) : null
  }

  override get leading(): number {
    return posixNumberOf(this.text)
  }
}

/** A regular expression as a value, written `@/…/`. */
export class RegexText extends UserText {
  override get number(): null {
    return null
  }
}

/** What `mkbool` makes: 1 or 0, which knows that it is a truth value. */
export class TruthText extends UserText {
  constructor(value: boolean) {
    super(value ? '1' : '0')
  }

  override get number(): number {
    return this.text === '1' ? 1 : 0
  }
}

/** A field that the record does not have: empty text. */
export class MissingField extends UserText {
  constructor() {
    super('')
  }
}

/**
 * A whole number as a loop over an array gives it: a number in its first comparison, and text from then on, or as soon
 * as somebody asks for its text.
 */
export class IndexText extends UserText {
  private isText = false

  constructor(readonly index: number) {
    super(`${index}`)
  }

  override get number(): number | null {
    return this.isText ? null : this.index
  }

  override get leading(): number {
    return this.index
  }

  override get isUnseenNumber(): boolean {
    return false
  }

  becomeText(): void {
    this.isText = true
  }
}

/** What a variable has that was read before anything was assigned to it, and what is assigned from it: `""` and 0. */
class Unassigned extends MissingField {
  override get number(): number {
    return 0
  }
}

export const unassigned = new Unassigned()

/** Undefined: never assigned and never read, both `""` and 0. */
export type Scalar = number | string | UserText | undefined

/** A subscript. Whole numbers and text that writes one are the same; all others are text. */
export type Key = number | string

const prefix = /^[ \t\n\v\f\r]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/
const whole = /^[ \t\n\v\f\r]*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[ \t\n\v\f\r]*$/
const special = /^[ \t\n\v\f\r]*([-+])(inf|nan)[ \t\n\v\f\r]*$/i

const cNumber =
  '[-+]?(?:0x(?:[0-9a-f]+\\.?[0-9a-f]*|\\.[0-9a-f]+)(?:p[-+]?\\d+)?|(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?|inf(?:inity)?|nan(?:\\(\\w*\\))?)'
const posixPrefix = new RegExp(`^[ \\t\\n\\v\\f\\r]*(${cNumber})`, 'i')
const posixWhole = new RegExp(`^[ \\t\\n\\v\\f\\r]*${cNumber}[ \\t\\n\\v\\f\\r]*$`, 'i')

/** The number that text begins with, as `strtod` of C reads it, or 0. */
export function posixNumberOf(text: string): number {
  const [, found = '0'] = posixPrefix.exec(text) ?? []
  const sign = found.startsWith('-') ? -1 : 1
  const size = found.replace(/^[-+]/, '').toLowerCase()
  if (size.startsWith('inf')) return sign * Infinity
  if (size.startsWith('nan')) return Number.NaN
  if (!size.startsWith('0x')) return sign * Number(size)
  const [digits = '', exponent = '0'] = size.slice(2).split('p')
  const [whole = '', fraction = ''] = digits.split('.')
  return sign * Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length)
}

const zero = 48
const nine = 57

/** The value of text whose characters are all digits, or -1. */
function plainInteger(text: string): number {
  const { length } = text
  if (length === 0 || length > 15) return -1
  let value = 0
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < zero || code > nine) return -1
    value = value * 10 + code - zero
  }
  return value
}

/** The number that text begins with, or 0. */
export function numberOf(text: string): number {
  const plain = plainInteger(text)
  if (plain >= 0) return plain
  const [, found] = prefix.exec(text) ?? []
  if (found !== undefined) return Number(found)
  const [, sign, name] = special.exec(text) ?? []
  if (name === undefined) return 0
  if (name.toLowerCase() === 'nan') return Number.NaN
  return sign === '-' ? -Infinity : Infinity
}

export function looksNumeric(text: string): boolean {
  const first = text.charCodeAt(0)
  // Letters and most punctuation cannot begin a number.
  if (first > nine || text === '') return false
  return plainInteger(text) >= 0 || whole.test(text) || special.test(text)
}

export function toNumber(value: Scalar): number {
  if (typeof value === 'number') return value
  if (value === undefined) return 0
  if (typeof value === 'string') return numberOf(value)
  return value.number ?? value.leading
}

export function toBoolean(value: Scalar): boolean {
  if (typeof value === 'number') return value !== 0
  if (value === undefined) return false
  if (typeof value === 'string') return value !== ''
  if (value instanceof IndexText) {
    value.becomeText()
    return true
  }
  const { number } = value
  return number === null ? value.text !== '' : number !== 0
}

const maximumSafe = Number.MAX_SAFE_INTEGER

/** All digits of a whole number. */
export function integerText(value: number): string {
  return value <= maximumSafe && value >= -maximumSafe ? `${value}` : BigInt(value).toString()
}

const outsideOrder = /[\ud800-\uffff]/

/** By bytes, which is the order of code points; negative, 0 or positive. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  if (!outsideOrder.test(left) && !outsideOrder.test(right)) return left < right ? -1 : 1
  const [one, other] = [encodeText(left), encodeText(right)]
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at += 1) {
    const difference = (one[at] as number) - (other[at] as number)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** The number of a value that compares as a number; undefined for text. */
export function comparesAs(value: Scalar): number | undefined {
  if (typeof value === 'number') return value
  if (value === undefined) return 0
  if (typeof value === 'string') return undefined
  return value.number ?? undefined
}

/** The text of a value that is not a number or text by itself. */
export function textOf(value: UserText): string {
  if (value instanceof IndexText) value.becomeText()
  return value.text
}

/** A copy that does not keep the large text alive from which it was cut. */
export function detached(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1)
}
