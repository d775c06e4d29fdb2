/** Finds assignments, and carries them out. */
import { endOfReference, endOfWord, isBlank, skipSpace, stripped } from '../characters.js'
import { expand } from '../expand/expand.js'
import { runShell } from '../expand/shell.js'
import type { Place } from '../make-error.js'
import type { MakeState } from '../state.js'
import {
  type Assignment,
  type Flavor,
  findVariable,
  type Modifiers,
  type Origin,
  type Scope,
  type Variable,
} from '../variables.js'

const operators: Readonly<Record<string, Flavor>> = { ':': 'simple', '+': 'append', '?': 'conditional', '!': 'shell' }

/** `NAME = VALUE` and its kin, or undefined. */
export function assignmentOf(text: string): Assignment | undefined {
  const start = skipSpace(text, 0)
  let end = -1
  let sawBlank = false
  let at = start
  while (at < text.length) {
    let character = text[at] as string
    if (character === '#') return undefined
    if (character === '$') {
      at = endOfReference(text, at)
      continue
    }
    if (isBlank(character)) {
      sawBlank = true
      end = at
      at = skipSpace(text, at)
      if (at >= text.length) return undefined
      character = text[at] as string
    }
    at += 1
    const found = operatorAt(text, character, at)
    if (found === 'none') return undefined
    if (found !== undefined) {
      const name = text.slice(start, end >= 0 ? end : at - 1)
      return { name, value: text.slice(skipSpace(text, found.end)), flavor: found.flavor }
    }
    if (sawBlank) return undefined
  }
  return undefined
}

/** `at` is behind the character. */
function operatorAt(text: string, character: string, at: number): { flavor: Flavor; end: number } | 'none' | undefined {
  if (character === '=') return { flavor: 'recursive', end: at }
  const flavor = operators[character]
  if (text[at] === '=' && flavor !== undefined) return { flavor, end: at + 1 }
  if (character !== ':') return undefined
  return text.startsWith(':=', at) ? { flavor: 'simple', end: at + 2 } : 'none'
}

const words = ['export', 'override', 'private']

/** An assignment with the words before it. `rest` is what is assigned, or the name after `define` and `undefine`. */
export function modifiedAssignment(
  text: string,
  isTarget: boolean,
): { rest: string; modifiers: Modifiers } | undefined {
  const modifiers = { exports: false, overrides: false, isPrivate: false, defines: false, undefines: false }
  let at = skipSpace(text, 0)
  while (at < text.length) {
    if (assignmentOf(text.slice(at)) !== undefined) return { rest: text.slice(at), modifiers }
    const end = endOfWord(text, at)
    const word = text.slice(at, end)
    at = skipSpace(text, end)
    if (!isTarget && (word === 'define' || word === 'undefine')) {
      modifiers[word === 'define' ? 'defines' : 'undefines'] = true
      return { rest: text.slice(at), modifiers }
    }
    if (!words.includes(word)) return undefined
    if (word === 'export') modifiers.exports = true
    else if (word === 'override') modifiers.overrides = true
    else modifiers.isPrivate = true
  }
  return undefined
}

/** The name of an assignment may have references. */
export async function nameOfAssigned(make: MakeState, name: string, place: Place): Promise<string> {
  const expanded = stripped(await expand(make, name))
  if (expanded === '') {
    make.reading = place
    throw make.fail('empty variable name')
  }
  return expanded
}

export interface AssignRules {
  origin: Origin
  place?: Place | undefined
  /** A target's own variables. */
  scope?: Scope | undefined
}

export async function assign(
  make: MakeState,
  { name, value, flavor }: Assignment,
  { origin, place, scope }: AssignRules,
): Promise<Variable> {
  const define = (text: string, isRecursive: boolean) =>
    make.define(name, text, origin, { isRecursive, place, ...(scope && { set: scope.set }) })
  switch (flavor) {
    case 'recursive':
      return define(value, true)
    case 'simple':
      return define(await expand(make, value), false)
    case 'shell':
      return define(await runShell(make, await expand(make, value)), true)
    case 'conditional': {
      const known = findVariable(make.scope, name)
      return known ?? define(value, true)
    }
    case 'append':
      return append(make, { name, value, flavor }, define, scope)
  }
}

async function append(
  make: MakeState,
  { name, value }: Assignment,
  define: (text: string, isRecursive: boolean) => Variable,
  scope: Scope | undefined,
): Promise<Variable> {
  const known = scope === undefined ? findVariable(make.scope, name) : scope.set.get(name)
  const appends = scope !== undefined && (known === undefined || known.appends)
  if (known === undefined) {
    const variable = define(value, true)
    variable.appends = appends
    return variable
  }
  const added = known.isRecursive ? value : await expand(make, value)
  if (added === '') return known
  const variable = define(known.value === '' ? added : `${known.value} ${added}`, known.isRecursive)
  variable.appends = appends
  return variable
}
