/** `declare`, `typeset`, `local`, `export` and `readonly`. */
import { assignArray } from '../expand/assign.js'
import { declarationOf, literalOf } from '../expand/declaration.js'
import { quoteIfNeeded, quoteTraced } from '../expand/quote.js'
import { assignElement, assignText, findVariable, namePattern, resolveReference } from '../expand/variable-access.js'
import { printFunction } from '../run/print-command.js'
import { HashTable } from '../run/state/hash-table.js'
import { CommandFailure, ExpansionFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import { SparseList } from '../run/state/sparse-list.js'
import type { Steps } from '../run/state/steps.js'
import { type Attributes, type Scope, tableOf, type Variable } from '../run/state/variables.js'
import { trace } from '../run/trace.js'
import { type BuiltinCall, type Builtins, fail, wrongOption } from './builtin.js'

export const declareBuiltins: Builtins = {
  declare: (shell, args, call) => declare(shell, args, call, 'aAfFgiIlnprtux'),
  typeset: (shell, args, call) => declare(shell, args, call, 'aAfFgiIlnprtux'),
  *local(shell, args, call) {
    if (shell.variables.functionScope() === undefined) {
      return yield* fail(shell, call, 'can only be used in a function')
    }
    return yield* declare(shell, args, call, 'aAfFgiIlnprtux')
  },
  export: (shell, args, call) => declare(shell, args, call, 'fnpaA'),
  readonly: (shell, args, call) => declare(shell, args, call, 'aAfp'),
}

const attributeOf: Readonly<Record<string, keyof Attributes>> = {
  i: 'integer',
  l: 'lower',
  n: 'reference',
  r: 'readonly',
  u: 'upper',
  x: 'exported',
}

interface Declaration {
  /** Attributes to set and to remove. */
  attributes: Partial<Record<keyof Attributes, boolean>>
  kind: 'list' | 'map' | undefined
  /** `declare -g`, `export` and `readonly` do not make a variable local. */
  isGlobal: boolean
  inherits: boolean
  flags: ReadonlySet<string>
}

function* declare(shell: Shell, args: readonly string[], call: BuiltinCall, letters: string): Steps<number> {
  const flags = new Set<string>()
  const attributes: Declaration['attributes'] = {}
  if (call.name === 'export') attributes.exported = true
  if (call.name === 'readonly') attributes.readonly = true
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] as string
    if (arg === '--') {
      at += 1
      break
    }
    if (call.arrays?.has(at) || !/^[-+]./.test(arg)) break
    if (call.name === 'local' && arg === '-') break
    for (const letter of arg.slice(1)) {
      if (!letters.includes(letter)) {
        return yield* wrongOption(shell, call, `${arg[0]}${letter}`, usages[call.name] ?? call.name)
      }
      const isOn = arg.startsWith('-')
      if (call.name === 'export' && letter === 'n') attributes.exported = false
      else if (attributeOf[letter] !== undefined) attributes[attributeOf[letter]] = isOn
      if (isOn) flags.add(letter)
    }
  }
  const rest = args.slice(at)
  if (flags.has('f') || flags.has('F')) return yield* declareFunctions(shell, rest, flags, call)
  if (rest.length === 0) return yield* listVariables(shell, flags, attributes, call)
  if (flags.has('p') && call.name !== 'export' && call.name !== 'readonly')
    return yield* printVariables(shell, rest, call)
  const declaration: Declaration = {
    attributes,
    kind: flags.has('A') ? 'map' : flags.has('a') ? 'list' : undefined,
    isGlobal: flags.has('g') || call.name === 'export' || call.name === 'readonly',
    inherits: flags.has('I'),
    flags,
  }
  let status = 0
  for (const [index, arg] of rest.entries()) {
    try {
      yield* declareOne(shell, arg, call, declaration, call.arrays?.get(at + index))
    } catch (error) {
      if (!(error instanceof CommandFailure) && !isReadonlyFailure(error)) throw error
      yield* shell.report(`${call.name}: ${error.message}`)
      status = 1
    }
  }
  return status
}

function isReadonlyFailure(error: unknown): error is ExpansionFailure {
  return error instanceof ExpansionFailure && error.message.endsWith('readonly variable')
}

const usages: Readonly<Record<string, string>> = {
  declare: 'declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]',
  typeset: 'typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]',
  local: 'local [option] name[=value] ...',
  export: 'export [-fn] [name[=value] ...] or export -p',
  readonly: 'readonly [-aAf] [name[=value] ...] or readonly -p',
}

function* declareOne(
  shell: Shell,
  arg: string,
  call: BuiltinCall,
  declaration: Declaration,
  array: NonNullable<BuiltinCall['arrays']> extends ReadonlyMap<number, infer Value> ? Value | undefined : never,
): Steps<void> {
  if (arg === '-' && call.name === 'local') {
    const scope = shell.variables.functionScope()
    const options = shell.options.copy()
    if (scope !== undefined) {
      scope.restore = () => {
        shell.options = options
      }
    }
    return
  }
  const [, given = '', subscript, operator, value = ''] = /^([^=[+]*)(?:\[(.*?)\])?(\+?=)?(.*)$/s.exec(arg) ?? []
  if (!namePattern.test(given) || (operator === undefined && value !== '')) {
    throw new CommandFailure(`\`${arg}': not a valid identifier`)
  }
  const isReference = declaration.attributes.reference !== undefined || shell.variables.get(given)?.reference
  const name = isReference || !declaration.isGlobal ? given : resolveReference(shell, given).name
  const scope = scopeFor(shell, name, call, declaration)
  const appends = operator === '+=' || array?.appends === true
  declareAttributes(shell, name, scope, declaration, array !== undefined || subscript !== undefined)
  if (array !== undefined && array.value.type === 'array')
    yield* assignArray(shell, name, array.value, { appends, scope })
  else if (operator !== undefined && subscript !== undefined) {
    assignElement(shell, name, subscript, value, { appends, scope })
  } else if (operator !== undefined) yield* assignValue(shell, name, value, { appends, scope })
  const isExport = call.name === 'export' || call.name === 'readonly'
  if (isExport && operator !== undefined && shell.options.xtrace) {
    yield* trace(shell, `${name}${appends ? '+' : ''}=${quoteTraced(value)}`)
  }
  const { readonly, exported } = declaration.attributes
  const variable = scope.table.get(name)
  if (variable !== undefined && (readonly || exported !== undefined)) {
    shell.variables.set(
      name,
      { ...variable, ...(readonly && { readonly }), ...(exported !== undefined && { exported }) },
      scope,
    )
  }
}

/** Where a declaration takes effect. */
function scopeFor(shell: Shell, name: string, call: BuiltinCall, { isGlobal, flags }: Declaration): Scope {
  const own = shell.variables.functionScope()
  if (flags.has('g')) return shell.variables.global()
  if (isGlobal || own === undefined) {
    const scope = shell.variables.scopeOf(name)
    // What stands before a command like `x=1 export x` is not where the variable stays.
    return scope.kind === 'temporary' && (call.name === 'export' || call.name === 'readonly') ? scope : scope
  }
  return own
}

/** Makes the variable, with its attributes except those that would hinder its assignment. */
function declareAttributes(shell: Shell, name: string, scope: Scope, declaration: Declaration, isArray: boolean): void {
  const outer = shell.variables.get(name)
  const old = scope.table.get(name) ?? inherited(shell, outer, scope, declaration)
  const { readonly: wasReadonly } = old ?? {}
  const { readonly: _readonly, exported: _exported, ...attributes } = declaration.attributes
  const changes = Object.values(attributes).some((value) => value !== undefined) || declaration.kind !== undefined
  if (wasReadonly && (changes || declaration.attributes.readonly === false)) {
    throw new CommandFailure(`${name}: readonly variable`)
  }
  let variable: Variable = { ...old }
  delete variable.dynamic
  if (declaration.attributes.upper) delete variable.lower
  if (declaration.attributes.lower) delete variable.upper
  for (const [key, on] of Object.entries(attributes) as Array<[keyof Attributes, boolean]>) {
    if (on) variable[key] = true
    else delete variable[key]
  }
  if (declaration.kind === 'map' && variable.map === undefined) {
    if (variable.list !== undefined) throw new CommandFailure(`${name}: cannot convert indexed to associative array`)
    const { text, ...rest } = variable
    variable = {
      ...rest,
      map: text === undefined && old === undefined ? new HashTable() : tableOf(text),
      owner: scope.table,
    }
  }
  if (declaration.kind === 'list' && variable.map !== undefined) {
    throw new CommandFailure(`${name}: cannot convert associative to indexed array`)
  }
  if ((declaration.kind === 'list' || isArray) && variable.list === undefined && variable.map === undefined) {
    const { text, ...rest } = variable
    variable = { ...rest, list: SparseList.of(text === undefined ? [] : [text]), owner: scope.table }
  }
  if (old?.dynamic && !changes) return
  shell.variables.set(name, variable, scope)
}

/** What a new local variable has from the one it hides. */
function inherited(
  shell: Shell,
  outer: Variable | undefined,
  scope: Scope,
  { inherits }: Declaration,
): Variable | undefined {
  if (outer === undefined || scope.kind !== 'function') return undefined
  if (outer.readonly && shell.variables.global().table.get('') === undefined && isGlobalReadonly(shell, outer)) {
    return inherits ? outer : undefined
  }
  const isTemporary = [...(scope.below?.table.values() ?? [])].includes(outer) && scope.below?.kind === 'temporary'
  if (inherits || shell.options.has('localvar_inherit')) return outer
  if (isTemporary) return { ...outer }
  return outer.exported ? { exported: true } : undefined
}

function isGlobalReadonly(shell: Shell, variable: Variable): boolean {
  return [...shell.variables.global().table.values()].includes(variable)
}

function* assignValue(
  shell: Shell,
  name: string,
  text: string,
  options: { appends: boolean; scope: Scope },
): Steps<void> {
  const variable = options.scope.table.get(name)
  if (variable?.reference) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?$/s.test(text)) {
      throw new CommandFailure(`\`${text}': invalid variable name for name reference`)
    }
    shell.variables.set(name, { ...variable, text }, options.scope)
    return
  }
  // `declare -a x='(1 2)'` reads the text as an array.
  if ((variable?.list !== undefined || variable?.map !== undefined) && /^\(.*\)$/s.test(text)) {
    const { arrayLiteralOf } = shell.engine
    yield* assignArray(shell, name, arrayLiteralOf(text), options)
    return
  }
  assignText(shell, name, text, options)
}

function* listVariables(
  shell: Shell,
  flags: ReadonlySet<string>,
  attributes: Declaration['attributes'],
  call: BuiltinCall,
): Steps<number> {
  const wanted = Object.entries(attributes) as Array<[keyof Attributes, boolean]>
  const names =
    call.name === 'local' ? [...(shell.variables.functionScope()?.table.keys() ?? [])].sort() : shell.variables.names()
  let text = ''
  for (const name of names) {
    const variable = findVariable(shell, name)
    if (variable === undefined) continue
    if (wanted.some(([key, on]) => on && !variable[key])) continue
    if (flags.has('a') && variable.list === undefined) continue
    if (flags.has('A') && variable.map === undefined) continue
    const isDeclaration = flags.has('p') || wanted.length > 0 || flags.has('a') || flags.has('A')
    if (isDeclaration) text += `${declarationOf(name, variable)}\n`
    else text += plainLine(name, variable)
  }
  yield* shell.write(1, text)
  return 0
}

/** As `set` and `declare` without options list a variable. */
export function plainLine(name: string, variable: Variable): string {
  if (variable.list !== undefined || variable.map !== undefined) return `${name}=${literalOf(variable)}\n`
  return variable.text === undefined ? '' : `${name}=${quoteIfNeeded(variable.text)}\n`
}

function* printVariables(shell: Shell, names: readonly string[], call: BuiltinCall): Steps<number> {
  let status = 0
  for (const name of names) {
    const variable = findVariable(shell, name)
    if (variable === undefined) status = yield* fail(shell, call, `${name}: not found`)
    else yield* shell.write(1, `${declarationOf(name, variable)}\n`)
  }
  return status
}

function* declareFunctions(
  shell: Shell,
  names: readonly string[],
  flags: ReadonlySet<string>,
  call: BuiltinCall,
): Steps<number> {
  let status = 0
  const isListing = names.length === 0
  for (const name of isListing ? [...shell.functions.keys()].sort() : names) {
    const found = shell.functions.get(name)
    if (found === undefined) {
      if (call.name !== 'declare' && call.name !== 'typeset')
        yield* shell.report(`${call.name}: ${name}: not a function`)
      status = 1
      continue
    }
    if (call.name === 'export' && !isListing) shell.setFunction(name, { ...found, exported: !flags.has('n') })
    else if ((call.name === 'readonly' || flags.has('r')) && !isListing)
      shell.setFunction(name, { ...found, readonly: true })
    else if (flags.has('F')) yield* shell.write(1, isListing ? `declare -f ${name}\n` : `${name}\n`)
    else yield* shell.write(1, printFunction(name, found.definition.body, found.definition.redirections))
  }
  return status
}
