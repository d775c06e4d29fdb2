/** Functions of values alone. */
import type { Runtime } from '../run/runtime.js'
import { Unsupported } from '../syntax/perl-error.js'
import { formatText } from '../values/format.js'
import { indexOf, looksLikeNumber, numberOf, plainNumber, textOf, truth, whole } from '../values/numbers.js'
import { compareNumbers, compareTexts, negative, operators, roundedDown } from '../values/operators.js'
import { PerlDie, PerlExit } from '../values/perl-die.js'
import { strftimeText } from '../values/time.js'
import { isReference, kindOf, type Value } from '../values/values.js'

type Plain = (values: Value[], runtime: Runtime) => Value

const lower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
const upper = (text: string) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())

function based(text: string, base: 2 | 8 | 16): Value {
  const digits = { 2: /^[01_]*/, 8: /^[0-7_]*/, 16: /^[0-9a-fA-F_]*/ }[base].exec(text)?.[0].replaceAll('_', '') ?? ''
  if (digits === '') return 0
  const value = BigInt({ 2: '0b', 8: '0o', 16: '0x' }[base] + digits)
  if (value >= 1n << 64n) throw new Unsupported('a number beyond 64 bits')
  return whole(value)
}

function octal(given: string): Value {
  const text = given.replace(/^\s+/, '')
  if (/^0?x/i.test(text)) return based(text.replace(/^0?x/i, ''), 16)
  if (/^0?b/i.test(text)) return based(text.replace(/^0?b/i, ''), 2)
  return based(text.replace(/^0?o/i, ''), 8)
}

function found(isLast: boolean): Plain {
  return ([value, part, from]) => {
    const [text, needle] = [textOf(value), textOf(part)]
    if (isLast) {
      const start = from === undefined ? text.length : indexOf(from)
      return start < 0 ? (needle === '' ? 0 : -1) : text.lastIndexOf(needle, start)
    }
    const start = Math.min(text.length, Math.max(0, indexOf(from)))
    return text.indexOf(needle, start)
  }
}

function positive(name: string, compute: (value: number) => number, isWrong: (value: number) => boolean): Plain {
  return ([value]) => {
    const number = plainNumber(value)
    if (isWrong(number)) throw new PerlDie(`Can't take ${name} of ${textOf(number)}`)
    return compute(number)
  }
}

export const scalarFunctions: Readonly<Record<string, Plain>> = {
  lc: ([value]) => lower(textOf(value)),
  uc: ([value]) => upper(textOf(value)),
  lcfirst: ([value]) => lower(textOf(value).slice(0, 1)) + textOf(value).slice(1),
  ucfirst: ([value]) => upper(textOf(value).slice(0, 1)) + textOf(value).slice(1),
  length: ([value]) => (value === undefined ? undefined : textOf(value).length),
  chr: ([value]) => {
    const code = indexOf(value)
    if (code < 0 || code > 255) throw new Unsupported('a character beyond \\xff')
    return String.fromCharCode(code)
  },
  ord: ([value]) => textOf(value).charCodeAt(0) || 0,
  hex: ([value]) => based(textOf(value).replace(/^0?x/i, ''), 16),
  oct: ([value]) => octal(textOf(value)),
  abs: ([value]) => {
    const number = numberOf(value)
    const size = number < 0 ? negative(number) : number
    return typeof size === 'number' && Number.isInteger(size) && size < 2 ** 53 ? whole(BigInt(size)) : size
  },
  int: ([value]) => roundedDown(value),
  sqrt: positive('sqrt', Math.sqrt, (value) => value < 0),
  log: positive('log', Math.log, (value) => value <= 0),
  exp: ([value]) => Math.exp(plainNumber(value)),
  sin: ([value]) => Math.sin(plainNumber(value)),
  cos: ([value]) => Math.cos(plainNumber(value)),
  atan2: ([y, x]) => Math.atan2(plainNumber(y), plainNumber(x)),
  quotemeta: ([value]) => textOf(value).replace(/[^A-Za-z0-9_]/g, '\\$&'),
  ref: ([value]) => (isReference(value) ? kindOf(value) : ''),
  rand: ([value], { io }) => io.random() * (plainNumber(value) || 1),
  time: (_, { io }) => Math.floor(io.now() / 1000),
  index: found(false),
  rindex: found(true),
  exit: ([value]) => {
    throw new PerlExit(((indexOf(value) % 256) + 256) % 256)
  },
  floor: ([value]) => roundedBy(value, Math.floor),
  ceil: ([value]) => roundedBy(value, Math.ceil),
  fmod: ([x, y]) => plainNumber(x) % plainNumber(y),
  pow: ([x, y]) => plainNumber(x) ** plainNumber(y),
  looks_like_number: ([value]) => truth(looksLikeNumber(value)),
}

function roundedBy(value: Value, round: (value: number) => number): Value {
  const rounded = round(plainNumber(value))
  return rounded === 0 ? 0 : rounded
}

type Many = (values: Value[], runtime: Runtime) => Value | Value[]

function best(isBetter: (value: Value, than: Value) => boolean, asNumber: boolean): Many {
  return (values) => {
    let result: Value
    for (const [index, value] of values.entries()) if (index === 0 || isBetter(value, result)) result = value
    return asNumber && result !== undefined ? numberOf(result) : result
  }
}

function folded(operator: '+' | '*', first: Value): Many {
  const compute = operators[operator] as (left: Value, right: Value) => Value
  return (values) =>
    values.reduce((total, value) => compute(total, value), values.length === 0 ? first : operator === '+' ? 0 : 1)
}

export const listFunctions: Readonly<Record<string, Many>> = {
  join: ([separator, ...values]) => values.map(textOf).join(textOf(separator)),
  sprintf: (values) => formatText(values),
  die: (values, runtime) => {
    const [first] = values
    if (values.length === 1 && isReference(first)) throw new PerlDie(first, true)
    const text = values.map(textOf).join('') || 'Died'
    throw text.endsWith('\n') ? new PerlDie(text, true) : new PerlDie(text).at(runtime.place(runtime.lineNow))
  },
  warn: (values, runtime) => {
    const text = values.map(textOf).join('') || "Warning: something's wrong"
    runtime.warn(text.endsWith('\n') ? text : `${text} at ${runtime.place(runtime.lineNow)}.\n`)
    return 1
  },
  sum: folded('+', undefined),
  sum0: folded('+', 0),
  product: folded('*', 1),
  min: best((value, than) => compareNumbers(value, than) === -1, true),
  max: best((value, than) => compareNumbers(value, than) === 1, true),
  minstr: best((value, than) => compareTexts(value, than) < 0, false),
  maxstr: best((value, than) => compareTexts(value, than) > 0, false),
  uniq: (values) => uniqueBy(values, textOf),
  uniqnum: (values) => uniqueBy(values, (value) => textOf(numberOf(value))),
  strftime: ([format, ...parts], { io }) => strftimeText(io, textOf(format), parts),
}

function uniqueBy(values: readonly Value[], key: (value: Value) => string): Value[] {
  const seen = new Set<string>()
  return values.filter((value) => {
    const text = key(value)
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
}
