/** Variables of makefiles, in sets that lie one above the other. */
import type { Place } from './make-error.js'

/** A definition replaces one of the same or a lower origin. */
export const origins = {
  default: 0,
  environment: 1,
  file: 2,
  'environment override': 3,
  'command line': 4,
  override: 5,
  automatic: 6,
} as const

export type Origin = keyof typeof origins

export interface Variable {
  readonly name: string
  value: string
  origin: Origin
  isRecursive: boolean
  export: 'default' | 'yes' | 'no' | 'if set'
  /** `+=` of a target's own variable: the values above come first. */
  appends: boolean
  isPerTarget: boolean
  isPrivate: boolean
  isExpanding: boolean
  /** How often `$(call)` may still come back to it. */
  callsLeft: number
  place: Place | undefined
}

export type VariableSet = Map<string, Variable>

export interface Scope {
  readonly set: VariableSet
  next: Scope | undefined
  /** The next one belongs to what this target is made for, which does not share what is private. */
  nextIsParent: boolean
}

export type Flavor = 'recursive' | 'simple' | 'append' | 'conditional' | 'shell'

/** `NAME = VALUE`, as far as it can be read without expanding. */
export interface Assignment {
  name: string
  value: string
  flavor: Flavor
}

export interface Modifiers {
  exports: boolean
  overrides: boolean
  isPrivate: boolean
  defines: boolean
  undefines: boolean
}

export function newVariable(name: string, value: string, origin: Origin, isRecursive: boolean): Variable {
  return {
    name,
    value,
    origin,
    isRecursive,
    export: 'default',
    appends: false,
    isPerTarget: false,
    isPrivate: false,
    isExpanding: false,
    callsLeft: 0,
    place: undefined,
  }
}

/** The variable that a set holds, or the next one above that is visible from here. */
export function findVariable(scope: Scope | undefined, name: string): Variable | undefined {
  let isParent = false
  for (let at = scope; at !== undefined; at = at.next) {
    const found = at.set.get(name)
    if (found !== undefined && !(isParent && found.isPrivate)) return found
    isParent ||= at.nextIsParent
  }
  return undefined
}

/** Environments have only such names. */
export function isExportable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}
