/** `[[ … ]]` */
import { joinedText } from '../../io/byte-text.js'
import { ArithmeticFault } from '../arithmetic/expression.js'
import { shoptNames } from '../run/state/options.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { byBytes } from '../run/state/variables.js'
import type { Test } from '../syntax/ast.js'
import { calculateRaw } from './arithmetic.js'
import { expandName, expandPattern, expandText } from './expand-word.js'
import { compareFiles, testFile } from './file-tests.js'
import { inCharacters, segmentsInCharacters } from './locale.js'
import { matchesPattern } from './parameter-operations.js'
import { literal, matchRegex, RegexFault } from './regex.js'
import type { Segment } from './sinks.js'
import {
  assignList,
  ElementFault,
  findVariable,
  readAll,
  readElement,
  resolveReference,
  targetOf,
} from './variable-access.js'

type Trace = (text: string) => Steps<void>

/** The status: 0 when it holds, 1 when not, 2 when it is wrong. */
export function* evaluateCondition(shell: Shell, test: Test, trace: Trace): Steps<number> {
  try {
    return (yield* holds(shell, test, trace)) ? 0 : 1
  } catch (error) {
    if (error instanceof RegexFault) return 2
    if (!(error instanceof ArithmeticFault)) throw error
    yield* shell.report(`[[: ${error.message}`)
    return 1
  }
}

function* holds(shell: Shell, test: Test, trace: Trace): Steps<boolean> {
  switch (test.type) {
    case 'not': {
      const { test: inner } = test
      const isTerm = inner.type === 'unary' || inner.type === 'binary'
      return !(yield* holds(shell, inner, isTerm ? (text) => trace(`! ${text}`) : trace))
    }
    case 'and':
      return (yield* holds(shell, test.left, trace)) && (yield* holds(shell, test.right, trace))
    case 'or':
      return (yield* holds(shell, test.left, trace)) || (yield* holds(shell, test.right, trace))
    case 'unary': {
      const expand = test.operator === '-v' ? expandName : expandText
      const operand = yield* expand(shell, test.operand)
      if (shell.options.xtrace) yield* trace(`${test.operator} ${operand || "''"}`)
      return yield* testUnary(shell, test.operator, operand)
    }
    case 'binary':
      return yield* testBinary(shell, test, trace)
  }
}

export function* testUnary(shell: Shell, operator: string, operand: string): Steps<boolean> {
  switch (operator) {
    case '-z':
      return operand === ''
    case '-n':
      return operand !== ''
    case '-v':
      return isSet(shell, operand)
    case '-R':
      return shell.variables.get(operand)?.reference === true
    case '-o':
      return !shoptNames.includes(operand) && shell.options.has(operand)
    default:
      return yield* testFile(shell.files, operator.slice(1), operand)
  }
}

function isSet(shell: Shell, text: string): boolean {
  if (/^[0-9]+$/.test(text)) return text === '0' || Number(text) <= shell.positional.length
  const target = targetOf(shell, text)
  if (target === undefined) return false
  const { name, subscript: inner } = resolveReference(shell, target.name)
  const subscript = target.subscript ?? inner
  // A reference to an element is not looked at.
  if (inner !== undefined && target.subscript === undefined && inner !== '@' && inner !== '*') return false
  const variable = findVariable(shell, name)
  if (variable?.map === undefined && (subscript === '@' || subscript === '*')) return readAll(shell, name).length > 0
  if (subscript !== undefined) return hasElement(shell, name, subscript)
  if (variable === undefined) return false
  if (variable.list !== undefined) return variable.list.get(0) !== undefined
  if (variable.map !== undefined) return variable.map.has('0')
  return variable.text !== undefined
}

function hasElement(shell: Shell, name: string, subscript: string): boolean {
  try {
    return readElement(shell, name, subscript) !== undefined
  } catch (error) {
    if (!(error instanceof ElementFault)) throw error
    shell.warn(`${name}: bad array subscript`)
    return false
  }
}

/** With backslashes before what was quoted. */
function shownPattern(segments: readonly Segment[], isRegex: boolean): string {
  const texts = segments.map(({ text, quoted }) =>
    !quoted ? text : isRegex ? literal(text) : text.replace(/./gsu, '\\$&'),
  )
  return texts.join('') || "''"
}

const comparisons: Readonly<Record<string, (left: number | bigint, right: number | bigint) => boolean>> = {
  '-eq': (left, right) => left === right,
  '-ne': (left, right) => left !== right,
  '-lt': (left, right) => left < right,
  '-le': (left, right) => left <= right,
  '-gt': (left, right) => left > right,
  '-ge': (left, right) => left >= right,
}

function* testBinary(shell: Shell, test: Extract<Test, { type: 'binary' }>, trace: Trace): Steps<boolean> {
  const { operator } = test
  const left = yield* expandText(shell, test.left)
  if (operator === '=~' || operator === '==' || operator === '=' || operator === '!=') {
    const segments = yield* expandPattern(shell, test.right)
    if (shell.options.xtrace) yield* trace(`${left || "''"} ${operator} ${shownPattern(segments, operator === '=~')}`)
    if (operator === '=~') {
      const found = matchRegex(
        inCharacters(shell, left),
        segmentsInCharacters(shell, segments),
        shell.options.has('nocasematch'),
      )
      assignList(shell, 'BASH_REMATCH', (found ?? []).map(joinedText))
      return found !== undefined
    }
    return matchesPattern(shell, left, segments, true) === (operator !== '!=')
  }
  const right = yield* expandText(shell, test.right)
  if (shell.options.xtrace) yield* trace(`${left || "''"} ${operator} ${right || "''"}`)
  if (operator === '<') return byBytes(left, right) < 0
  if (operator === '>') return byBytes(left, right) > 0
  const compare = comparisons[operator]
  if (compare !== undefined) return compare(calculateRaw(shell, left), calculateRaw(shell, right))
  return yield* compareFiles(shell.files, operator, left, right)
}
