/** Names while a program is compiled, and what they are bound to while it runs. */
import type { Node } from '../syntax.js'
import type { Code, Env } from './code.js'

/** The names that are bound, the last one first: `$name`, `name/arity` of functions, `*name` of labels. */
export interface Scope {
  readonly name: string
  readonly next: Scope | undefined
}

export type Compile = (node: Node, scope: Scope | undefined) => Code

/** How many names were bound after this one; undefined for a name that is not bound. */
export function depthOf(scope: Scope | undefined, name: string): number | undefined {
  let depth = 0
  for (let at = scope; at !== undefined; at = at.next) {
    if (at.name === name) return depth
    depth += 1
  }
  return undefined
}

export function boundAt(env: Env | undefined, depth: number): Env['bound'] {
  let at = env
  for (let count = depth; count > 0; count -= 1) at = at?.next
  return (at as Env).bound
}

export const bind = (bound: Env['bound'], next: Env | undefined): Env => ({ bound, next })
