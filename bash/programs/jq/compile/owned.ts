/**
 * Updates without copying. Values are never changed in place where others may see them; containers that an update has
 * just made are seen by nobody else until it emits its result.
 */
import type { Node } from '../syntax.js'
import type { Json } from '../values.js'
import { type Account, countedAtOnce, itemBytes, memberBytes } from './memory.js'

type Container = Extract<Json, object>

/** The containers that may be changed. With a container, all that contain it are owned too. */
export class Owned {
  #made = new WeakSet<Container>()
  #waiting = 0
  #counted = 0

  constructor(private readonly account: Account = () => {}) {}

  /** Counts what was added to one of them. */
  grew(bytes: number): void {
    this.#waiting += bytes
    if (this.#waiting < countedAtOnce) return
    this.account(this.#waiting)
    this.#counted += this.#waiting
    this.#waiting = 0
  }

  /** Call it when nothing refers to them any more. */
  giveBack(): void {
    this.account(-this.#counted)
    this.#counted = 0
  }

  has(value: Json): boolean {
    return typeof value === 'object' && value !== null && this.#made.has(value)
  }

  add(value: Container): void {
    this.#made.add(value)
  }

  /** Call it when something else may refer to one of them. */
  clear(): void {
    this.#made = new WeakSet()
  }
}

/** `old + value` in place, where that is possible. */
export function appendInPlace(old: Json, value: Json, owned: Owned): boolean {
  if (!owned.has(old)) return false
  if (Array.isArray(old) && Array.isArray(value)) {
    for (const item of value) {
      old.push(item)
      owned.grew(itemBytes(item))
    }
    return true
  }
  if (!(old instanceof Map) || !(value instanceof Map)) return false
  for (const [key, item] of value) {
    if (!old.has(key)) owned.grew(memberBytes(key, item))
    old.set(key, item)
  }
  return true
}

/** Whether an expression has nothing of its input in its outputs. */
export function ignoresInput(node: Node | undefined): boolean {
  if (node === undefined) return true
  switch (node.kind) {
    case 'literal':
    case 'location':
    case 'variable':
      return true
    case 'string':
    case 'format':
      // Text has no part that can be changed.
      return true
    case 'index':
      return ignoresInput(node.of)
    case 'slice':
    case 'iterate':
      return ignoresInput(node.of)
    case 'array':
      return ignoresInput(node.items)
    case 'object':
      return node.entries.every(({ value }) => ignoresInput(value))
    case 'pipe':
      return ignoresInput(node.left)
    case 'negate':
      return true
    case 'comma':
    case 'alternative':
    case 'binary':
      return ignoresInput(node.left) && ignoresInput(node.right)
    case 'and':
    case 'or':
      return true
    case 'if':
      return ignoresInput(node.then) && ignoresInput(node.otherwise)
    default:
      return false
  }
}
