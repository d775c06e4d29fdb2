/** Warnings of a run: of undefined values, and of text that is no number, with the names that perl gives them. */
import type { Runtime } from '../run/runtime.js'
import type { Check, Expr } from '../syntax/ast.js'
import { isOn, type Warnings } from '../syntax/categories.js'
import { Unsupported } from '../syntax/perl-error.js'
import { formatText } from '../values/format.js'
import { indexOf, looksLikeNumber, plainNumber, textOf } from '../values/numbers.js'
import { Both, type Scalar, type Value } from '../values/values.js'
import { someIn } from './analysis.js'
import { all, type Code, type Frame, map, map2, now } from './code.js'
import { type Compiler, isContainer } from './compiler.js'

/** The variable that a value came from, or an empty text; undefined where perl's name for it is not known here. */
export type Namer = (frame: Frame, offset: number) => string | undefined

export type Checker = (frame: Frame, value: Value, offset?: number) => void

type Checked = Extract<Expr, { kind: 'checked' }>

export function checkedValue(compiler: Compiler, expr: Checked): Code<Value> {
  const check = checkerOf(compiler, expr.of, expr.as, expr)
  const isCount = expr.as === 'number' && expr.in === 'repeat (x)'
  return map(compiler.scalar(expr.of), (value, frame) => {
    if (value === undefined || typeof value === 'string') check(frame, value)
    if (isCount && indexOf(value) < 0)
      warnOf(compiler.runtime, expr.warns, 'numeric', 'Negative repeat count does nothing')
    return value
  })
}

export function checkedCell(compiler: Compiler, expr: Checked): Code<Scalar> {
  const check = checkerOf(compiler, expr.of, expr.as, expr)
  return map(compiler.cell(expr.of), (cell, frame) => {
    check(frame, cell.value)
    return cell
  })
}

/** Operators on numbers look at the right one first. */
export function checkPair(
  compiler: Compiler,
  left: Expr,
  right: Expr,
  { isOnly, startsEmpty = false, ...rest }: Check,
): (frame: Frame, one: Value, two: Value) => void {
  const checkRight = checkerOf(compiler, right, 'number', { ...rest, isOnly })
  const checkLeft = checkerOf(compiler, left, rest.in.startsWith('repeat') ? 'text' : 'number', { ...rest, isOnly })
  const isSame = isSameVariable(left, right)
  const isTextFirst = rest.in.startsWith('bitwise') || rest.in.startsWith('repeat')
  return (frame, one, two) => {
    if (!isTextFirst) checkRight(frame, two)
    // A variable with itself is converted once.
    if (isSame && typeof one === 'string') return
    if (one !== undefined || !startsEmpty) checkLeft(frame, one)
    if (isTextFirst) checkRight(frame, two)
  }
}

/** `++` of text that is no number, and not of letters and digits. */
export function checkIncrement(runtime: Runtime, value: string, isPrefix: boolean, warns: Warnings): void {
  if (value === '' || isNumeric(value) || /^[A-Za-z]*[0-9]*$/.test(value) || !isOn(warns, 'numeric')) return
  // Texts that begin like `inf` and `nan` have another message.
  if (/^[-+]?(?:[insq]|$)/i.test(value)) throw new Unsupported('the warning of ++ on such text')
  notNumeric(runtime, value, `${isPrefix ? 'pre' : 'post'}increment (++)`)
}

function isSameVariable(left: Expr, right: Expr): boolean {
  if (left.kind === 'lexical' && right.kind === 'lexical') return left.slot === right.slot
  return left.kind === 'global' && right.kind === 'global' && left.name === right.name
}

export function checkerOf(
  compiler: Compiler,
  of: Expr,
  as: 'text' | 'number',
  { in: place, isOnly, warns }: Omit<Check, 'isOnly'> & { isOnly: boolean | undefined },
): Checker {
  const { runtime } = compiler
  const nameOf: Namer = isOnly === undefined ? () => '' : namerOf(compiler, of, isOnly)
  const [onUndefined, onText] = [isOn(warns, 'uninitialized'), as === 'number' && isOn(warns, 'numeric')]
  const cell = onText && isVariable(of) ? compiler.cell(of).now : undefined
  let warned: string | undefined
  return (frame, value, offset = 0) => {
    if (value === undefined) {
      if (onUndefined) uninitialized(runtime, nameOf(frame, offset), place)
      return
    }
    if (!onText || typeof value !== 'string' || isNumeric(value)) return
    if (place === 'negation (-)' && /^[-+]?[A-Za-z_]/.test(value)) return
    // A constant is converted once.
    if (of.kind === 'value' && warned === value) return
    warned = value
    notNumeric(runtime, value, place)
    const kept = cell?.(frame)
    if (kept?.value === value) kept.value = new Both(value, plainNumber(value))
  }
}

export function isNumeric(text: string): boolean {
  return looksLikeNumber(text) || text === '0 but true'
}

function report(runtime: Runtime, text: string): void {
  if (runtime.isSorting) throw new Unsupported('a warning while sorting')
  runtime.warn(`${text} at ${runtime.place(runtime.lineNow)}.\n`)
}

export function warnOf(runtime: Runtime, warns: Warnings, category: string, text: string): void {
  if (isOn(warns, category)) report(runtime, text)
}

export function uninitialized(runtime: Runtime, name: string | undefined, place: string): void {
  if (name === undefined) throw new Unsupported(`the warning of an uninitialized value in ${place}`)
  report(runtime, `Use of uninitialized value${name === '' ? '' : ` ${name}`} in ${place}`)
}

export function notNumeric(runtime: Runtime, text: string, place: string): void {
  report(runtime, `Argument "${shown(text)}" isn't numeric in ${place}`)
}

const longestShown = 56
const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\f': '\\f', '\\': '\\\\', '\0': '\\0' }

function shown(text: string): string {
  let result = ''
  for (const letter of text) {
    if (result.length >= longestShown) return `${result}...`
    const code = letter.charCodeAt(0)
    if (code > 126) throw new Unsupported('the warning of text that is no number with such a character')
    result += escapes[letter] ?? (code < 32 ? `^${String.fromCharCode(code ^ 64)}` : letter)
  }
  return result
}

function isVariable(of: Expr): boolean {
  return isContainer(of)
    ? of.kind !== 'deref'
    : of.kind === 'element' && of.of.kind !== 'deref' && of.index.kind === 'value'
}

/** Without `isOnly` a value has the name of a place only where it is there. */
export function namerOf(compiler: Compiler, given: Expr, isOnly: boolean): Namer {
  const of = given.kind === 'checked' ? given.of : given
  switch (of.kind) {
    case 'lexical':
    case 'global':
      if (of.sigil === '$') return () => `$${of.name}`
      return elementsOf(compiler, of)
    case 'my':
      return () => `$${of.variables[0]?.name}`
    case 'local':
    case 'reference':
      return () => undefined
    case 'deref':
    case 'call':
    case 'call-value':
    case 'value':
    case 'read-line':
    case 'list-slice':
    case 'array':
      return () => ''
    case 'each-item':
      return () => (of.name === 'map' ? '' : undefined)
    case 'capture':
      return () => `$${of.number}`
    case 'special':
      return () => `$${of.name}`
    case 'list':
      return of.items.length === 1 ? namerOf(compiler, of.items[0] as Expr, isOnly) : () => undefined
    case 'assign':
      return namerOf(compiler, of.target, isOnly)
    case 'element':
    case 'hash-element':
      return of.of.kind === 'deref' ? () => '' : elementName(compiler, of, isOnly)
    case 'slice':
    case 'hash-slice':
      return sliceName(compiler, of)
    case 'function':
      return functionName(compiler, of, isOnly)
  }
  return () => undefined
}

function functionName(compiler: Compiler, of: Extract<Expr, { kind: 'function' }>, isOnly: boolean): Namer {
  const [array] = of.args
  if ((of.name === 'shift' || of.name === 'pop') && array !== undefined) {
    if (!isOnly || array.kind === 'deref') return () => ''
    if (isContainer(array)) return () => `within @${array.name}`
  }
  if (of.name === 'undef' && array === undefined) return () => ''
  if (of.name === 'length' && array !== undefined) return namerOf(compiler, array, isOnly)
  return () => undefined
}

function sliceName(compiler: Compiler, expr: Extract<Expr, { kind: 'slice' | 'hash-slice' }>): Namer {
  const { of } = expr
  if (of.kind === 'deref') return () => ''
  const list = isRepeatable(expr.list) ? compiler.list(expr.list).now : undefined
  if (list === undefined) return () => undefined
  const [array, hash] = [compiler.array(of, false).now, compiler.hash(of, false).now]
  return (frame, offset) => {
    const key = list(frame)[offset]
    if (expr.kind === 'hash-slice') {
      const text = textOf(key)
      return hash?.(frame).map.has(text) ? `$${of.name}{${quoted(text)}}` : ''
    }
    return array?.(frame).cells[indexOf(key)] === undefined ? '' : `$${of.name}[${indexOf(key)}]`
  }
}

/** An array or hash as a list: elements that are there. */
function elementsOf(compiler: Compiler, of: Extract<Expr, { kind: 'lexical' | 'global' }>): Namer {
  if (of.sigil === '@') {
    const array = compiler.array(of, false).now
    return (frame, offset) => (array?.(frame).cells[offset] === undefined ? '' : `$${of.name}[${offset}]`)
  }
  const hash = compiler.hash(of, false).now
  return (frame, offset) => {
    const key = hash === undefined ? undefined : [...hash(frame).map.keys()][offset >> 1]
    return key === undefined ? '' : `$${of.name}{${quoted(key)}}`
  }
}

function elementName(
  compiler: Compiler,
  expr: Extract<Expr, { kind: 'element' | 'hash-element' }>,
  isOnly: boolean,
): Namer {
  const { of } = expr
  if (of.kind === 'deref') return () => ''
  const given = expr.kind === 'element' ? expr.index : expr.key
  const index = given.kind === 'checked' ? given.of : given
  const key = isRepeatable(index) ? compiler.scalar(index).now : undefined
  if (key === undefined) return () => undefined
  const isSimple = index.kind === 'value' || isContainer(index) || isNegatedNumber(index)
  const sign = expr.kind === 'element' ? '@' : '%'
  const array = sign === '@' ? compiler.array(of, false).now : undefined
  const hash = sign === '%' ? compiler.hash(of, false).now : undefined
  return (frame) => {
    const value = key(frame)
    const cells = array?.(frame).cells
    const at = indexOf(value)
    const isThere =
      cells === undefined ? hash?.(frame).map.has(textOf(value)) : cells[at < 0 ? at + cells.length : at] !== undefined
    if (isThere !== true && !isOnly) return ''
    if (isThere !== true && !isSimple) return `within ${sign}${of.name}`
    return sign === '@' ? `$${of.name}[${at}]` : `$${of.name}{${quoted(textOf(value))}}`
  }
}

function isNegatedNumber(expr: Expr): boolean {
  return expr.kind === 'unary' && expr.operator === '-' && expr.of.kind === 'value'
}

const repeatable = new Set(
  [
    'value',
    'interpolated',
    'joined',
    'lexical',
    'global',
    'deref',
    'element',
    'hash-element',
    'capture',
    'special',
  ].concat(['checked', 'binary', 'unary', 'last-index', 'list']),
)
const repeatableFunctions = new Set(['lc', 'uc', 'lcfirst', 'ucfirst', 'length', 'int', 'abs', 'substr', 'join'])

/** Whether it gives the same again, and changes nothing. */
function isRepeatable(expr: Expr): boolean {
  return !someIn(
    expr,
    ({ kind, name = '' }) =>
      kind !== undefined && !repeatable.has(kind) && !(kind === 'function' && repeatableFunctions.has(name)),
  )
}

const longestKey = 32
const controls: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\x07': '\\a',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
}

function quoted(key: string): string {
  let result = ''
  for (const letter of key) {
    if (!/[ -~]/.test(letter) && controls[letter] === undefined)
      throw new Unsupported('the name of a key with such a character')
    const next = controls[letter] ?? letter
    if (result.length + next.length > longestKey) return `"${result}"...`
    result += next
  }
  return `"${result}"`
}

/** Values of a list, with the names of those that perl names. */
export interface NamedList {
  values: Value[]
  name(at: number): string | undefined
}

export function namedList(compiler: Compiler, items: readonly Expr[], isOnly: boolean): Code<NamedList> {
  const namers = items.map((item) => namerOf(compiler, item, isOnly))
  const frameOf = now((frame) => frame)
  return map2(all(items.map((item) => compiler.list(item))), frameOf, (lists, frame) => ({
    values: lists.flat(),
    name(at) {
      let rest = at
      for (const [index, list] of lists.entries()) {
        if (rest < list.length) return namers[index]?.(frame, rest)
        rest -= list.length
      }
      return ''
    },
  }))
}

/** The same list, after warnings of what is undefined in it. */
export function definedList(compiler: Compiler, items: readonly Expr[], check: Check): Code<Value[]> {
  const { runtime } = compiler
  const isSilent = !isOn(check.warns, 'uninitialized')
  return map(namedList(compiler, items, check.isOnly), ({ values, name }) => {
    if (isSilent) return values
    for (const [at, value] of values.entries()) if (value === undefined) uninitialized(runtime, name(at), check.in)
    return values
  })
}

export function checkedFormat(runtime: Runtime, { values, name }: NamedList, { in: place, warns }: Check): string {
  const warned = new Set<number>()
  return formatText(values, {
    taken(at, as) {
      const value = values[at]
      if (at >= values.length) warnOf(runtime, warns, 'missing', `Missing argument in ${place}`)
      else if (value === undefined) {
        if (isOn(warns, 'uninitialized')) uninitialized(runtime, name(at), place)
      } else if (as === 'number' && typeof value === 'string' && !isNumeric(value) && !warned.has(at)) {
        warned.add(at)
        if (isOn(warns, 'numeric')) notNumeric(runtime, value, place)
      }
    },
    left() {
      warnOf(runtime, warns, 'redundant', `Redundant argument in ${place}`)
    },
  })
}

/** Of a list for a hash: pairs are wanted. */
export function checkPairs(
  runtime: Runtime,
  values: readonly Value[],
  where: 'assignment' | 'anonymous',
  warns: Warnings,
): void {
  if (values.length % 2 === 0) return
  const [only] = values
  const isReference = where === 'assignment' && values.length === 1 && /^(?:ARRAY|HASH)\(/.test(textOf(only))
  const what = where === 'anonymous' ? 'anonymous hash' : 'hash assignment'
  warnOf(
    runtime,
    warns,
    'misc',
    isReference ? 'Reference found where even-sized list expected' : `Odd number of elements in ${what}`,
  )
}
