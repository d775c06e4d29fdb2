/** Expressions to code: for one value, for a list of values, and for the variables themselves. */
import type { Expr } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { indexOf, isTrue, looksLikeNumber, textOf, truth } from '../values/numbers.js'
import { compareNumbers, complement, mostText, negative, nextOf, nextText, operators } from '../values/operators.js'
import { PerlDie } from '../values/perl-die.js'
import { PerlArray, PerlHash, RegexValue, Scalar, type Value } from '../values/values.js'
import { assignCode } from './assign.js'
import { callCode, controlCode, doCode, evalCode, subCode } from './calls.js'
import { checkedValue, checkIncrement, checkPair, checkPairs, definedList } from './checked.js'
import { all, ask, type Code, flattened, later, map, map2, now } from './code.js'
import { type Compiler, isContainer, takesList } from './compiler.js'
import { functionList, functionScalar } from './functions.js'
import { eachItemCode, printCode, readList, readScalar, sortCode, testFile } from './lists.js'
import { matchList, matchScalar, patternText, substituteCode, translateCode } from './matching.js'
import { declare, localizeAll, referenceTo } from './places.js'

export function constant<Result>(value: Result): Code<Result> {
  return { now: () => value }
}

export function scalarOf(compiler: Compiler, expr: Expr): Code<Value> {
  const { runtime } = compiler
  switch (expr.kind) {
    case 'value':
      return constant(expr.value)
    case 'checked':
      return checkedValue(compiler, expr)
    case 'interpolated':
      return joinedText(compiler, expr.parts)
    case 'joined':
      return map(
        expr.checks === undefined ? compiler.list(expr.list) : definedList(compiler, [expr.list], expr.checks),
        (values) => values.map(textOf).join(textOf(runtime.listSeparator.cell.value)),
      )
    case 'lexical':
    case 'global':
    case 'deref':
      return variableValue(compiler, expr)
    case 'element':
      return map2(compiler.array(expr.of, true), compiler.scalar(expr.index), (array, index) =>
        array.get(typeof index === 'number' && Number.isInteger(index) ? index : indexOf(index)),
      )
    case 'hash-element':
      return map2(
        compiler.hash(expr.of, true),
        compiler.scalar(expr.key),
        (hash, key) => hash.map.get(textOf(key))?.value,
      )
    case 'capture':
      return capture(compiler, expr.number)
    case 'special':
      return now(() => special(compiler, expr.name))
    case 'last-index':
      return map(compiler.array(expr.of, false), (array) => array.cells.length - 1)
    case 'my':
    case 'local':
      if (takesList(expr)) {
        const isEmpty = expr.kind === 'my' && !expr.isList
        return map(compiler.list(expr), (values) => (isEmpty ? 0 : values.at(-1)))
      }
      return map(compiler.cell(expr), (cell) => cell.value)
    case 'slice':
    case 'hash-slice':
    case 'pair-slice':
    case 'list-slice':
      return map(compiler.list(expr), (values) => values.at(-1))
    case 'list':
      return lastOf(compiler, expr.items)
    case 'array':
      return map(compiler.list({ kind: 'list', items: expr.items }), (values) => PerlArray.of(values))
    case 'hash':
      return map(compiler.list({ kind: 'list', items: expr.items }), (values) => {
        if (expr.checks !== undefined) checkPairs(runtime, values, 'anonymous', expr.checks.warns)
        return hashFrom(values)
      })
    case 'reference':
      return referenceTo(compiler, expr.of)
    case 'unary':
      return map(compiler.scalar(expr.of), expr.operator === '-' ? negative : complement)
    case 'binary':
      return binaryCode(compiler, expr)
    case 'not':
      return map(compiler.scalar(expr.of), (value) => truth(!isTrue(value)))
    case 'logic':
      return logicCode(compiler, expr)
    case 'condition': {
      const [test, yes, no] = [compiler.scalar(expr.test), compiler.scalar(expr.yes), compiler.scalar(expr.no)]
      if (test.now === undefined || yes.now === undefined || no.now === undefined) {
        return later(async (frame) => ask(isTrue(await ask(test, frame)) ? yes : no, frame))
      }
      const [holds, first, second] = [test.now, yes.now, no.now]
      return now((frame) => (isTrue(holds(frame)) ? first(frame) : second(frame)))
    }
    case 'assign':
      return assignCode(compiler, expr, 'scalar') as Code<Value>
    case 'step':
      return stepCode(compiler, expr)
    case 'range':
      return flipFlop(compiler, expr)
    case 'regex':
      return map(
        patternText(compiler, expr.pattern),
        (source) => new RegexValue(source, sortedFlags(expr.pattern.flags)),
      )
    case 'match':
      return matchScalar(compiler, expr)
    case 'substitute':
      return substituteCode(compiler, expr)
    case 'translate':
      return translateCode(compiler, expr)
    case 'function':
      return functionScalar(compiler, expr)
    case 'print':
      return printCode(compiler, expr)
    case 'each-item':
      return eachItemCode(compiler, expr, 'scalar') as Code<Value>
    case 'sort':
      throw new Unsupported('sort for one value')
    case 'read-line':
      return readScalar(compiler, expr.handle, expr.checks)
    case 'file-test':
      return testFile(compiler, expr.test, expr.of)
    case 'do':
      return doCode(compiler, expr.body, 'scalar') as Code<Value>
    case 'eval':
      return evalCode(compiler, expr.body, 'scalar') as Code<Value>
    case 'call':
    case 'call-value':
      return map(callCode(compiler, expr, 'scalar'), (values) => values.at(-1))
    case 'sub':
    case 'sub-reference':
      return subCode(compiler, expr)
    case 'handle':
      return handleCode(compiler, expr)
    case 'control':
    case 'return':
      return controlCode(compiler, expr) as Code<Value>
    case 'wantarray':
      return now((frame) => truth(frame.want === 'list'))
  }
}

function handleCode(compiler: Compiler, { handle }: Extract<Expr, { kind: 'handle' }>): Code<Value> {
  if (handle.kind === 'named') return constant(handle.name)
  return compiler.scalar(handle.value)
}

export function listOf(compiler: Compiler, expr: Expr): Code<Value[]> {
  switch (expr.kind) {
    case 'list':
      return listItems(compiler, expr.items)
    case 'lexical':
    case 'global':
    case 'deref':
      if (expr.sigil === '@') return map(compiler.array(expr, false), (array) => array.values())
      if (expr.sigil === '%') return map(compiler.hash(expr, false), pairsOf)
      break
    case 'my': {
      const made = declare(expr.variables)
      const scalars = expr.variables.filter(({ sigil }) => sigil === '$')
      return now((frame) => {
        made(frame)
        return scalars.map(() => undefined)
      })
    }
    case 'local':
      if (takesList(expr)) return map(localizeAll(compiler, expr.target), () => [])
      break
    case 'slice':
      return map2(compiler.array(expr.of, false), compiler.list(expr.list), (array, places) =>
        places.map((place) => array.get(indexOf(place))),
      )
    case 'hash-slice':
      return map2(compiler.hash(expr.of, false), compiler.list(expr.list), (hash, keys) =>
        keys.map((key) => hash.map.get(textOf(key))?.value),
      )
    case 'pair-slice':
      return map2(compiler.hash(expr.of, false), compiler.list(expr.list), (hash, keys) =>
        keys.flatMap((key) => [key, hash.map.get(textOf(key))?.value]),
      )
    case 'list-slice':
      return map2(compiler.list(expr.from), compiler.list(expr.list), (values, places) => {
        if (values.length === 0) return []
        return places.map((place) => {
          const at = indexOf(place)
          return values[at < 0 ? at + values.length : at]
        })
      })
    case 'range':
      return map2(compiler.scalar(expr.left), compiler.scalar(expr.right), (left, right) =>
        rangeOf(compiler, left, right),
      )
    case 'condition': {
      const [test, yes, no] = [compiler.scalar(expr.test), compiler.list(expr.yes), compiler.list(expr.no)]
      if (test.now === undefined || yes.now === undefined || no.now === undefined) {
        return later(async (frame) => ask(isTrue(await ask(test, frame)) ? yes : no, frame))
      }
      const [holds, first, second] = [test.now, yes.now, no.now]
      return now((frame) => (isTrue(holds(frame)) ? first(frame) : second(frame)))
    }
    case 'logic':
      return logicList(compiler, expr)
    case 'assign':
      if (takesList(expr.target)) return assignCode(compiler, expr, 'list') as Code<Value[]>
      break
    case 'binary':
      if (expr.operator === 'x' && expr.left.kind === 'list') return repeatedList(compiler, expr)
      break
    case 'match':
      if (!expr.isNegated) return matchList(compiler, expr)
      break
    case 'function': {
      const code = functionList(compiler, expr)
      if (code !== undefined) return code
      break
    }
    case 'each-item':
      if (expr.name === 'map' || expr.name === 'grep') return eachItemCode(compiler, expr, 'list') as Code<Value[]>
      break
    case 'sort':
      return sortCode(compiler, expr)
    case 'read-line':
      return readList(compiler, expr.handle, expr.checks)
    case 'do':
      return doCode(compiler, expr.body, 'list') as Code<Value[]>
    case 'eval':
      return evalCode(compiler, expr.body, 'list') as Code<Value[]>
    case 'call':
    case 'call-value':
      return callCode(compiler, expr, 'list')
    case 'control':
    case 'return':
      return controlCode(compiler, expr) as Code<Value[]>
    case 'reference':
      if (expr.of.kind === 'list' && expr.of.items.length !== 1) {
        return all(expr.of.items.map((of) => referenceTo(compiler, of)))
      }
      break
  }
  return map(compiler.scalar(expr), (value) => [value])
}

function listItems(compiler: Compiler, items: readonly Expr[]): Code<Value[]> {
  const [first] = items
  if (first !== undefined && items.length === 1) return compiler.list(first)
  return map(all(items.map((item) => compiler.list(item))), flattened)
}

/** The variables of a list, where there are some. */
export function cellsOf(compiler: Compiler, expr: Expr): Code<Scalar[]> {
  switch (expr.kind) {
    case 'list':
      return map(all(expr.items.map((item) => compiler.cells(item))), (lists) => lists.flat())
    case 'lexical':
    case 'global':
    case 'deref':
      if (expr.sigil === '@') return map(compiler.array(expr, true), (array) => [...array.allCells()])
      if (expr.sigil === '%') {
        return map(compiler.hash(expr, true), (hash) => [...hash.map].flatMap(([key, cell]) => [new Scalar(key), cell]))
      }
      return map(compiler.cell(expr), (cell) => [cell])
    case 'element':
    case 'hash-element':
    case 'checked':
      return map(compiler.cell(expr), (cell) => [cell])
    case 'slice':
      return map2(compiler.array(expr.of, true), compiler.list(expr.list), (array, places) =>
        places.map((place) => compiler.runtime.cellAt(array, indexOf(place)) ?? new Scalar()),
      )
    case 'hash-slice':
      return map2(compiler.hash(expr.of, true), compiler.list(expr.list), (hash, keys) =>
        keys.map((key) => hash.cell(textOf(key))),
      )
    case 'my':
      if (expr.variables.every(({ sigil }) => sigil === '$')) {
        const made = declare(expr.variables)
        const cells = all(expr.variables.map((variable) => compiler.cell(variable)))
        return now((frame) => {
          made(frame)
          return (cells.now as (given: typeof frame) => Scalar[])(frame)
        })
      }
      break
    case 'assign': {
      if (!takesList(expr.target)) return map(compiler.cell(expr), (cell) => [cell])
      const target = withoutDeclaring(expr.target)
      return map2(
        assignCode(compiler, expr, 'list') as Code<Value[]>,
        now((frame) => frame),
        (_, frame) => {
          const cells = compiler.cells(target)
          if (cells.now === undefined) throw new Unsupported('this assignment')
          return cells.now(frame)
        },
      )
    }
    case 'function':
      if (
        expr.name === 'values' &&
        expr.args[0] !== undefined &&
        isContainer(expr.args[0]) &&
        expr.args[0].sigil === '%'
      ) {
        return map(compiler.hash(expr.args[0], true), (hash) => [...hash.map.values()])
      }
      break
    case 'each-item':
      if (expr.name === 'grep') return eachItemCode(compiler, expr, 'cells') as Code<Scalar[]>
      break
  }
  return map(compiler.list(expr), (values) => values.map((value) => new Scalar(value)))
}

/** After a declaration has made its variables: those alone. */
export function withoutDeclaring(target: Expr): Expr {
  if (target.kind === 'my') {
    return target.isList ? { kind: 'list', items: target.variables } : (target.variables[0] as Expr)
  }
  if (target.kind === 'local') return target.target
  return target
}

function joinedText(compiler: Compiler, parts: readonly Expr[]): Code<Value> {
  const codes = parts.map((part) => compiler.scalar(part))
  const [first, second] = codes
  if (first === undefined) return constant('')
  if (second === undefined) return map(first, textOf)
  if (codes.length === 2) return map2(first, second, (one, two) => textOf(one) + textOf(two))
  return map(all(codes), (values) => {
    let text = ''
    for (const value of values) text += typeof value === 'string' ? value : textOf(value)
    return text
  })
}

function variableValue(compiler: Compiler, expr: Extract<Expr, { kind: 'lexical' | 'global' | 'deref' }>): Code<Value> {
  const { runtime } = compiler
  if (expr.sigil === '@') return map(compiler.array(expr, false), (array) => array.cells.length)
  if (expr.sigil === '%') return map(compiler.hash(expr, false), (hash) => hash.map.size)
  if (expr.kind === 'lexical') {
    const { slot } = expr
    return now((frame) => (frame.cells[slot] as Scalar | undefined)?.value)
  }
  if (expr.kind === 'global') {
    if (expr.name === '.') return now(() => runtime.lastRead?.count)
    const global = runtime.scalar(expr.name)
    return now(() => global.cell.value)
  }
  return map(compiler.scalar(expr.of), (value) => {
    if (value instanceof Scalar) return value.value
    if (value === undefined) return runtime.die("Can't use an undefined value as a SCALAR reference")
    if (typeof value === 'object') return runtime.die('Not a SCALAR reference')
    throw new Unsupported('text as a reference')
  })
}

function capture({ runtime }: Compiler, number: number): Code<Value> {
  return now(() => {
    const last = runtime.lastMatch
    const span = last?.match.groups[number - 1]
    return last === undefined || span === undefined ? undefined : last.text.slice(span[0], span[1])
  })
}

function special({ runtime }: Compiler, name: string): Value {
  const last = runtime.lastMatch
  if (last === undefined) return undefined
  const { start, end } = last.match
  if (name === '&') return last.text.slice(start, end)
  return name === '`' ? last.text.slice(0, start) : last.text.slice(end)
}

/** The comma of perl: all are computed, the last one counts. */
function lastOf(compiler: Compiler, items: readonly Expr[]): Code<Value> {
  const last = items.at(-1)
  if (last === undefined) return constant(undefined)
  if (items.length === 1) return compiler.scalar(last)
  return map(all(items.map((item) => compiler.scalar(item))), (values) => values.at(-1))
}

export function pairsOf(hash: PerlHash): Value[] {
  const pairs: Value[] = []
  for (const [key, cell] of hash.map) pairs.push(key, cell.value)
  return pairs
}

export function hashFrom(values: readonly Value[]): PerlHash {
  const hash = new PerlHash()
  for (let at = 0; at < values.length; at += 2) hash.map.set(textOf(values[at]), new Scalar(values[at + 1]))
  return hash
}

function sortedFlags(flags: string): string {
  return [...'msix'].filter((letter) => flags.includes(letter)).join('')
}

function binaryCode(compiler: Compiler, expr: Extract<Expr, { kind: 'binary' }>): Code<Value> {
  const { runtime } = compiler
  const compute = operators[expr.operator]
  if (compute === undefined) throw new Unsupported(`the operator ${expr.operator}`)
  const left = compiler.scalar(expr.left)
  const right = compiler.scalar(expr.right)
  if (expr.checks !== undefined) {
    const check = checkPair(compiler, expr.left, expr.right, expr.checks)
    return map2(left, right, (one, two, frame) => {
      check(frame, one, two)
      return compute(one, two)
    })
  }
  if (expr.operator === '.') {
    return map2(left, right, (one, two) => {
      const text = textOf(one) + textOf(two)
      if (text.length > mostText) throw new Unsupported('text of this length')
      return text
    })
  }
  if (expr.operator === 'x') {
    return map2(left, right, (one, two) => {
      const text = compute(one, two)
      if (typeof text === 'string' && text.length > 65536) runtime.io.account(text.length)
      return text
    })
  }
  if (expr.operator === '==') return map2(left, right, (one, two) => truth(compareNumbers(one, two) === 0))
  return map2(left, right, compute)
}

function logicCode(compiler: Compiler, { operator, left, right }: Extract<Expr, { kind: 'logic' }>): Code<Value> {
  const [one, two] = [compiler.scalar(left), compiler.scalar(right)]
  const goesOn = logicTest(operator)
  if (one.now === undefined || two.now === undefined) {
    return later(async (frame) => {
      const value = await ask(one, frame)
      return goesOn(value) ? ask(two, frame) : value
    })
  }
  const [first, second] = [one.now, two.now]
  return now((frame) => {
    const value = first(frame)
    return goesOn(value) ? second(frame) : value
  })
}

function logicList(compiler: Compiler, { operator, left, right }: Extract<Expr, { kind: 'logic' }>): Code<Value[]> {
  const [one, two] = [compiler.scalar(left), compiler.list(right)]
  const goesOn = logicTest(operator)
  if (one.now === undefined || two.now === undefined) {
    return later(async (frame) => {
      const value = await ask(one, frame)
      return goesOn(value) ? ask(two, frame) : [value]
    })
  }
  const [first, second] = [one.now, two.now]
  return now((frame) => {
    const value = first(frame)
    return goesOn(value) ? second(frame) : [value]
  })
}

export function logicTest(operator: '&&' | '||' | '//'): (value: Value) => boolean {
  if (operator === '&&') return isTrue
  return operator === '||' ? (value) => !isTrue(value) : (value) => value === undefined
}

function stepCode(compiler: Compiler, { by, isPrefix, target, checks }: Extract<Expr, { kind: 'step' }>): Code<Value> {
  const { runtime } = compiler
  const add = operators['+'] as (left: Value, right: Value) => Value
  return map(compiler.cell(target), (cell) => {
    const { value } = cell
    if (typeof value === 'number' && value < 1e14 && value > -1e14) {
      cell.set(value + by)
      return isPrefix ? value + by : value
    }
    if (checks !== undefined && by === 1 && typeof value === 'string') {
      checkIncrement(runtime, value, isPrefix, checks.warns)
    }
    if (by === 1) cell.set(nextOf(value))
    else cell.set(add(value, -1))
    if (isPrefix) return cell.value
    if (value === undefined) return by === 1 ? 0 : undefined
    return value
  })
}

/** `..` between two values of a list. */
function rangeOf({ runtime }: Compiler, left: Value, right: Value): Value[] {
  const result: Value[] = []
  const isNumeric = (value: Value) => value === undefined || looksLikeNumber(value)
  if (typeof left === 'string' && !(isNumeric(left) && !left.startsWith('0') && isNumeric(right))) {
    const [first, last] = [left, textOf(right)]
    if (!/^[A-Za-z]*[0-9]*$/.test(first)) return [first]
    for (let current = first; ; current = nextText(current)) {
      if (current.length > last.length) break
      result.push(current)
      runtime.account(64)
      runtime.io.step()
      if (current === last) break
    }
    return result
  }
  const [from, to] = [indexOf(left), indexOf(right)]
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to))
    throw new PerlDie('Range iterator outside integer range')
  if (to - from > 100_000) runtime.io.account(16 * (to - from))
  for (let value = from; value <= to; value += 1) result.push(value)
  return result
}

/** `..` as a condition: true from where the left one holds to where the right one does. */
function flipFlop(compiler: Compiler, expr: Extract<Expr, { kind: 'range' }>): Code<Value> {
  const { state, isThreeDots } = expr
  const side = (of: Expr) => {
    if (of.kind === 'value' && typeof of.value === 'number') {
      const { value } = of
      return compiler.scalar({
        kind: 'binary',
        operator: '==',
        left: { kind: 'global', sigil: '$', name: '.' },
        right: { kind: 'value', value },
        line: 0,
      })
    }
    return compiler.scalar(of)
  }
  const [left, right] = [side(expr.left), side(expr.right)]
  if (left.now === undefined || right.now === undefined) throw new Unsupported('reading in the operator ..')
  const [begins, ends] = [left.now, right.now]
  return now((frame) => {
    if (!state.isOn) {
      if (!isTrue(begins(frame))) return ''
      state.isOn = true
      state.count = 1
      if (isThreeDots) return 1
    } else state.count += 1
    const { count } = state
    if (!isTrue(ends(frame))) return count
    state.isOn = false
    return `${count}E0`
  })
}

function repeatedList(compiler: Compiler, expr: Extract<Expr, { kind: 'binary' }>): Code<Value[]> {
  const { runtime } = compiler
  return map2(compiler.list(expr.left), compiler.scalar(expr.right), (values, times) => {
    const count = Math.max(0, indexOf(times))
    if (values.length * count > 1000) runtime.io.account(64 * values.length * count)
    const result: Value[] = []
    for (let turn = 0; turn < count; turn += 1) for (const value of values) result.push(value)
    return result
  })
}
