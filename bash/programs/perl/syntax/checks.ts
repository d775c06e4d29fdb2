/**
 * Where warnings are on, operands are wrapped in checks before the program is compiled, so that programs without them
 * pay nothing. What perl says about an operand depends on how many operands can have been undefined.
 */
import type { Block, Check, Expr, Pattern, PerlProgram, Statement } from './ast.js'
import type { Warnings } from './categories.js'
import { ofText, operatorNames } from './operator-names.js'

/** What functions take, one letter for each argument: text, a number, or nothing that is checked. The last one repeats. */
const functionArguments: Readonly<Record<string, string>> = {
  lc: 't',
  uc: 't',
  lcfirst: 't',
  ucfirst: 't',
  quotemeta: 't',
  ord: 't',
  hex: 't',
  oct: 't',
  chr: 'n',
  abs: 'n',
  int: 'n',
  sqrt: 'n',
  log: 'n',
  exp: 'n',
  sin: 'n',
  cos: 'n',
  atan2: 'n',
  rand: 'n',
  localtime: 'n',
  gmtime: 'n',
  sleep: 'n',
  index: 'ttn',
  rindex: 'ttn',
  substr: 'tnnt',
  splice: '-nn-',
  floor: 'n',
  ceil: 'n',
  fmod: 'n',
  pow: 'n',
  unlink: 't',
  mkdir: 't',
  rmdir: 't',
  rename: 't',
  push: '-',
  unshift: '-',
}

/** Those of modules have no names of their own. */
const ofModules = new Set('sum sum0 product min max minstr maxstr floor ceil fmod pow'.split(' '))

/** An undefined value on the left is taken for nothing. */
const startsEmpty = new Set(['.', '+', '-', '|', '^', '||', '&&', '//'])

type Visited = Expr | Block | Statement | Record<string, unknown>

export function addChecks(program: PerlProgram): void {
  for (const block of [program.main.body, ...program.begin, ...program.end]) visitBlock(block)
  for (const { body } of program.subs.values()) visitBlock(body)
}

function visitBlock({ statements }: Block): void {
  for (const statement of statements) visitParts(statement, statement.warns)
}

/** Parts of parts first. */
function visit(value: unknown, warns: Warnings): unknown {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) value[index] = visit(one, warns)
    return value
  }
  if (typeof value !== 'object' || value === null) return value
  const part = value as Visited
  if ('statements' in part) {
    visitBlock(part as Block)
    return part
  }
  if (warns === undefined) {
    visitParts(part, warns)
    return part
  }
  const special = visitWhole(part as Expr, warns)
  if (special !== undefined) return special
  visitParts(part, warns)
  return checked(part as Expr, warns)
}

function visitParts(part: Visited, warns: Warnings): void {
  const parts = part as Record<string, unknown>
  for (const key in parts) {
    const value = parts[key]
    if (key !== 'warns' && typeof value === 'object' && value !== null) parts[key] = visit(value, warns)
  }
}

/** What is not checked part by part. */
function visitWhole(expr: Expr, warns: Warnings): Expr | undefined {
  switch (expr.kind) {
    case 'binary':
    case 'interpolated':
      if (expr.kind === 'binary' && expr.operator !== '.') return undefined
      return concatenation(expr, warns)
    case 'function':
      // The pattern of `split` looks at no text by itself.
      if (expr.name !== 'split' || expr.args[0]?.kind !== 'match') return undefined
      checkPattern(expr.args[0].pattern, warns)
      for (const [index, arg] of expr.args.entries()) if (index > 0) expr.args[index] = visit(arg, warns) as Expr
      return checked(expr, warns)
    case 'match':
    case 'regex':
    case 'substitute': {
      checkPattern(expr.pattern, warns)
      if (expr.kind === 'regex') return expr
      if (expr.kind === 'substitute') {
        checkReplacement(expr, warns)
      }
      const given = (expr.target && visit(expr.target, warns)) as Expr | undefined
      expr.target = wrap(
        given ?? topic(),
        't',
        expr.kind === 'match' ? 'pattern match (m//)' : 'substitution (s///)',
        true,
        warns,
      )
      return expr
    }
    case 'assign':
      if (expr.operator !== '.') return undefined
      expr.target = visit(expr.target, warns) as Expr
      expr.value = concatenation(expr.value, warns, expr.target)
      return expr
    case 'sort': {
      const isPlain = expr.compare === undefined || isPlainComparison(expr.compare)
      if (!isPlain) expr.compare = visit(expr.compare, warns) as typeof expr.compare
      expr.list = visit(expr.list, warns) as Expr[]
      return { ...expr, checks: { in: 'sort', isOnly: true, warns } }
    }
  }
  return undefined
}

function checkPattern(pattern: Pattern, warns: Warnings): void {
  const { source } = pattern
  const name = 'regexp compilation'
  if (source.kind === 'interpolated') {
    const { parts } = source
    for (const [index, part] of parts.entries()) {
      parts[index] = wrap(visit(part, warns) as Expr, 't', name, parts.length === 1, warns)
    }
  } else if (source.kind !== 'value') pattern.source = wrap(visit(source, warns) as Expr, 't', name, true, warns)
}

/** A value alone is no text that is put together. */
function checkReplacement(expr: Extract<Expr, { kind: 'substitute' }>, warns: Warnings): void {
  const { by } = expr
  const replaced = (of: Expr): Expr => {
    const name = of.kind === 'lexical' || of.kind === 'global' || of.kind === 'capture' ? '(s///)' : 'iterator'
    return wrap(visit(of, warns) as Expr, 't', `substitution ${name}`, true, warns)
  }
  if ('statements' in by) {
    const last = by.statements.at(-1)
    const isPlain = last?.kind === 'expression' && by.statements.length === 1
    if (isPlain && !texts.has(last.value.kind)) last.value = replaced(last.value)
    else visitBlock(by)
  } else if (by.kind === 'interpolated' && by.parts.length === 1) expr.by = replaced(by.parts[0] as Expr)
  else expr.by = visit(by, warns) as Expr
}

function topic(): Expr {
  return { kind: 'global', sigil: '$', name: '_' }
}

/** `{ $a <=> $b }` and the like, which perl does not run as code. */
function isPlainComparison(compare: Block | Expr): boolean {
  if (!('statements' in compare) || compare.statements.length !== 1) return false
  const [only] = compare.statements
  if (only?.kind !== 'expression' || only.value.kind !== 'binary') return false
  const { operator, left, right } = only.value
  const isName = (expr: Expr) => expr.kind === 'global' && expr.sigil === '$' && /^[ab]$/.test(expr.name)
  return (operator === '<=>' || operator === 'cmp') && isName(left) && isName(right)
}

/** Perl puts all of a chain of dots and texts together at once. */
function concatenation(expr: Expr, warns: Warnings, target?: Expr): Expr {
  const operands: Expr[] = []
  const collect = (one: Expr): void => {
    if (one.kind === 'binary' && one.operator === '.') {
      collect(one.left)
      collect(one.right)
    } else if (one.kind === 'interpolated') for (const part of one.parts) collect(part)
    else operands.push(one)
  }
  collect(expr)
  // A variable of the program's own, to which it is added, is no operand.
  const isAlone = target === undefined || target.kind === 'lexical'
  const isOnly = isAlone && operands.filter(({ kind }) => kind !== 'value').length === 1
  const name = operands.length === 1 && target === undefined ? 'string' : (operatorNames['.'] as string)
  const parts = operands.map((one) => wrap(visit(one, warns) as Expr, 't', name, isOnly, warns))
  if (parts.length === 1 && expr.kind !== 'interpolated') return parts[0] as Expr
  if (expr.kind === 'binary' && parts.length === 2) return { ...expr, left: parts[0] as Expr, right: parts[1] as Expr }
  return { kind: 'interpolated', parts }
}

function checked(expr: Expr, warns: Warnings): Expr {
  const check = (of: Expr, as: 't' | 'n', name: string, isOnly = true) => wrap(of, as, name, isOnly, warns)
  switch (expr.kind) {
    case 'binary': {
      const name = operatorNames[expr.operator]
      if (name === undefined) return expr
      const isOnly = expr.left.kind === 'value' || expr.right.kind === 'value'
      if (expr.operator === 'x') {
        if (expr.left.kind !== 'list') expr.left = check(expr.left, 't', name, isOnly)
        expr.right = check(expr.right, 'n', name, isOnly)
        return expr
      }
      const as = ofText.has(expr.operator) ? 't' : 'n'
      if (as === 't') {
        expr.left = check(expr.left, 't', name, isOnly)
        expr.right = check(expr.right, 't', name, isOnly)
        return expr
      }
      return { ...expr, checks: { in: name, isOnly, warns } }
    }
    case 'unary':
      if (expr.operator === '-') expr.of = check(expr.of, 'n', 'negation (-)')
      return expr
    case 'assign':
      return checkedAssignment(expr, warns)
    case 'element':
      expr.index = check(expr.index, 'n', 'array element')
      return expr
    case 'hash-element':
      expr.key = check(expr.key, 't', 'hash element')
      return expr
    case 'joined':
    case 'print':
    case 'read-line':
    case 'hash':
      return {
        ...expr,
        checks: { in: expr.kind === 'print' ? expr.name : 'join or string', isOnly: expr.kind !== 'print', warns },
      }
    case 'translate':
      expr.target = check(expr.target ?? topic(), 't', 'transliteration (tr///)')
      return expr
    case 'step':
      return { ...expr, checks: { in: expr.by === 1 ? '++' : '--', isOnly: true, warns } }
    case 'range':
      expr.left = check(expr.left, 't', 'range (or flop)', expr.right.kind === 'value')
      expr.right = check(expr.right, 't', 'range (or flop)', expr.left.kind === 'value')
      return expr
    case 'file-test':
      expr.of = check(expr.of, 't', `-${expr.test}`)
      return expr
    case 'function':
      return checkedCall(expr, warns)
  }
  return expr
}

function checkedAssignment(expr: Extract<Expr, { kind: 'assign' }>, warns: Warnings): Expr {
  const { operator } = expr
  const name = operatorNames[operator]
  if (operator === '') return { ...expr, checks: { in: '', isOnly: true, warns } }
  if (name === undefined) return expr
  const checks: Check = { in: name, isOnly: expr.value.kind === 'value', warns, startsEmpty: startsEmpty.has(operator) }
  return { ...expr, checks }
}

function checkedCall(expr: Extract<Expr, { kind: 'function' }>, warns: Warnings): Expr {
  const { name, args } = expr
  const checks: Check = { in: name, isOnly: args.filter(({ kind }) => kind !== 'value').length === 1, warns }
  if (ofModules.has(name)) {
    const letters = functionArguments[name]
    if (letters === undefined) return { ...expr, checks: { ...checks, in: 'subroutine entry' } }
    expr.args = args.map((arg) => wrap(arg, 'n', 'subroutine entry', undefined, warns))
    return expr
  }
  switch (name) {
    case 'exists':
    case 'delete': {
      const [of] = args
      // The key is looked up by the function itself.
      if (of?.kind === 'hash-element' && of.key.kind === 'checked') of.key = { ...of.key, in: name }
      if (of?.kind === 'element' && of.index.kind === 'checked') of.index = of.index.of
      return expr
    }
    case 'chomp':
    case 'chop':
      if (args.length === 1 && args[0] !== undefined && isOneScalar(args[0])) {
        expr.args = [wrap(args[0], 't', `scalar ${name}`, true, warns)]
      }
      return { ...expr, checks }
    case 'split':
      expr.args = args.map((arg, index) => (index === 1 ? wrap(arg, 't', 'split', true, warns) : arg))
      if (args.length === 1 || args.length === 0) {
        expr.args = [args[0] ?? { kind: 'value', value: ' ' }, wrap(topic(), 't', 'split', true, warns)]
      }
      return expr
    case 'join':
      return { ...expr, checks: { ...checks, in: 'join or string' } }
    case 'substr':
    case 'sprintf':
    case 'die':
    case 'warn':
    case 'reverse':
    case 'close':
    case 'hex':
    case 'oct':
      expr = { ...expr, checks }
  }
  const letters = functionArguments[name]
  if (letters === undefined) return expr
  expr.args = expr.args.map((arg, index) => {
    const letter = letters[Math.min(index, letters.length - 1)]
    return letter === 't' || letter === 'n' ? wrap(arg, letter, name, checks.isOnly, warns) : arg
  })
  return expr
}

function isOneScalar(expr: Expr): boolean {
  if (expr.kind === 'my') return !expr.isList && expr.variables[0]?.sigil === '$'
  if (expr.kind === 'assign') return isOneScalar(expr.target)
  return ('sigil' in expr && expr.sigil === '$') || expr.kind === 'element' || expr.kind === 'hash-element'
}

/** Kinds that are always text, or always numbers. */
const texts = new Set([
  'interpolated',
  'joined',
  'reference',
  'array',
  'hash',
  'sub',
  'regex',
  'not',
  'last-index',
  'binary',
  'unary',
  'match',
  'substitute',
  'translate',
])
const numbers = new Set(['reference', 'array', 'hash', 'sub', 'not', 'last-index', 'match', 'substitute'])

function wrap(of: Expr, as: 't' | 'n', name: string, isOnly: boolean | undefined, warns: Warnings): Expr {
  if (as === 't' ? texts.has(of.kind) : numbers.has(of.kind)) return of
  if (of.kind === 'value' && of.value !== undefined && (as === 't' || (typeof of.value !== 'string' && of.value >= 0)))
    return of
  if ('sigil' in of && of.sigil !== '$') return of
  return { kind: 'checked', of, as: as === 't' ? 'text' : 'number', in: name, isOnly, warns }
}
