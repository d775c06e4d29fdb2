/** Numbers as sort keys: of any length, with unit suffixes, and as C reads floating point. */
import { shortMonthNames } from '../../../../src/text/calendar.js'

/** A number with at most this many digits is exact. */
const exactDigits = 15

/** Text of a number that is too long to be exact, with what is nearest to it. */
interface LongNumber {
  near: number
  text: string
}

export type NumberKey = number | LongNumber

const numberText = /^[ \t\n]*(-?\d*(?:\.\d*)?)/

/** The number that text begins with, or 0. */
export function numberKey(text: string): NumberKey {
  let at = 0
  while (isBlank(text.charCodeAt(at))) at += 1
  const isNegative = text.charCodeAt(at) === 0x2d
  if (isNegative) at += 1
  let digits = 0
  let value = 0
  let scale = 1
  let isFraction = false
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x2e && !isFraction) {
      isFraction = true
      continue
    }
    if (code < 48 || code > 57) break
    value = value * 10 + code - 48
    if (value > 0) digits += 1
    if (isFraction) scale *= 10
    if (digits > exactDigits || scale > 1e15) return longNumber(text)
  }
  if (value === 0) return 0
  return isNegative ? -value / scale : value / scale
}

function longNumber(text: string): LongNumber {
  const [, number = '0'] = numberText.exec(text) ?? []
  return { near: Number(number), text: number }
}

export function compareNumberKeys(one: NumberKey, other: NumberKey): number {
  const near = typeof one === 'number' ? one : one.near
  const otherNear = typeof other === 'number' ? other : other.near
  if (near !== otherNear) return near < otherNear ? -1 : 1
  if (typeof one === 'number' && typeof other === 'number') return 0
  return compareDecimals(decimalText(one), decimalText(other))
}

function decimalText(number: NumberKey): string {
  if (typeof number !== 'number') return number.text
  return Math.abs(number) < 1e-6 ? number.toFixed(20).replace(/0+$/, '') : String(number)
}

function compareDecimals(one: string, other: string): number {
  const isNegative = one.startsWith('-')
  const [whole = '', fraction = ''] = one.replace('-', '').split('.')
  const [otherWhole = '', otherFraction = ''] = other.replace('-', '').split('.')
  const length = Math.max(whole.length, otherWhole.length)
  const digits = whole.padStart(length, '0') + fraction.replace(/0+$/, '')
  const otherDigits = otherWhole.padStart(length, '0') + otherFraction.replace(/0+$/, '')
  const order = digits < otherDigits ? -1 : digits > otherDigits ? 1 : 0
  return isNegative ? -order : order
}

/** A number with a unit: the unit decides first. */
export interface HumanKey {
  unit: number
  number: NumberKey
}

const units = 'KMGTPEZY'

export function humanKey(text: string): HumanKey {
  const number = numberKey(text)
  const [all = '', shown = ''] = numberText.exec(text) ?? []
  if (!/[1-9]/.test(shown)) return { unit: 0, number }
  const letter = text.charAt(all.length)
  const unit = units.indexOf(letter === 'k' ? 'K' : letter || '?') + 1
  return { unit: shown.startsWith('-') ? -unit : unit, number }
}

export function compareHumanKeys(one: HumanKey, other: HumanKey): number {
  return one.unit - other.unit || compareNumberKeys(one.number, other.number)
}

const floatText =
  /^[ \t\n\v\f\r]*([+-]?)(?:(inf(?:inity)?)|(nan)|(0x[\da-f]*\.?[\da-f]*(?:p[+-]?\d+)?)|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))/i

/** As `strtod`. Undefined when text does not begin with a number. */
export function floatKey(text: string): number | undefined {
  const [, sign = '', infinity, nan, hex, decimal] = floatText.exec(text) ?? []
  const value =
    infinity !== undefined
      ? Number.POSITIVE_INFINITY
      : nan !== undefined
        ? Number.NaN
        : hex !== undefined
          ? hexFloat(hex)
          : decimal === undefined
            ? undefined
            : Number(decimal)
  return value === undefined ? undefined : sign === '-' ? -value : value
}

function hexFloat(text: string): number {
  const [, whole = '', fraction = '', exponent = '0'] = /^0x([\da-f]*)\.?([\da-f]*)(?:p([+-]?\d+))?/i.exec(text) ?? []
  if (whole === '' && fraction === '') return 0
  return Number(`0x${whole}${fraction}`) * 2 ** (Number(exponent) - 4 * fraction.length)
}

/** What is not a number comes first, then what is called nan. */
export function compareFloatKeys(one: number | undefined, other: number | undefined): number {
  const rank = floatRank(one)
  const otherRank = floatRank(other)
  if (rank !== otherRank) return rank - otherRank
  if (one === undefined || other === undefined || Number.isNaN(one)) return 0
  return one < other ? -1 : one > other ? 1 : 0
}

function floatRank(value: number | undefined): number {
  return value === undefined ? 0 : Number.isNaN(value) ? 1 : 2
}

const months = shortMonthNames.map((name) => name.toUpperCase())

/** 1 to 12, or 0 when text does not begin with the name of a month. */
export function monthKey(text: string): number {
  return (
    months.indexOf(
      text
        .replace(/^[ \t]+/, '')
        .slice(0, 3)
        .toUpperCase(),
    ) + 1
  )
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10
}
