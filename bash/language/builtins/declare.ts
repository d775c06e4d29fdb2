/** `declare`, `typeset` and `local`. */
import { assignArray } from '../expand/assign.js'
import { assignElement, assignText, isReferenceValue, resolveReference } from '../expand/variable-access.js'
import { HashTable } from '../run/state/hash-table.js'
import { CommandFailure, ExpansionFailure, ReadonlyFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import { SparseList } from '../run/state/sparse-list.js'
import type { Steps } from '../run/state/steps.js'
import { type Attributes, type Scope, tableOf, type Variable } from '../run/state/variables.js'
import type { ArrayLiteral } from '../syntax/ast.js'
import { findClosing } from '../syntax/matching.js'
import { type Declaration, exportVariables, readonlyVariables } from './attributes.js'
import { type BuiltinCall, type Builtins, wrongOption } from './builtin.js'
import { declareFunctions, listVariables, printVariables } from './list-variables.js'

const letters = 'aAfFgiIlnprtux'

export const declareBuiltins: Builtins = {
  declare,
  typeset: declare,
  *local(shell, args, call) {
    if (shell.variables.functionScope() !== undefined) return yield* declare(shell, args, call)
    // Bash has assigned arrays before it sees that this is wrong.
    for (const { name, appends, value } of call.arrays?.values() ?? []) {
      if (value.type === 'array') yield* assignArray(shell, name, value, { appends })
    }
    yield* shell.report('local: can only be used in a function')
    return 1
  },
  export: (shell, args, call) => exportVariables(shell, args, call, declareEach),
  readonly: (shell, args, call) => readonlyVariables(shell, args, call, declareEach),
}

const attributeOf: Readonly<Record<string, keyof Attributes>> = {
  i: 'integer',
  l: 'lower',
  n: 'reference',
  r: 'readonly',
  u: 'upper',
  x: 'exported',
}

function* declare(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const flags = new Set<string>()
  const removed = new Set<string>()
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] as string
    if (arg === '--') {
      at += 1
      break
    }
    if (call.arrays?.has(at) || !/^[-+]./.test(arg)) break
    for (const letter of arg.slice(1)) {
      if (!letters.includes(letter)) {
        return yield* wrongOption(shell, call, `${arg[0]}${letter}`, usages[call.name] ?? call.name)
      }
      if (arg.startsWith('-')) flags.add(letter)
      else removed.add(letter)
    }
  }
  const rest = args.slice(at)
  const attributes = attributesOf(flags, removed)
  if (flags.has('f') || flags.has('F')) return yield* declareFunctions(shell, rest, flags, call)
  if (rest.length === 0) return yield* listVariables(shell, flags, attributes, call)
  if (flags.has('p')) return yield* printVariables(shell, rest, call)
  const kindIn = (from: ReadonlySet<string>) => (from.has('A') ? 'map' : from.has('a') ? 'list' : undefined)
  const declaration: Declaration = {
    attributes,
    kind: kindIn(flags),
    removes: kindIn(removed),
    isGlobal: flags.has('g'),
    inherits: flags.has('I'),
  }
  return yield* declareEach(shell, args, at, call, declaration)
}

function attributesOf(flags: ReadonlySet<string>, removed: ReadonlySet<string>): Declaration['attributes'] {
  const attributes: Declaration['attributes'] = {}
  for (const [letter, attribute] of Object.entries(attributeOf)) {
    if (flags.has(letter)) attributes[attribute] = true
    if (removed.has(letter)) attributes[attribute] = false
  }
  // Each of the two switches the other one off.
  if (flags.has('l')) attributes.upper = false
  if (flags.has('u')) attributes.lower = false
  return attributes
}

const usages: Readonly<Record<string, string>> = {
  declare: 'declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]',
  typeset: 'typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]',
  local: 'local [option] name[=value] ...',
}

function* declareEach(
  shell: Shell,
  args: readonly string[],
  from: number,
  call: BuiltinCall,
  declaration: Declaration,
): Steps<number> {
  let status = 0
  for (let at = from; at < args.length; at += 1) {
    try {
      yield* declareOne(shell, args[at] as string, call, declaration, at)
    } catch (error) {
      if (!(error instanceof CommandFailure) && !isMild(error)) throw error
      yield* shell.report(`${call.name}: ${error.message}`)
      status = 1
    }
  }
  return status
}

function isMild(error: unknown): error is ExpansionFailure {
  return (
    error instanceof ReadonlyFailure ||
    (error instanceof ExpansionFailure && error.message.endsWith('bad array subscript'))
  )
}

/** An argument: `name`, `name=value`, `name[subscript]+=value` or an array. */
interface Declared {
  name: string
  subscript: string | undefined
  appends: boolean
  value: string | ArrayLiteral | undefined
}

function readDeclared(arg: string, call: BuiltinCall, at: number): Declared {
  const array = call.arrays?.get(at)
  if (array !== undefined && array.value.type === 'array') {
    return { name: array.name, subscript: undefined, appends: array.appends, value: array.value }
  }
  const [name = ''] = /^[A-Za-z_][A-Za-z0-9_]*/.exec(arg) ?? []
  let end = name.length
  if (arg[end] === '[') {
    const close = findClosing(arg, end + 1, '[', ']')
    end = close > end + 1 ? close + 1 : -1
  }
  const [, operator, value] = /^(\+?=)(.*)$/s.exec(arg.slice(end)) ?? []
  if (name === '' || end < 0 || (operator === undefined && end < arg.length)) {
    throw new CommandFailure(`\`${arg}': not a valid identifier`)
  }
  const subscript = end > name.length ? arg.slice(name.length + 1, end - 1) : undefined
  return { name, subscript, appends: operator === '+=', value }
}

function* declareOne(shell: Shell, arg: string, call: BuiltinCall, declaration: Declaration, at: number): Steps<void> {
  const own = declaration.isGlobal ? undefined : shell.variables.functionScope()
  if (arg === '-' && call.name === 'local' && own !== undefined) {
    const options = shell.options.copy()
    own.restore ??= () => {
      shell.options = options
    }
    return
  }
  const declared = readDeclared(arg, call, at)
  const { attributes } = declaration
  if (attributes.reference) yield* checkReference(shell, declared, own === undefined)
  const target = attributes.reference === undefined ? behind(shell, declared, own) : declared
  const { name } = target
  const scope = scopeFor(shell, name, declaration, own)
  checkOld(scope.table.get(name), target, declaration)
  prepare(shell, target, scope, declaration)
  yield* assignDeclared(shell, target, scope)
  finish(shell, name, scope, attributes)
}

/** What is wrong with `declare -n`. */
function* checkReference(shell: Shell, { name, subscript, value, appends }: Declared, isGlobal: boolean): Steps<void> {
  if (subscript !== undefined) {
    throw new CommandFailure(`${name}[${subscript}]: reference variable cannot be an array`)
  }
  if (typeof value !== 'string') return
  if (value === name || value.startsWith(`${name}[`)) {
    if (isGlobal) throw new CommandFailure(`${name}: nameref variable self references not allowed`)
    yield* shell.report(`warning: ${name}: circular name reference`)
  }
  if (value !== '' && !appends && !isReferenceValue(value)) {
    throw new CommandFailure(`\`${value}': invalid variable name for name reference`)
  }
}

/** What a reference stands for; a new local variable takes its place when it is one of a caller. */
function behind(shell: Shell, declared: Declared, own: Scope | undefined): Declared {
  const variable = shell.variables.get(declared.name)
  if (!variable?.reference || variable.text === undefined) return declared
  if (own !== undefined && !own.table.has(declared.name)) return declared
  const { name, subscript } = resolveReference(shell, declared.name)
  return { ...declared, name, subscript: declared.subscript ?? subscript }
}

/** Where a declaration takes effect. */
function scopeFor(shell: Shell, name: string, declaration: Declaration, own: Scope | undefined): Scope {
  if (declaration.isGlobal) return shell.variables.global()
  if (own === undefined) return shell.variables.scopeOf(name)
  return shell.variables.makeLocal(name, declaration.inherits || shell.options.has('localvar_inherit'))
}

/** What makes a declaration fail. */
function checkOld(old: Variable | undefined, { name, value }: Declared, declaration: Declaration): void {
  const { attributes, kind, removes } = declaration
  const isArray = old?.list !== undefined || old?.map !== undefined
  if (attributes.reference && isArray) throw new CommandFailure(`${name}: reference variable cannot be an array`)
  const text = old?.reference ? undefined : old?.text
  if (attributes.reference && text !== undefined && value === undefined && !isReferenceValue(text)) {
    throw new CommandFailure(`\`${text}': invalid variable name for name reference`)
  }
  if (old?.readonly && (attributes.reference || attributes.readonly === false || value !== undefined)) {
    throw new CommandFailure(`${name}: readonly variable`)
  }
  if ((removes === 'list' && old?.list !== undefined) || (removes === 'map' && old?.map !== undefined)) {
    throw new CommandFailure(`${name}: cannot destroy array variables in this way`)
  }
  if (kind === 'list' && old?.map !== undefined) {
    throw new CommandFailure(`${name}: cannot convert associative to indexed array`)
  }
  if (kind === 'map' && old?.list !== undefined) {
    throw new CommandFailure(`${name}: cannot convert indexed to associative array`)
  }
}

/** Makes the variable, with its attributes except those that would hinder its assignment. */
function prepare(shell: Shell, declared: Declared, scope: Scope, { attributes, kind }: Declaration): void {
  const { name, subscript, value } = declared
  const old = scope.table.get(name)
  const { readonly: _readonly, exported: _exported, ...others } = attributes
  if (old?.dynamic && kind === undefined && !Object.values(others).includes(true)) return
  let variable: Variable = { ...old }
  delete variable.dynamic
  if (others.reference) for (const other of ['integer', 'lower', 'upper'] as const) delete variable[other]
  for (const [key, on] of Object.entries(others) as Array<[keyof Attributes, boolean]>) {
    if (on) variable[key] = true
    else delete variable[key]
  }
  const isArray = variable.list !== undefined || variable.map !== undefined
  const wantsList = kind === 'list' || subscript !== undefined || (typeof value === 'object' && kind === undefined)
  if (!isArray && (kind === 'map' || wantsList)) {
    const { text, ...rest } = variable
    const isNew = old === undefined || old.isNew === true
    delete rest.isNew
    if (kind === 'map') variable = { ...rest, map: isNew ? new HashTable() : tableOf(text), owner: scope.table }
    else {
      const list = text === undefined ? new SparseList() : SparseList.of([text])
      variable = { ...rest, list, owner: scope.table }
    }
  }
  shell.variables.set(name, variable, scope)
}

function* assignDeclared(shell: Shell, declared: Declared, scope: Scope): Steps<void> {
  const { name, subscript, appends, value } = declared
  const options = { appends, scope }
  if (value === undefined) return
  if (typeof value === 'object') {
    yield* assignArray(shell, name, value, options)
    return
  }
  const variable = scope.table.get(name)
  if (subscript !== undefined) {
    const key = shell.arithmetic.subscript(shell, subscript, variable?.map !== undefined)
    assignElement(shell, name, key, value, options)
  } else if (variable?.reference) {
    const text = appends ? `${variable.text ?? ''}${value}` : value
    if (!isReferenceValue(text)) throw new CommandFailure(`\`${text}': invalid variable name for name reference`)
    shell.variables.set(name, { ...variable, text }, scope)
  } else if ((variable?.list !== undefined || variable?.map !== undefined) && /^\(.*\)$/s.test(value)) {
    // `declare -a x='(1 2)'` reads the text as an array.
    yield* assignArray(shell, name, shell.engine.arrayLiteralOf(value), options)
  } else assignText(shell, name, value, options)
}

function finish(shell: Shell, name: string, scope: Scope, attributes: Declaration['attributes']): void {
  const { readonly, exported } = attributes
  const hidden = readonly || exported ? shell.variables.temporary(name)?.text : undefined
  // `x=1 declare -x x` sets the variable that stays.
  if (hidden !== undefined) assignText(shell, name, hidden, { scope })
  const variable = scope.table.get(name)
  if (variable === undefined || (readonly === undefined && exported === undefined)) return
  const { exported: _exported, ...rest } = variable
  const isExported = exported ?? variable.exported
  shell.variables.set(name, { ...rest, ...(readonly && { readonly }), ...(isExported && { exported: true }) }, scope)
}
