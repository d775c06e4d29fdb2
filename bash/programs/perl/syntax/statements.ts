/** Statements, blocks, subs, and what `use` says. */
import type { Block, Expr, PerlProgram, Statement, Sub, Variable } from './ast.js'
import { changed, type Warned, type Warnings } from './categories.js'
import { addChecks } from './checks.js'
import { binary, expression, item } from './expressions.js'
import { broughtByDefault, modules, supportedOfModules } from './functions.js'
import { type Grammar, ParserState, type Shared } from './parser-state.js'
import { PerlSyntaxError } from './perl-error.js'
import { SubScope } from './scope.js'
import { variableNamed } from './variables.js'
import { checkVoid } from './void.js'
import { checkCondition, checkOnce, warn } from './warnings.js'

const grammar: Grammar = { expression, item, binary, block, sub }

export interface ParseOptions {
  canSay: boolean
  /** `-w`. */
  warns: boolean
  /** Takes warnings of the text. */
  warned: Warned[]
  /** Modules of `-M`, each as `use` has it. */
  uses: readonly string[]
}

export function parsePerlProgram(text: string, { canSay, warns, warned, uses }: ParseOptions): PerlProgram {
  const shared: Shared = {
    subs: new Map(),
    declared: new Set(),
    begin: [],
    end: [],
    imported: new Map(),
    isStrict: false,
    wasStrict: false,
    canSay,
    called: [],
    warnings: warns ? new Set() : undefined,
    warned,
    slices: [],
    globals: new Map(),
    ours: new Set(),
    uncounted: 0,
  }
  for (const found of text.matchAll(/(?:^|[;{}\n])\s*sub\s+([A-Za-z_]\w*)/g))
    shared.subs.set(found[1] as string, emptySub)
  for (const use of uses) useModule(new ParserState(use, grammar, shared))
  const source = text.replace(/^__(?:END|DATA)__\s*\n[\s\S]*/m, '')
  const scope = new SubScope(undefined, undefined)
  const state = new ParserState(source, grammar, shared, scope)
  const body: Block = { statements: [], hasLocal: false }
  state.blocks.push(body)
  while (!state.isAtEnd()) body.statements.push(statement(state))
  scope.introduce()
  scope.sub.body = body
  checkVoid(state, body, false)
  warned.push(...shared.slices)
  checkOnce(state)
  for (const { name, line } of shared.called) {
    const known = shared.subs.get(name)
    if (known === undefined || known === emptySub)
      throw new PerlSyntaxError(`Undefined subroutine &main::${name} called`, line)
  }
  const program = {
    main: scope.sub,
    subs: shared.subs,
    begin: shared.begin,
    end: shared.end,
    isStrict: shared.wasStrict,
  }
  addChecks(program)
  return program
}

const emptySub: Sub = {
  name: '',
  body: { statements: [], hasLocal: false },
  slots: { count: 0 },
  captures: [],
}

export function block(state: ParserState, isRepeated = false): Block {
  state.expect('{')
  state.scope.open(isRepeated)
  const made: Block = { statements: [], hasLocal: false }
  const { isStrict, warnings } = state.shared
  state.blocks.push(made)
  while (!state.take('}')) {
    if (state.isAtEnd()) state.fail('Missing right curly or square bracket')
    made.statements.push(statement(state))
  }
  state.blocks.pop()
  state.shared.isStrict = isStrict
  state.shared.warnings = warnings
  state.scope.close(isRepeated)
  return made
}

export function sub(state: ParserState, name: string | undefined): Sub {
  const outer = state.scope
  const scope = new SubScope(name, outer)
  state.scope = scope
  const { blocks } = state
  state.blocks = []
  scope.sub.warns = state.shared.warnings
  scope.sub.body = block(state)
  checkVoid(state, scope.sub.body, true)
  state.scope = outer
  state.blocks = blocks
  return scope.sub
}

function statement(state: ParserState): Statement {
  state.skip()
  state.scope.introduce()
  const { line } = state
  const { warnings } = state.shared
  const made: Statement = { ...unplaced(state, line), line }
  if (warnings !== undefined) made.warns = warnings
  return made
}

function unplaced(state: ParserState, line: number): Statement {
  const { text } = state
  if (state.take(';')) return { kind: 'nothing' }
  if (text[state.at] === '{') return { kind: 'block', label: undefined, body: block(state, true) }
  const label = state.match(/([A-Z_][A-Z0-9_]*)\s*:(?!:)/y)
  if (label !== undefined) {
    state.at += label[0].length
    const made = loop(state, label[1] as string)
    return made ?? statement(state)
  }
  const made = keyword(state) ?? loop(state, undefined)
  if (made !== undefined) return made
  const value = state.grammar.expression(state)
  const result = modified(state, value, line)
  if (!state.take(';') && !state.sees('}') && !state.isAtEnd()) state.fail()
  return result
}

function keyword(state: ParserState): Statement | undefined {
  const word = state.word()
  if (word === undefined || state.match(/\w+\s*=>/y) !== undefined) return undefined
  switch (word) {
    case 'if':
    case 'unless':
      state.at += word.length
      return condition(state, word === 'unless')
    case 'sub': {
      const found = state.match(/sub\s+([A-Za-z_]\w*)\s*(\(\s*\))?\s*(?=\{)/y)
      if (found === undefined) {
        if (/^sub\s*\{/.test(state.text.slice(state.at))) return undefined
        return state.refuse('a sub with a prototype, signature or package')
      }
      if (found[2] !== undefined) state.refuse('a sub with a prototype')
      state.at += found[0].length
      const name = found[1] as string
      if (state.shared.declared.has(name)) warn(state, 'redefine', `Subroutine ${name} redefined`)
      state.shared.declared.add(name)
      state.shared.subs.set(name, state.grammar.sub(state, name))
      return { kind: 'nothing' }
    }
    case 'BEGIN':
    case 'END': {
      if (!/^\w+\s*\{/.test(state.text.slice(state.at))) return undefined
      state.at += word.length
      const body = block(state)
      if (word === 'BEGIN') state.shared.begin.push(body)
      else state.shared.end.unshift(body)
      return { kind: 'nothing' }
    }
    case 'use':
    case 'no': {
      const found = state.match(/(?:use|no)\s+([^;}]*)/y)
      const inner = state.inner(found?.[1] ?? '')
      state.at += found?.[0].length ?? 0
      if (/^warnings\b/.test(inner.text)) state.shared.warnings = warningsAfter(inner, word === 'no')
      else if (word === 'use') useModule(inner)
      else if (/^strict\b/.test(inner.text)) state.shared.isStrict = false
      else state.refuse(`no ${inner.text}`)
      if (!state.take(';') && !state.sees('}') && !state.isAtEnd()) state.fail()
      return { kind: 'nothing' }
    }
  }
  return undefined
}

function warningsAfter(state: ParserState, isNo: boolean): Warnings {
  const { warnings } = state.shared
  state.at += 'warnings'.length
  const names = state.isAtEnd() ? [] : listed(state.grammar.expression(state))
  if (names.some((name) => /^(?:FATAL|NONFATAL|\?)$/.test(name))) state.refuse(`use ${state.text}`)
  return changed(warnings, isNo, names)
}

function useModule(state: ParserState): void {
  const { shared } = state
  const version = state.takeMatch(/v?5(?:\.\d+)*\s*$/y)
  if (version !== undefined) {
    const [, minor = '0'] = /^v?5\.0*(\d+)/.exec(version[0]) ?? []
    const number = Number(minor.length > 3 ? minor.slice(0, 2) : minor)
    if (number >= 35) state.refuse(`use ${state.text}`)
    if (number >= 10) shared.canSay = true
    if (number >= 12) setStrict(shared)
    return
  }
  const name = state.word() ?? ''
  state.at += name.length
  if (name === 'warnings') {
    state.at = 0
    shared.warnings = warningsAfter(state, false)
    return
  }
  if (name === 'strict') {
    if (!/['"(]|qw/.test(state.text) || /vars/.test(state.text)) setStrict(shared)
    return
  }
  if (name === 'feature') {
    if (!/^[\s'"qw()/]*say[\s'"()/]*$/.test(state.text.slice(state.at))) state.refuse(`use ${state.text.trim()}`)
    shared.canSay = true
    return
  }
  const known = modules[name]
  if (known === undefined || !Object.hasOwn(modules, name)) state.refuse(`use ${name}`)
  if (state.isAtEnd()) {
    for (const one of broughtByDefault[name] ?? []) shared.imported.set(one, one)
    return
  }
  for (const one of listed(state.grammar.expression(state))) {
    if (!supportedOfModules.has(one) || !known.includes(one)) state.refuse(`${name}::${one}`)
    shared.imported.set(one, one)
  }
}

function setStrict(shared: Shared): void {
  shared.isStrict = true
  shared.wasStrict = true
}

function listed(expr: Expr): string[] {
  if (expr.kind === 'list') return expr.items.flatMap(listed)
  return expr.kind === 'value' ? [String(expr.value)] : ['?']
}

function parenthesized(state: ParserState): Expr {
  state.expect('(')
  const value = state.grammar.expression(state)
  state.expect(')')
  return value
}

function condition(state: ParserState, isUnless: boolean): Statement {
  state.scope.open(false)
  const branches: Extract<Statement, { kind: 'if' }>['branches'] = []
  const first = parenthesized(state)
  checkCondition(state, first)
  branches.push({ test: first, isUnless, body: block(state) })
  let otherwise: Block | undefined
  for (;;) {
    if (state.takeWord('elsif')) branches.push({ test: parenthesized(state), isUnless: false, body: block(state) })
    else if (state.takeWord('else')) {
      otherwise = block(state)
      break
    } else break
  }
  state.scope.close(false)
  return { kind: 'if', branches, otherwise }
}

function loop(state: ParserState, label: string | undefined): Statement | undefined {
  const word = state.word()
  if (word === 'while' || word === 'until') {
    state.at += word.length
    state.scope.open(true)
    state.expect('(')
    const given = state.sees(')') ? undefined : state.grammar.expression(state)
    state.expect(')')
    if (given !== undefined) checkCondition(state, given)
    const test = given && readTest(given)
    const body = block(state, true)
    const next = state.takeWord('continue') ? block(state, true) : undefined
    state.scope.close(true)
    return { kind: 'while', label, test, isUntil: word === 'until', body, next, scope: 'own' }
  }
  if (word === 'for' || word === 'foreach') {
    state.at += word.length
    state.scope.open(true)
    const made = forLoop(state, label)
    state.scope.close(true)
    return made
  }
  if (label !== undefined && state.sees('{')) return { kind: 'block', label, body: block(state, true) }
  return undefined
}

/** `while (<FH>)` and `while ($x = <FH>)` go on until nothing is left. */
function readTest(test: Expr): Expr {
  const topic: Expr = { kind: 'global', sigil: '$', name: '_' }
  const isReading = ({ kind, ...rest }: Expr) =>
    kind === 'read-line' ||
    (kind === 'function' && ['readline', 'each', 'shift'].includes((rest as { name: string }).name))
  const defined = (value: Expr): Expr => ({ kind: 'function', name: 'defined', args: [value], line: 0 })
  if (test.kind === 'read-line' || (test.kind === 'function' && test.name === 'readline')) {
    return defined({ kind: 'assign', operator: '', target: topic, value: test, line: 0 })
  }
  if (test.kind !== 'assign' || test.operator !== '' || !isReading(test.value)) return test
  const isScalar = !(
    test.target.kind === 'list' ||
    (test.target.kind === 'my' && (test.target.isList || test.target.variables[0]?.sigil !== '$'))
  )
  if (!isScalar || (test.value.kind === 'function' && test.value.name === 'shift')) return test
  return defined(test)
}

function forLoop(state: ParserState, label: string | undefined): Statement {
  let variable: Variable | undefined
  if (state.takeWord('my')) {
    const name = state.takeMatch(/\$([A-Za-z_]\w*)/y)?.[1] ?? state.fail()
    variable = state.scope.newLexical('$', name)
    state.scope.declareLater(variable, name)
  } else if (state.sees('$')) {
    state.at += 1
    const found = variableNamed(state, '$')
    if (found.kind === 'deref') return state.fail()
    variable = found
  } else if (/^(?:our|state)$/.test(state.word() ?? '')) state.refuse('this variable of a loop')
  state.expect('(')
  if (variable === undefined) {
    const first = state.sees(';') ? undefined : state.sees(')') ? undefined : state.grammar.expression(state)
    if (state.take(';')) {
      state.scope.introduce()
      const test = state.sees(';') ? undefined : state.grammar.expression(state)
      state.expect(';')
      const step = state.sees(')') ? undefined : state.grammar.expression(state)
      state.expect(')')
      return { kind: 'for', label, first, test: test && readTest(test), step, body: block(state, true) }
    }
    state.expect(')')
    variable = { kind: 'global', sigil: '$', name: '_' }
    return { kind: 'foreach', label, variable, list: first ?? { kind: 'list', items: [] }, body: block(state, true) }
  }
  const list: Expr = state.sees(')') ? { kind: 'list', items: [] } : state.grammar.expression(state)
  state.expect(')')
  const body = block(state, true)
  if (state.word() === 'continue') state.refuse('continue')
  return { kind: 'foreach', label, variable, list, body }
}

function modified(state: ParserState, value: Expr, line: number): Statement {
  const word = state.word()
  const plain = state.only(value, line)
  if (word === undefined || !/^(?:if|unless|while|until|for|foreach)$/.test(word)) {
    return { kind: 'expression', value, line }
  }
  state.at += word.length
  if (declares(value)) state.refuse('a declaration that is not always reached')
  const test = state.grammar.expression(state)
  if (!word.startsWith('for')) checkCondition(state, test)
  switch (word) {
    case 'if':
      return { kind: 'expression', value: { kind: 'logic', operator: '&&', left: test, right: value }, line }
    case 'unless':
      return { kind: 'expression', value: { kind: 'logic', operator: '||', left: test, right: value }, line }
    case 'while':
    case 'until': {
      const isUntil = word === 'until'
      if (value.kind === 'do') return { kind: 'do-while', body: value, test: readTest(test), isUntil }
      return {
        kind: 'while',
        label: undefined,
        test: readTest(test),
        isUntil,
        body: plain,
        next: undefined,
        scope: 'none',
      }
    }
    default: {
      const variable: Variable = { kind: 'global', sigil: '$', name: '_' }
      return { kind: 'foreach', label: undefined, variable, list: test, body: plain }
    }
  }
}

function declares(value: Expr): boolean {
  if (value.kind === 'my') return true
  return value.kind === 'assign' && declares(value.target)
}
