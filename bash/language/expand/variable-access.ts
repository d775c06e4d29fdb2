/** Reads and assigns variables: elements, attributes, references, and what is computed. */
import { assignDynamic, readDynamic } from '../run/state/dynamic-variables.js'
import { CommandFailure, ExpansionFailure, ReadonlyFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import { SparseList } from '../run/state/sparse-list.js'
import { elementBytes, type Scope, sizeOf, sizeOfAll, type Variable } from '../run/state/variables.js'
import { findClosing } from '../syntax/matching.js'

export interface Target {
  name: string
  subscript?: string
}

export const maxReferences = 8
/** What a reference may stand for. */
export function isReferenceValue(text: string): boolean {
  return parseTarget(text) !== undefined
}

export const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Splits `a[1]`; undefined when the text is not a name of a variable. */
export function parseTarget(text: string): Target | undefined {
  const open = text.indexOf('[')
  const name = open < 0 ? text : text.slice(0, open)
  if (!namePattern.test(name)) return undefined
  if (open < 0) return { name }
  const end = findClosing(text, open + 1, '[', ']')
  return end === text.length - 1 && end > open + 1 ? { name, subscript: text.slice(open + 1, end) } : undefined
}

/** The same, with the subscript expanded. */
export function targetOf(shell: Shell, text: string): Target | undefined {
  const target = parseTarget(text)
  return target && withSubscript(shell, target)
}

function withSubscript(shell: Shell, target: Target): Target {
  const { name, subscript } = target
  if (subscript === undefined || subscript === '@' || subscript === '*') return target
  const isKey = shell.variables.get(resolveReference(shell, name).name)?.map !== undefined
  return { name, subscript: shell.arithmetic.subscript(shell, subscript, isKey) }
}

/** Follows `declare -n`. */
export function resolveReference(shell: Shell, name: string): Target {
  let target: Target = { name }
  for (let count = 0; count < maxReferences; count += 1) {
    const variable = shell.variables.get(target.name)
    if (!variable?.reference || variable.text === undefined) return target
    const next = parseTarget(variable.text)
    if (next === undefined) return target
    if (next.subscript !== undefined) return withSubscript(shell, next)
    target = next
  }
  throw new ReferenceFailure(name)
}

/** References that refer to each other. */
export class ReferenceFailure extends ExpansionFailure {
  constructor(name: string) {
    super(`warning: ${name}: circular name reference`)
  }
}

/** The variable behind a name that becomes an array. A reference to nothing is one no more, and one to an element can't be. */
export function resolveArray(shell: Shell, given: string): string {
  const variable = shell.variables.get(given)
  if (!variable?.reference) return given
  if (variable.text === undefined) {
    shell.warn(`warning: ${given}: removing nameref attribute`)
    const { reference: _reference, ...rest } = variable
    shell.variables.set(given, rest)
    return given
  }
  const { name, subscript } = resolveReference(shell, given)
  if (subscript !== undefined) throw new ExpansionFailure(`\`${variable.text}': not a valid identifier`)
  return name
}

/** As `resolveReference`, for reading: references that go round in circles have no value. */
export function referredTo(shell: Shell, name: string): Target {
  try {
    return resolveReference(shell, name)
  } catch (error) {
    if (!(error instanceof ReferenceFailure)) throw error
    shell.warn(error.message)
    return { name }
  }
}

/** The variable behind a name, with the value of those that are computed. */
export function findVariable(shell: Shell, name: string): Variable | undefined {
  const variable = shell.variables.get(name)
  if (!variable?.dynamic) return variable
  const value = readDynamic(shell, name)
  const { dynamic: _dynamic, ...rest } = variable
  return typeof value === 'string' ? { ...rest, text: value } : { ...rest, list: SparseList.of(value) }
}

/** The value as a text: that of an array is its element 0. */
export function textOf(variable: Variable | undefined): string | undefined {
  if (variable === undefined) return undefined
  if (variable.text !== undefined) return variable.text
  return variable.list?.get(0) ?? variable.map?.get('0')
}

/** The value of a variable that is a plain name. */
export function readText(shell: Shell, name: string): string | undefined {
  const variable = shell.variables.get(name)
  if (variable === undefined) return undefined
  if (variable.text !== undefined && !variable.reference) return variable.text
  if (!variable.reference) return textOf(findVariable(shell, name))
  const { name: target, subscript } = referredTo(shell, name)
  if (subscript === '@' || subscript === '*') return readAll(shell, target).join(' ')
  if (subscript !== undefined) return readElement(shell, target, subscript)
  return target === name ? undefined : textOf(findVariable(shell, target))
}

/** The value of a special or positional parameter; undefined when it is not set. */
export function readSpecial(shell: Shell, name: string): string | undefined {
  switch (name) {
    case '?':
      return String(shell.status)
    case '#':
      return String(shell.positional.length)
    case '$':
      return String(shell.mainPid)
    case '!':
      return shell.lastBackground === undefined ? undefined : String(shell.lastBackground)
    case '-':
      return shell.options.letters() + shell.invocation
    case '_':
      return shell.lastArgument
    case '0':
      return shell.name
    default:
      return shell.positional[Number(name) - 1]
  }
}

export function isSpecial(name: string): boolean {
  const code = name.charCodeAt(0)
  return !((code >= 65 && code <= 90) || (code >= 97 && code <= 122) || (code === 95 && name.length > 1))
}

/** The element with a subscript, which is a key or arithmetic. */
export function readElement(shell: Shell, name: string, subscript: string): string | undefined {
  const variable = findVariable(shell, name)
  if (variable?.map !== undefined) return variable.map.get(subscript)
  const index = shell.arithmetic.index(shell, subscript)
  if (variable === undefined) return undefined
  if (variable.list === undefined) {
    if (index < 0) throw new ElementFault(name)
    return index === 0 ? variable.text : undefined
  }
  const at = index < 0 ? variable.list.end + index : index
  if (at < 0) throw new ElementFault(name)
  return variable.list.get(at)
}

/** A negative index before the beginning; the message differs by where it happens. */
export class ElementFault {
  constructor(readonly name: string) {}
}

/** The values for `[@]`. */
export function readAll(shell: Shell, name: string): readonly string[] {
  const variable = findVariable(shell, name)
  if (variable === undefined) return []
  if (variable.list !== undefined) return variable.list.values()
  if (variable.map !== undefined) return variable.map.values()
  return variable.text === undefined ? [] : [variable.text]
}

export function readKeys(shell: Shell, name: string): readonly string[] {
  const variable = findVariable(shell, name)
  if (variable?.list !== undefined) return variable.list.indexes().map(String)
  if (variable?.map !== undefined) return variable.map.keys()
  return variable?.text === undefined ? [] : ['0']
}

/** An assignment to an element that can't be. */
export class SubscriptFailure extends ExpansionFailure {
  constructor(name: string, subscript: string) {
    super(`${name}[${subscript}]: bad array subscript`)
  }
}

export interface AssignOptions {
  appends?: boolean
  /** Assign in this scope, instead of where the variable is. */
  scope?: Scope
  /** What is appended to, when it is not the element's text. */
  before?: string
}

export function refuseReadonly(variable: Variable | undefined, name: string): void {
  if (variable?.readonly) throw new ReadonlyFailure(`${name}: readonly variable`)
}

/** `name=text`, with the attributes of the variable. */
export function assignText(shell: Shell, given: string, text: string, options: AssignOptions = {}): void {
  const before = shell.variables.get(given)
  if (before?.reference && options.scope === undefined) {
    if (before.text === undefined) {
      shell.variables.set(given, { ...before, text })
      return
    }
    const target = resolveReference(shell, given)
    if (target.subscript !== undefined) assignElement(shell, target.name, target.subscript, text, options)
    else if (target.name !== given) assignText(shell, target.name, text, options)
    return
  }
  const scope = options.scope ?? shell.variables.scopeOf(given)
  const old = scope.table.get(given)
  refuseReadonly(old, given)
  if (old?.list !== undefined || old?.map !== undefined) {
    assignElement(shell, given, '0', text, { ...options, scope })
    return
  }
  if (old?.dynamic && assignDynamic(shell, given, text)) return
  const value = withAttributes(shell, old, text, options.appends ? (old?.text ?? '') : undefined)
  shell.accountFor(given, old?.text?.length ?? 0, value.length)
  if (old === undefined) {
    shell.variables.set(given, shell.options.allexport ? { text: value, exported: true } : { text: value }, scope)
    return
  }
  if (isPlain(old) && !shell.options.allexport) {
    shell.variables.set(given, old.local ? { text: value, local: true } : { text: value }, scope)
    return
  }
  const { dynamic: _dynamic, isNew: _isNew, ...rest } = old
  shell.variables.set(given, { ...rest, text: value, ...(shell.options.allexport && { exported: true }) }, scope)
}

function isPlain({ exported, readonly, integer, lower, upper, reference, dynamic, temporary }: Variable): boolean {
  return !(exported || readonly || integer || lower || upper || reference || dynamic || temporary)
}

/** What is stored when a text is assigned, or appended to another. */
export function withAttributes(shell: Shell, variable: Variable | undefined, text: string, before?: string): string {
  if (variable?.integer) {
    const added = String(shell.arithmetic.integer(shell, text))
    return before === undefined ? added : String(shell.arithmetic.integer(shell, `(${before || 0})+(${added})`))
  }
  const all = before === undefined ? text : before + text
  if (variable?.lower) return all.toLowerCase()
  return variable?.upper ? all.toUpperCase() : all
}

/** `name[subscript]=text`. Makes an indexed array of what is not one. */
export function assignElement(
  shell: Shell,
  given: string,
  subscript: string,
  text: string,
  options: AssignOptions = {},
): void {
  const name = options.scope === undefined ? resolveArray(shell, given) : given
  const scope = options.scope ?? shell.variables.scopeOf(name)
  const old = scope.table.get(name)
  refuseReadonly(old, name)
  if (old?.map !== undefined) {
    if (subscript === '') throw new SubscriptFailure(name, subscript)
    const before = options.before ?? old.map.get(subscript) ?? ''
    const value = withAttributes(shell, old, text, options.appends ? before : undefined)
    shell.account(
      value.length +
        (old.map.has(subscript) ? -(old.map.get(subscript) ?? '').length : subscript.length + elementBytes),
    )
    shell.variables.writableMap(name, scope).set(subscript, value)
    return
  }
  const index = shell.arithmetic.index(shell, subscript)
  const list = shell.variables.writableList(name, scope)
  const at = index < 0 ? list.end + index : index
  if (at < 0) throw new SubscriptFailure(name, subscript)
  const before = list.get(at)
  const value = withAttributes(shell, old, text, options.appends ? (before ?? '') : undefined)
  shell.account(value.length - (before === undefined ? -elementBytes : before.length))
  list.set(at, value)
}

/** Replaces the whole value by an indexed array. */
export function assignList(shell: Shell, given: string, values: readonly string[], options: AssignOptions = {}): void {
  const name = options.scope === undefined ? resolveArray(shell, given) : given
  const scope = options.scope ?? shell.variables.scopeOf(name)
  const before = scope.table.get(name) ?? {}
  const { text: _text, list: _list, map: _map, dynamic: _dynamic, ...old } = before
  refuseReadonly(old, name)
  shell.accountFor(name, sizeOf(before), sizeOfAll(values))
  shell.variables.set(name, { ...old, list: SparseList.of(values), owner: scope.table }, scope)
}

/** Removes a variable, or one of its elements. */
export function unsetVariable(shell: Shell, { name: given, subscript }: Target, reference = false): void {
  const { name, subscript: inner } = reference ? { name: given, subscript: undefined } : resolveReference(shell, given)
  const variable = shell.variables.get(name)
  if (variable?.readonly) throw new CommandFailure(`${name}: cannot unset: readonly variable`)
  const element = subscript ?? inner
  if (element === undefined) {
    const scope = shell.variables.scopeOf(name)
    giveBack(shell, name, scope)
    const { local, exported, temporary } = scope.table.get(name) ?? {}
    // A local variable stays local: what it hides does not appear.
    const stays = local && (shell.variables.isOwn(scope) || shell.options.has('localvar_unset'))
    const kept = exported && temporary ? { exported, temporary } : {}
    if (stays) shell.variables.set(name, { ...kept, local, isNew: true }, scope)
    else shell.variables.delete(name, scope)
    return
  }
  if (variable === undefined) return
  if (variable.map !== undefined) {
    const map = shell.variables.writableMap(name)
    const value = map.get(element)
    if (value !== undefined) shell.account(-(element.length + value.length + elementBytes))
    map.delete(element)
    return
  }
  if (element === '@' || element === '*') {
    if (variable.list === undefined) throw new CommandFailure(`${name}: not an array variable`)
    assignList(shell, name, [])
    return
  }
  const index = shell.arithmetic.index(shell, element)
  if (variable.list === undefined) {
    if (index === 0) {
      giveBack(shell, name)
      shell.variables.delete(name)
    } else throw new CommandFailure(`${name}: not an array variable`)
    return
  }
  const list = shell.variables.writableList(name)
  const at = index < 0 ? list.end + index : index
  if (at < 0) throw new CommandFailure(`[${element}]: bad array subscript`)
  const value = list.get(at)
  if (value !== undefined) shell.account(-(value.length + elementBytes))
  list.delete(at)
}

/** Counts that a variable is gone. */
function giveBack(shell: Shell, name: string, scope: Scope = shell.variables.scopeOf(name)): void {
  shell.accountFor(name, sizeOf(scope.table.get(name) ?? {}), 0)
}
