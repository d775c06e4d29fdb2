/** Assignments: to a variable, to a list of them, with an operator, and to parts of text. */
import type { Check, Expr } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { indexOf, isTrue, textOf } from '../values/numbers.js'
import { mostText, operators } from '../values/operators.js'
import { type PerlArray, type PerlHash, Scalar, type Value } from '../values/values.js'
import { checkPair, checkPairs } from './checked.js'
import { all, ask, type Code, later, map, map2, now, type Want } from './code.js'
import { type Compiler, isContainer, takesList } from './compiler.js'
import { replacePart } from './parts.js'
import { declare, localizeAll } from './places.js'

type Assign = Extract<Expr, { kind: 'assign' }>

/** For one value it gives the number of values of a list, as perl does. */
export function assignCode(compiler: Compiler, expr: Assign, want: Want): Code<Value | Value[]> {
  if (expr.operator !== '') return map(assignedCell(compiler, expr), (cell) => cell.value)
  if (takesList(expr.target)) {
    return map(assignList(compiler, expr), ({ count, values }) => (want === 'list' ? values() : count))
  }
  return map(assignedCell(compiler, expr), (cell) => cell.value)
}

/** The variable that was assigned to. */
export function assignedCell(compiler: Compiler, expr: Assign): Code<Scalar> {
  const { target, operator, value } = expr
  if (operator !== '') return assignWith(compiler, expr)
  if (takesList(target)) throw new Unsupported('a list as one variable')
  if (target.kind === 'function') return assignPart(compiler, target, compiler.scalar(value))
  if (target.kind === 'last-index') {
    return map2(compiler.scalar(value), compiler.array(target.of, true), (last, array) => {
      const length = Math.max(0, indexOf(last) + 1)
      if (length < array.cells.length) array.cells.length = length
      else if (length > 0) compiler.runtime.cellAt(array, length - 1)
      return new Scalar(last)
    })
  }
  if (target.kind === 'local' && target.target.kind === 'global' && target.target.name === '.') {
    throw new Unsupported('local $.')
  }
  if (target.kind === 'global' && target.name === '.') return assignLine(compiler, value)
  if (target.kind === 'global' && target.name === '!') throw new Unsupported('assigning to $!')
  const from = compiler.scalar(value)
  const to = compiler.cell(target)
  return map2(from, to, (given, cell) => {
    cell.set(given)
    return cell
  })
}

function assignLine(compiler: Compiler, value: Expr): Code<Scalar> {
  return map(compiler.scalar(value), (given) => {
    if (compiler.runtime.lastRead !== undefined) compiler.runtime.lastRead.count = indexOf(given)
    return new Scalar(given)
  })
}

function assignWith(compiler: Compiler, expr: Assign): Code<Scalar> {
  const { target, operator, value } = expr
  const { runtime } = compiler
  if (takesList(target)) throw new Unsupported(`${operator}= for a list`)
  if (
    target.kind === 'function' ||
    target.kind === 'last-index' ||
    (target.kind === 'global' && '.!'.includes(target.name))
  ) {
    throw new Unsupported(`${operator}= for this`)
  }
  const to = compiler.cell(target)
  const from = compiler.scalar(value)
  if (operator === '||' || operator === '&&' || operator === '//') {
    const test = shortcut(operator)
    if (to.now === undefined || from.now === undefined) {
      return later(async (frame) => {
        const cell = await ask(to, frame)
        if (test(cell.value)) cell.set(await ask(from, frame))
        return cell
      })
    }
    const [place, compute] = [to.now, from.now]
    return now((frame) => {
      const cell = place(frame)
      if (test(cell.value)) cell.set(compute(frame))
      return cell
    })
  }
  if (operator === '.') {
    return map2(to, from, (cell, given) => {
      appendTo(runtime, cell, textOf(given))
      return cell
    })
  }
  const compute = operators[operator]
  if (compute === undefined) throw new Unsupported(`${operator}=`)
  const { checks } = expr
  const check = checks && checkPair(compiler, target, value, checks)
  return map2(to, from, (cell, given, frame) => {
    check?.(frame, cell.value, given)
    cell.set(compute(cell.value, given))
    return cell
  })
}

function shortcut(operator: '&&' | '||' | '//'): (value: Value) => boolean {
  if (operator === '&&') return isTrue
  return operator === '||' ? (value) => !isTrue(value) : (value) => value === undefined
}

const countedFrom = 32_768

function appendTo(runtime: Compiler['runtime'], cell: Scalar & { counted?: number }, added: string): void {
  const text = textOf(cell.value) + added
  if (text.length > mostText) throw new Unsupported('text of this length')
  cell.set(text)
  const counted = cell.counted ?? 0
  if (text.length - counted < countedFrom && counted - text.length < countedFrom) return
  runtime.io.account(text.length - counted)
  cell.counted = text.length
}

/** `substr($x, ...) = ...` and `pos($x) = ...`. */
function assignPart(compiler: Compiler, target: Extract<Expr, { kind: 'function' }>, from: Code<Value>): Code<Scalar> {
  const { runtime } = compiler
  if (target.name === 'pos') {
    return map2(from, compiler.cell(target.args[0] as Expr), (given, cell) => {
      const length = textOf(cell.value).length
      const at = indexOf(given)
      cell.pos = given === undefined ? undefined : Math.max(0, Math.min(length, at < 0 ? at + length : at))
      cell.isEmptyAt = false
      return new Scalar(given)
    })
  }
  if (target.name !== 'substr' || target.args.length > 3) throw new Unsupported(`assigning to ${target.name}`)
  const [of, ...places] = target.args
  return map2(
    all([from, ...places.map((place) => compiler.scalar(place))]),
    compiler.cell(of as Expr),
    ([given, start, length], cell) => {
      replacePart(runtime, cell, start, places.length > 1 ? length : undefined, textOf(given))
      return new Scalar(given)
    },
  )
}

/** Takes what it is to have of the values, and gives where the rest begins. */
type Place = Code<(values: Value[], at: number, taken: Taken[]) => number>

/** What was assigned to gives these values. */
type Taken = Scalar | PerlArray | Map<string, Scalar>

interface Assigned {
  count: number
  /** As the variables have them now. */
  values(): Value[]
}

function assignList(compiler: Compiler, { target, value, checks }: Assign): Code<Assigned> {
  const { before, items } = targetsOf(compiler, target)
  const from = compiler.list(limited(value, items))
  const places = all(items.map((item) => placeOf(compiler, item, checks)))
  const prepared: Code<Value[]> = map2(from, before, (values) => values)
  return map2(prepared, places, (values, setters) => {
    const given = values.slice()
    const taken: Taken[] = []
    let at = 0
    for (const set of setters) at = set(given, at, taken)
    return { count: given.length, values: () => taken.flatMap(valuesOf) }
  })
}

/** `split` for a list of so many variables makes no more parts than one beyond them, and keeps those that are empty. */
function limited(value: Expr, items: readonly Expr[]): Expr {
  if (value.kind !== 'function' || value.name !== 'split' || value.args.length > 2) return value
  if (items.length === 0 || items.some((item) => takesList(item))) return value
  const [by = { kind: 'value', value: ' ' }, of = { kind: 'global', sigil: '$', name: '_' }]: Expr[] = value.args
  return { ...value, args: [by, of, { kind: 'value', value: items.length + 1 }] }
}

function valuesOf(taken: Taken): Value[] {
  if (taken instanceof Scalar) return [taken.value]
  return taken instanceof Map ? [...taken].flatMap(([key, { value }]) => [key, value]) : taken.values()
}

function targetsOf(compiler: Compiler, target: Expr): { before: Code<void>; items: Expr[] } {
  const nothing: Code<void> = now(() => undefined)
  switch (target.kind) {
    case 'list': {
      const parts = target.items.map((item) => targetsOf(compiler, item))
      const before = map(all(parts.map((part) => part.before)), () => undefined)
      return { before, items: parts.flatMap(({ items }) => items) }
    }
    case 'my':
      return { before: now(declare(target.variables)), items: [...target.variables] }
    case 'local': {
      const items = target.target.kind === 'list' ? target.target.items : [target.target]
      return { before: localizeAll(compiler, target.target), items: [...items] }
    }
    default:
      return { before: nothing, items: [target] }
  }
}

function placeOf(compiler: Compiler, item: Expr, checks: Check | undefined): Place {
  const { runtime } = compiler
  if (isContainer(item) && item.sigil === '@') {
    return map(compiler.array(item, true), (array: PerlArray) => (values, at, taken) => {
      const rest = values.slice(at)
      runtime.account(64 * (rest.length - array.cells.length))
      array.cells = rest.map((value) => new Scalar(value))
      taken.push(array)
      return values.length
    })
  }
  if (isContainer(item) && item.sigil === '%') {
    return map(compiler.hash(item, true), (hash: PerlHash) => (values, at, taken) => {
      if (checks !== undefined) checkPairs(runtime, values.slice(at), 'assignment', checks.warns)
      runtime.account(128 * (values.length / 2 - hash.map.size))
      hash.map = new Map()
      hash.left = undefined
      for (let place = at; place < values.length; place += 2) {
        hash.map.set(textOf(values[place]), new Scalar(values[place + 1]))
      }
      taken.push(hash.map)
      return values.length
    })
  }
  if (item.kind === 'slice' || item.kind === 'hash-slice') {
    return map(compiler.cells(item), (cells) => (values, at, taken) => {
      for (const [index, cell] of cells.entries()) cell.set(values[at + index])
      for (const cell of cells) taken.push(cell)
      return at + cells.length
    })
  }
  if (item.kind === 'function' && item.name === 'undef' && item.args.length === 0) {
    return now(() => (values, at, taken) => {
      taken.push(new Scalar(values[at]))
      return at + 1
    })
  }
  if (item.kind === 'condition') throw new Unsupported('a condition in a list that is assigned to')
  return map(compiler.cell(item), (cell) => (values, at, taken) => {
    cell.set(values[at])
    taken.push(cell)
    return at + 1
  })
}
