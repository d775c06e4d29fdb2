/** The variables of a shell: scopes of functions over the global one, cheap to copy for subshells. */

import { convertedBuckets, HashTable } from './hash-table.js'
import { CommandFailure } from './jumps.js'
import { SparseList } from './sparse-list.js'

export interface Attributes {
  exported?: boolean
  readonly?: boolean
  integer?: boolean
  lower?: boolean
  upper?: boolean
  /** The value is the name of another variable. */
  reference?: boolean
}

/** Never changed in place, except for its `list` and `map` by their owner. */
export interface Variable extends Attributes {
  text?: string
  list?: SparseList
  map?: HashTable
  /** The value is computed, as that of `RANDOM`. */
  dynamic?: boolean
  /** Declared in a function. It stays there when it is unset. */
  local?: boolean
  /** From an assignment before a command. */
  temporary?: boolean
  /** Made by a declaration, and without a value so far. */
  isNew?: boolean
  /** The table that may change `list` and `map` in place; another copies them first. */
  owner?: Map<string, Variable>
}

interface Scope {
  /**
   * `temporary`: assignments before a command, which are read only. `evaluated`: those before `eval` and the like, which
   * assign to them as to others.
   */
  kind: 'global' | 'function' | 'temporary' | 'evaluated'
  /** The command of the assignments is still to start: when it is a function, they are its variables. */
  isFresh?: boolean
  table: Map<string, Variable>
  /** The table belongs to a copy of the shell too: copy it before writing. */
  shared: boolean
  below: Scope | undefined
  /** `local -`: the options to restore. */
  restore?: () => void
}

export type { Scope }

const noVariable: Variable = {}

/** What an element of a list takes beside its text, about. */
export const elementBytes = 64

/** The memory that is counted for a variable. */
export function sizeOf({ text, list, map }: Variable): number {
  let bytes = text?.length ?? 0
  if (list !== undefined) bytes += sizeOfAll(list.values())
  if (map !== undefined) for (const [key, value] of map.entries()) bytes += key.length + value.length + elementBytes
  return bytes
}

export function sizeOfAll(values: readonly string[]): number {
  let bytes = 0
  for (const value of values) bytes += value.length + elementBytes
  return bytes
}

export class Variables {
  #top: Scope
  #environment: ReadonlyMap<string, string> | undefined

  constructor(top: Scope = { kind: 'global', table: new Map(), shared: false, below: undefined }) {
    this.#top = top
  }

  /** A copy that shares everything until one side writes. */
  fork(): Variables {
    const copy = (scope: Scope): Scope => {
      scope.shared = true
      return { kind: scope.kind, table: scope.table, shared: true, below: scope.below && copy(scope.below) }
    }
    const forked = new Variables(copy(this.#top))
    forked.#environment = this.#environment
    return forked
  }

  /** Which scopes are shared, to hand to `unshare` when the copy that was made since is gone. */
  sharing(): boolean[] {
    const flags: boolean[] = []
    for (let scope: Scope | undefined = this.#top; scope; scope = scope.below) flags.push(scope.shared)
    return flags
  }

  unshare(flags: readonly boolean[]): void {
    let at = 0
    for (let scope: Scope | undefined = this.#top; scope; scope = scope.below) {
      scope.shared = flags[at] ?? true
      at += 1
    }
  }

  push(kind: 'function' | 'temporary'): Scope {
    this.#top = { kind, table: new Map(), shared: false, below: this.#top }
    return this.#top
  }

  pop(): void {
    const { table, below, restore } = this.#top
    if (below === undefined) return
    restore?.()
    this.#top = below
    for (const variable of table.values()) if (variable.exported) this.#environment = undefined
    // What the scope hid may be exported.
    if (table.size > 0) this.#environment = undefined
  }

  get top(): Scope {
    return this.#top
  }

  get(name: string): Variable | undefined {
    for (let scope: Scope | undefined = this.#top; scope; scope = scope.below) {
      const found = scope.table.get(name)
      if (found === undefined) continue
      return found.reference && isSelf(found, name) ? this.global().table.get(name) : found
    }
    return undefined
  }

  /** The scope that has the variable, or the global one. */
  scopeOf(name: string): Scope {
    let scope = this.#top
    while (scope.below !== undefined && (scope.kind === 'temporary' || !scope.table.has(name))) scope = scope.below
    const found = scope.table.get(name)
    return found?.reference && isSelf(found, name) ? this.global() : scope
  }

  /** The variable of that name in the assignments before the running command. */
  temporary(name: string): Variable | undefined {
    return this.#top.kind === 'temporary' ? this.#top.table.get(name) : undefined
  }

  /** The scope in which a variable is local to the running function, with that variable made. Throws when it is fixed. */
  makeLocal(name: string, inherits: boolean): Scope {
    const own = this.functionScope() ?? this.global()
    let from: Scope | undefined = this.#top
    while (from !== undefined && !from.table.has(name)) from = from.below
    const outer = from?.table.get(name)
    if (from === own || (from?.kind === 'evaluated' && this.#isAbove(from, own))) {
      this.set(name, { ...outer, local: true }, from)
      return from
    }
    if (outer?.readonly && from?.kind === 'global') throw new CommandFailure(`${name}: readonly variable`)
    const { text, exported, owner: _owner, reference: _reference, ...others } = outer ?? {}
    const isTemporary = outer?.temporary === true
    const value = text !== undefined && (isTemporary || inherits) ? { text } : { isNew: true }
    const variable = { ...(inherits && others), ...value, ...(exported && { exported }), local: true }
    this.set(name, variable, own)
    return own
  }

  /** Whether variables of a scope are those of the running function. */
  isOwn(scope: Scope): boolean {
    const own = this.functionScope()
    return own !== undefined && (scope === own || (scope.kind === 'evaluated' && this.#isAbove(scope, own)))
  }

  #isAbove(scope: Scope, other: Scope): boolean {
    for (let at: Scope | undefined = this.#top; at !== other; at = at?.below) if (at === scope) return true
    return false
  }

  global(): Scope {
    let scope = this.#top
    while (scope.below !== undefined) scope = scope.below
    return scope
  }

  /** The scope of the innermost function. */
  functionScope(): Scope | undefined {
    for (let scope: Scope | undefined = this.#top; scope; scope = scope.below)
      if (scope.kind === 'function') return scope
    return undefined
  }

  set(name: string, variable: Variable, scope: Scope = this.scopeOf(name)): void {
    const table = this.#writable(scope)
    if (variable.exported || table.get(name)?.exported) this.#environment = undefined
    table.set(name, variable)
  }

  /** The scope's table, to be written to. */
  #writable(scope: Scope): Map<string, Variable> {
    if (scope.shared) {
      scope.table = new Map(scope.table)
      scope.shared = false
    }
    return scope.table
  }

  /** The array of a variable, to be changed in place; an other kind of value becomes its element 0. */
  writableList(name: string, scope: Scope = this.scopeOf(name)): SparseList {
    const table = this.#writable(scope)
    const { text, map: _map, dynamic: _dynamic, ...old } = table.get(name) ?? noVariable
    if (old.list !== undefined && old.owner === table) return old.list
    const list = old.list?.copy() ?? SparseList.of(text === undefined ? [] : [text])
    table.set(name, { ...old, list, owner: table })
    return list
  }

  writableMap(name: string, scope: Scope = this.scopeOf(name)): HashTable {
    const table = this.#writable(scope)
    const { text, list: _list, dynamic: _dynamic, ...old } = table.get(name) ?? noVariable
    if (old.map !== undefined && old.owner === table) return old.map
    const map = old.map?.copy() ?? tableOf(text)
    table.set(name, { ...old, map, owner: table })
    return map
  }

  /** Removes the innermost variable of that name. */
  delete(name: string, scope: Scope = this.scopeOf(name)): void {
    if (!scope.table.has(name)) return
    this.#writable(scope).delete(name)
    this.#environment = undefined
  }

  /** All visible names, sorted. */
  names(): string[] {
    const names = new Set<string>()
    for (let scope: Scope | undefined = this.#top; scope; scope = scope.below) {
      for (const name of scope.table.keys()) names.add(name)
    }
    return [...names].sort(byBytes)
  }

  /** The exported variables, as programs see them. */
  environment(): ReadonlyMap<string, string> {
    if (this.#environment !== undefined) return this.#environment
    const environment = new Map<string, string>()
    for (const name of this.names()) {
      const variable = this.get(name)
      if (variable?.exported && variable.text !== undefined) environment.set(name, variable.text)
    }
    this.#environment = environment
    return environment
  }
}

/** A local reference to its own name stands for the global variable. */
function isSelf({ text, local }: Variable, name: string): boolean {
  return local === true && text === name
}

/** The associative array that a plain variable becomes. */
export function tableOf(text: string | undefined): HashTable {
  const table = new HashTable(convertedBuckets)
  if (text !== undefined) table.set('0', text)
  return table
}

/** The order of UTF-8 bytes. */
export function byBytes(left: string, right: string): number {
  if (left === right) return 0
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)]
    if (a !== b) return rank(a) - rank(b)
  }
  return left.length - right.length
}

/** Characters beyond U+FFFF come after all others; a lone surrogate stands for a byte from 0x80 on. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xdc00 ? unit + 0x10000 : unit
}
