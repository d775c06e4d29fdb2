/** Operators, from `or` to `**`. */
import type { Expr } from './ast.js'
import { atComma, endsList, moreItems, unaryLevel } from './lists.js'
import type { ParserState } from './parser-state.js'
import { PerlSyntaxError } from './perl-error.js'
import { readsPattern, term } from './terms.js'
import { checkCondition, warn } from './warnings.js'

const levels: ReadonlyArray<readonly string[]> = [
  ['..', '...'],
  ['||', '//'],
  ['&&'],
  ['|', '^'],
  ['&'],
  ['==', '!=', '<=>', 'eq', 'ne', 'cmp'],
  ['<', '>', '<=', '>=', 'lt', 'gt', 'le', 'ge'],
  // Functions of one argument are here.
  [],
  ['<<', '>>'],
  ['+', '-', '.'],
  ['*', '/', '%', 'x'],
  ['=~', '!~'],
]
const levelOf = new Map(levels.flatMap((names, level) => names.map((name) => [name, level] as const)))

const operator =
  /\.\.\.?|\|\||\/\/|&&|<=>|==|!=|=~|!~|<=|>=|<<|>>|(?:eq|ne|cmp|lt|gt|le|ge|x)(?![\w])|x(?=\d)|[|^&<>+\-.*/%]/y
const assignment = /(?:\*\*|\|\||&&|\/\/|<<|>>|[-+*/.%x&|^])?=(?![=~>])/y

export function expression(state: ParserState): Expr {
  let left = conjunction(state)
  for (;;) {
    if (state.takeWord('or')) {
      checkLeaving(state, left)
      left = { kind: 'logic', operator: '||', left, right: conjunction(state) }
    } else if (state.word() === 'xor') state.refuse('xor')
    else return left
  }
}

function conjunction(state: ParserState): Expr {
  let left = negation(state)
  while (state.takeWord('and')) {
    checkLeaving(state, left)
    left = { kind: 'logic', operator: '&&', left, right: negation(state) }
  }
  return left
}

/** What stands after `return` or `next` is never reached. */
function checkLeaving(state: ParserState, { kind }: Expr): void {
  if (kind === 'return' || kind === 'control')
    warn(state, 'syntax', 'Possible precedence issue with control flow operator')
}

function negation(state: ParserState): Expr {
  if (state.takeWord('not')) return { kind: 'not', of: negation(state) }
  return commas(state)
}

function commas(state: ParserState): Expr {
  const first = item(state)
  if (!atComma(state)) return first
  return { kind: 'list', items: [first, ...moreItems(state)] }
}

export function item(state: ParserState): Expr {
  const target = ternary(state)
  state.skip()
  const found = state.match(assignment)
  if (found === undefined) return target
  // An `x=` can only follow a blank.
  state.at += found[0].length
  const { line } = state
  checkTarget(state, target)
  const value = item(state)
  return { kind: 'assign', operator: found[0].slice(0, -1), target, value, line }
}

function checkTarget(state: ParserState, target: Expr): void {
  switch (target.kind) {
    case 'list':
      for (const one of target.items) checkTarget(state, one)
      return
    case 'condition':
      checkTarget(state, target.yes)
      checkTarget(state, target.no)
      return
    case 'lexical':
    case 'global':
    case 'deref':
    case 'my':
    case 'local':
    case 'element':
    case 'hash-element':
    case 'slice':
    case 'hash-slice':
    case 'last-index':
    case 'assign':
    case 'step':
      return
    case 'value':
      if (target.value === undefined) return
      break
    case 'function':
      if (target.name === 'substr' || target.name === 'pos') return
      if (target.name === 'undef' && target.args.length === 0) return
      if (target.name === 'keys') state.refuse('assigning to keys')
      break
    case 'capture':
    case 'special':
      throw new PerlSyntaxError('Modification of a read-only value attempted', state.line)
  }
  state.fail("Can't modify this in assignment")
}

function ternary(state: ParserState): Expr {
  const test = binary(state, 0)
  if (!state.sees('?')) return test
  checkCondition(state, test)
  state.at += 1
  const yes = item(state)
  state.expect(':')
  const no = item(state)
  return { kind: 'condition', test, yes, no }
}

export function binary(state: ParserState, lowest: number): Expr {
  let left = unary(state)
  for (;;) {
    state.skip()
    const found = state.match(operator)
    if (found === undefined) return left
    const name = found[0]
    const level = levelOf.get(name) as number
    if (level < lowest || isAssignment(state)) return left
    if (name === '%' && /^%[=]/.test(state.text.slice(state.at))) return left
    const { line } = state
    state.at += name.length
    left = combined(state, left, name, level, line)
  }
}

function isAssignment(state: ParserState): boolean {
  return state.match(assignment) !== undefined
}

function combined(state: ParserState, left: Expr, name: string, level: number, line: number): Expr {
  if (name === '..' || name === '...') {
    const right = binary(state, level + 1)
    return { kind: 'range', left, right, isThreeDots: name === '...', state: { isOn: false, count: 0 } }
  }
  const right = binary(state, level + 1)
  if (name === '=~' || name === '!~') return bound(state, left, right, name === '!~', line)
  if (name === '&&' || name === '||' || name === '//') return { kind: 'logic', operator: name, left, right }
  const isBits = name === '&' || name === '|' || name === '^'
  if (isBits && (isComparison(left) || isComparison(right))) {
    warn(state, 'precedence', `Possible precedence problem on bitwise ${name} operator`)
  }
  return { kind: 'binary', operator: name, left, right, line }
}

function isComparison(expr: Expr): boolean {
  return expr.kind === 'binary' && (levelOf.get(expr.operator) === 5 || levelOf.get(expr.operator) === 6)
}

function bound(state: ParserState, target: Expr, right: Expr, isNegated: boolean, line: number): Expr {
  if (readsPattern(right)) return { ...right, target, isNegated }
  if (right.kind === 'regex' || right.kind === 'value' || right.kind === 'interpolated' || isPlainValue(right)) {
    return { kind: 'match', target, pattern: { source: right, flags: '' }, isNegated, line }
  }
  return state.refuse('this on the right of =~')
}

function isPlainValue({ kind }: Expr): boolean {
  return ['lexical', 'global', 'element', 'hash-element', 'deref', 'call', 'function', 'binary'].includes(kind)
}

function unary(state: ParserState): Expr {
  state.skip()
  const { text } = state
  const two = text.slice(state.at, state.at + 2)
  if (two === '++' || two === '--') {
    state.at += 2
    const target = unary(state)
    return { kind: 'step', by: two === '++' ? 1 : -1, isPrefix: true, target }
  }
  switch (two[0]) {
    case '!':
      if (two === '!~') break
      state.at += 1
      return { kind: 'not', of: unary(state) }
    case '~':
      state.at += 1
      return { kind: 'unary', operator: '~', of: unary(state) }
    case '\\':
      state.at += 1
      return { kind: 'reference', of: unary(state) }
    case '+':
      state.at += 1
      return unary(state)
    case '-': {
      const test = fileTest(state)
      if (test !== undefined) return test
      state.at += 1
      const word = state.word()
      if (word !== undefined && /^-[A-Za-z_]/.test(text.slice(state.at - 1))) {
        const fat = state.match(/\w+\s*=>/y)
        if (fat !== undefined) {
          state.at += word.length
          return { kind: 'value', value: `-${word}` }
        }
      }
      return { kind: 'unary', operator: '-', of: unary(state) }
    }
  }
  return power(state)
}

function power(state: ParserState): Expr {
  const base = stepped(state)
  if (!state.sees('**') || state.sees('**=')) return base
  const { line } = state
  state.at += 2
  return { kind: 'binary', operator: '**', left: base, right: unary(state), line }
}

function stepped(state: ParserState): Expr {
  const target = term(state)
  const found = state.takeMatch(/\+\+|--/y)
  if (found === undefined) return target
  return { kind: 'step', by: found[0] === '++' ? 1 : -1, isPrefix: false, target }
}

function fileTest(state: ParserState): Expr | undefined {
  const found = state.match(/-([a-zA-Z])(?!\w)(?!\s*(?:=>|,|\)))/y)
  if (found === undefined) return undefined
  const test = found[1] as string
  if (!'edfszrwx'.includes(test)) state.refuse(`the file test -${test}`)
  state.at += 2
  if (state.match(/\s*_(?!\w)/y) !== undefined) state.refuse('the file test of _')
  const next = state.word()
  if (next !== undefined && /^(?:STDIN|STDOUT|STDERR)$/.test(next)) state.refuse(`a file test of ${next}`)
  const of: Expr =
    endsList(state) || state.match(/[?=&|<>]/y) ? { kind: 'global', sigil: '$', name: '_' } : binary(state, unaryLevel)
  return { kind: 'file-test', test, of }
}
