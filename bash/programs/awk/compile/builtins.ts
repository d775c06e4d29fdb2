/** Compiles calls of built-in functions. */

import type { Runtime } from '../run/runtime.js'
import { AwkFatal } from '../syntax/awk-error.js'
import type { Dialect } from '../syntax/dialect.js'
import type { Expr } from '../syntax/syntax.js'
import { AwkArray, type Cell, keyText } from '../values/array.js'
import { general } from '../values/numbers.js'
import { Random } from '../values/random.js'
import { formatTime, makeTime } from '../values/time.js'
import {
  comparesAs,
  IndexText,
  MissingField,
  RegexText,
  type Scalar,
  TruthText,
  toNumber,
  UserText,
  unassigned,
} from '../values/values.js'
import { compileTextBuiltin } from './builtins-text.js'
import { all, ask, type Code, later, map, map2, now } from './code.js'
import type { BuiltinCall, Compiler } from './compiler.js'
import { sortedElements } from './sort.js'

/** The numbers of a program, with the generator it seeded. */
const generators = new WeakMap<Runtime, Random>()

function generator(runtime: Runtime): Random {
  const known = generators.get(runtime)
  if (known !== undefined) return known
  const made = new Random(1)
  generators.set(runtime, made)
  return made
}

const functionsOfNumbers: Readonly<Record<string, (...values: number[]) => number>> = {
  sin: Math.sin,
  cos: Math.cos,
  atan2: Math.atan2,
  exp: Math.exp,
  sqrt: Math.sqrt,
  log: Math.log,
  int: Math.trunc,
  and: bitwise('and', (one, other) => one & other),
  or: bitwise('or', (one, other) => one | other),
  xor: bitwise('xor', (one, other) => one ^ other),
  lshift: bitwise('lshift', (value, by) => BigInt.asUintN(64, value << by)),
  rshift: bitwise('rshift', (value, by) => value >> by),
  compl: bitwise('compl', (value) => BigInt.asUintN(64, ~value)),
}

/** What is said of numbers that a function is not made for. */
const warnings: Readonly<Record<string, (given: number, result: number) => string | undefined>> = {
  log: (given) => (given < 0 ? `received negative argument ${shown(given)}` : undefined),
  sqrt: (given) => (given < 0 ? `received negative argument ${shown(given)}` : undefined),
  exp: (given, result) =>
    Number.isFinite(given) && (result === 0 || result === Infinity)
      ? `argument ${shown(given)} is out of range`
      : undefined,
}

function shown(value: number): string {
  return `${value < 0 ? '-' : ''}${general(Math.abs(value), 6, false)}`
}

function bitwise(name: string, combine: (one: bigint, other: bigint) => bigint): (...values: number[]) => number {
  return (...values) => {
    const whole = values.map((value) => {
      if (value < 0 || Number.isNaN(value)) {
        throw new AwkFatal(`${name}: argument ${values.indexOf(value) + 1} negative value ${value} is not allowed`)
      }
      return BigInt(Math.trunc(value))
    })
    const [first = 0n, ...rest] = whole
    return precise(rest.length === 0 ? combine(first, 0n) : rest.reduce(combine, first))
  }
}

/** The lowest bits that a number can hold. */
function precise(value: bigint): number {
  if (value === 0n) return 0
  let bits = 53n
  for (let rest = value; (rest & 1n) === 0n; rest >>= 1n) bits += 1n
  return Number(value & ((1n << bits) - 1n))
}

export function compileBuiltin(compiler: Compiler, call: BuiltinCall): Code<Scalar> {
  const { name, args } = call
  const { runtime } = compiler
  const ofNumbers = functionsOfNumbers[name]
  const warning = warnings[name]
  if (ofNumbers !== undefined && warning !== undefined && args[0] !== undefined) {
    return map(compiler.number(args[0]), (value) => {
      const result = ofNumbers(value)
      const message = warning(value, result)
      if (message !== undefined) runtime.warn(call.line, `${name}: ${message}`)
      return result
    })
  }
  if (ofNumbers !== undefined) {
    const [first, second] = args.map((arg) => compiler.number(arg))
    if (first !== undefined && args.length === 1) return map(first, (value) => ofNumbers(value))
    if (first !== undefined && second !== undefined && args.length === 2)
      return map2(first, second, (a, b) => ofNumbers(a, b))
    return map(all(args.map((arg) => compiler.number(arg))), (values) => ofNumbers(...values))
  }
  switch (name) {
    case 'mkbool':
      return map(compiler.test(args[0] as Expr), (value) => new TruthText(value))
    case 'bindtextdomain': {
      const given = all(args.map((arg) => compiler.text(arg)))
      return map(given, ([directory = '']) => {
        if (directory !== '') runtime.textDirectory = directory
        return runtime.textDirectory
      })
    }
    case 'rand':
      return now(() => generator(runtime).fraction())
    case 'srand':
      return seeding(compiler, args)
    case 'systime':
      return now(() => Math.floor(runtime.io.now() / 1000))
    case 'strftime':
    case 'mktime':
      return times(compiler, call)
    case 'asort':
    case 'asorti':
      return sorting(compiler, call)
    case 'isarray':
      return map(kindOf(compiler, args), (kind) => (kind === 'array' ? 1 : 0))
    case 'typeof':
      return kindOf(compiler, args)
    case 'system':
    case 'close':
    case 'fflush':
      return streams(compiler, call)
    default:
      return compileTextBuiltin(compiler, call)
  }
}

function seeding(compiler: Compiler, args: readonly Expr[]): Code<Scalar> {
  const { runtime } = compiler
  const [given] = args
  const seed: Code<number> =
    given === undefined ? now(() => Math.floor(runtime.io.now() / 1000)) : compiler.number(given)
  return map(seed, (value) => {
    const before = runtime.randomSeed
    runtime.randomSeed = value
    generator(runtime).seed(Math.trunc(value))
    return before
  })
}

function times(compiler: Compiler, { name, args }: BuiltinCall): Code<Scalar> {
  const { io, text } = compiler.runtime
  const values = all(args.map((arg) => compiler.value(arg)))
  if (name === 'mktime') {
    return map(values, ([date, utc]) => makeTime(io.env, text(date), toNumber(utc) !== 0))
  }
  return map(values, ([format, time, utc]) => {
    const seconds = args.length > 1 ? toNumber(time) : Math.floor(io.now() / 1000)
    return formatTime(io.env, args.length > 0 ? text(format) : '%a %b %e %H:%M:%S %Z %Y', seconds, toNumber(utc) !== 0)
  })
}

function sorting(compiler: Compiler, { name, args }: BuiltinCall): Code<Scalar> {
  const [from, to, order] = args
  compiler.runtime.loopsOverArrays = true
  const arrays = all([from, to].filter((arg) => arg !== undefined).map((arg) => compiler.arrayArgument(arg, name)))
  const how: Code<string> = order === undefined ? now(() => '') : compiler.text(order)
  return map2(arrays, how, ([source, target = source], given) => {
    const fallback = name === 'asort' ? '@val_type_asc' : '@ind_str_asc'
    if (source === undefined || target === undefined) return 0
    const elements = sortedElements(compiler, source, given === '' ? fallback : given)
    const indexOf = source.indices(compiler.runtime.userText)
    const indices = elements.map(({ key }) => (typeof key === 'number' ? keyText(key) : indexOf(key)))
    target.clear()
    elements.forEach(({ value }, index) => {
      const member: Cell = name === 'asort' ? value : (indices[index] as Scalar)
      target.set(index + 1, member)
    })
    return elements.length
  })
}

/** The kind of a value, without creating or converting anything. */
function kindOf(compiler: Compiler, [arg]: readonly Expr[]): Code<string> {
  if (arg === undefined) return now(() => 'untyped')
  if (arg.kind === 'regex') return now(() => (arg.strong ? 'regexp' : 'number'))
  if (arg.kind === 'element') {
    return map2(compiler.array(arg.array), compiler.key(arg.keys), (array, key) => kind(array.get(key)))
  }
  if (arg.kind === 'field') {
    return map(compiler.value(arg), kind)
  }
  if (arg.kind !== 'name') return map(compiler.value(arg), (value) => kind(value ?? unassigned))
  const place = compiler.place(arg)
  if (place.kind === 'special') return map(compiler.value(arg), kind)
  if (place.kind === 'local') return now((frame) => kind(frame[place.slot]))
  return now(() => kind(compiler.runtime.globals[place.slot]))
}

function kind(value: Cell): string {
  if (value === undefined) return 'untyped'
  if (value instanceof AwkArray) return value.isUsed ? 'array' : 'untyped'
  if (value instanceof RegexText) return 'regexp'
  if (value instanceof TruthText) return 'number|bool'
  if (value instanceof MissingField) return 'unassigned'
  if (value instanceof IndexText) value.becomeText()
  if (typeof value === 'number') return 'number'
  if (value instanceof UserText) return comparesAs(value) === undefined ? 'string' : 'strnum'
  return 'string'
}

function endOf(given: string): 'to' | 'from' {
  const end = given.toLowerCase()
  if (end === 'to' || end === 'from') return end
  throw new AwkFatal("close: second argument must be `to' or `from'")
}

/** In POSIX it is as the kernel gives it, and the first awk divided that by 256. */
function shownStatus(status: number, { posix, traditional }: Dialect): number {
  const signal = status > 128 ? status - 128 : 0
  if (posix) return signal || status * 256
  return traditional && signal > 0 ? signal / 256 : status
}

function streams(compiler: Compiler, { name, args }: BuiltinCall): Code<Scalar> {
  const { runtime } = compiler
  const { redirections } = runtime
  const [first, second] = args
  const given = first && compiler.text(first)
  const end = second && compiler.text(second)
  return later(async (frame) => {
    const text = given && (await ask(given, frame))
    if (runtime.pending !== undefined) await runtime.drain()
    if (name === 'system') return shownStatus(await redirections.system(text ?? ''), runtime.dialect)
    if (name === 'close') {
      const status = (await redirections.close(text ?? '', end && endOf(await ask(end, frame)))) ?? -1
      return runtime.dialect.posix && status !== -1 ? 0 : status
    }
    if (text !== undefined && text !== '') return (await redirections.flush(text)) ? 0 : -1
    await redirections.flushAll()
    return 0
  })
}
