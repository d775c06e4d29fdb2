/** Statements without an effect, of which perl warns. */
import type { Block, Expr } from './ast.js'
import { isOn } from './categories.js'
import { operatorNames } from './operator-names.js'
import type { ParserState } from './parser-state.js'

const functionNames: Readonly<Record<string, string>> = { defined: 'defined operator', ref: 'reference-type operator' }

/** Functions without an effect. */
const pure = new Set(
  (
    'lc uc lcfirst ucfirst length ord hex oct abs int sqrt log exp sin cos quotemeta defined ref index rindex substr ' +
    'reverse split localtime gmtime time'
  ).split(' '),
)

const kindNames: Partial<Record<Expr['kind'], string>> = {
  element: 'array element',
  'hash-element': 'hash element',
  slice: 'array slice',
  'hash-slice': 'hash slice',
  array: 'anonymous array ([])',
  hash: 'anonymous hash ({})',
  sub: 'single ref constructor',
  reference: 'single ref constructor',
  'last-index': 'array length',
  not: 'not',
  range: 'range (or flop)',
  wantarray: 'wantarray',
  sort: 'sort',
}

/** What is useless in an expression whose value nobody takes, from left to right. */
function useless(expr: Expr): string[] {
  switch (expr.kind) {
    case 'value':
      return constant(expr.value)
    case 'global':
      return expr.isDeclared === true ? [] : ['a variable']
    case 'lexical':
    case 'deref':
    case 'capture':
    case 'special':
      return ['a variable']
    case 'interpolated':
      return ['string']
    case 'joined':
      return ['join or string']
    case 'list':
      return expr.items.flatMap(useless)
    case 'logic':
      return useless(expr.right)
    case 'condition':
      return [...useless(expr.yes), ...useless(expr.no)]
    case 'unary':
      return [expr.operator === '-' ? 'negation (-)' : "1's complement (~)"]
    case 'binary':
      return [operatorNames[expr.operator] ?? expr.operator]
    case 'not':
      return expr.of.kind === 'match' || expr.of.kind === 'not' ? [] : ['not']
    case 'substitute':
      return expr.pattern.flags.includes('r') ? ['non-destructive substitution (s///r)'] : []
    case 'translate':
      return expr.table.flags.includes('r') ? ['non-destructive transliteration (tr///r)'] : []
    case 'function':
      if (expr.name === 'substr' && expr.args.length > 3) return []
      return pure.has(expr.name) ? [functionNames[expr.name] ?? expr.name] : []
  }
  const name = kindNames[expr.kind]
  return name === undefined ? [] : [name]
}

function constant(value: string | number | bigint | undefined): string[] {
  if (value === undefined || value === 0 || value === 1) return []
  if (typeof value !== 'string') return [`a constant (${value})`]
  if (value === 'di' || value === 'ds' || value === 'ig') return [`a constant ("${value}")`]
  return [`a constant ("${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}")`]
}

/** Perl takes `$x++` for `++$x` where nobody takes the value, and warns in these words. */
function checkStep(expr: Expr): void {
  if (expr.kind === 'step') expr.isPrefix = true
}

/** `isValue`: the last statement is the value of the block. */
export function checkVoid(state: ParserState, { statements }: Block, isValue: boolean): void {
  const filled = statements.filter(({ kind }) => kind !== 'nothing')
  for (const [index, statement] of filled.entries()) {
    const isLast = isValue && index === filled.length - 1
    if (statement.kind === 'if') {
      for (const { body } of statement.branches) checkVoid(state, body, isLast)
      if (statement.otherwise !== undefined) checkVoid(state, statement.otherwise, isLast)
    } else if (statement.kind === 'block') checkVoid(state, statement.body, isLast)
    else if ('body' in statement && 'statements' in statement.body) checkVoid(state, statement.body, false)
    if (statement.kind === 'for' && statement.step !== undefined) checkStep(statement.step)
    if (statement.kind === 'expression' && !isLast) checkStep(statement.value)
    if (statement.kind !== 'expression' || isLast || !isOn(statement.warns, 'void')) continue
    const line = statement.line ?? state.line
    for (const what of useless(statement.value)) {
      state.shared.warned.push({ text: `Useless use of ${what} in void context`, line })
    }
  }
}
