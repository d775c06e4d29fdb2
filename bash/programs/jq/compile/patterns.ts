/** Patterns that bind variables to parts of values. */

import { indexValue } from '../paths.js'
import type { Pattern } from '../syntax.js'
import { JqError, type Json, typeOf } from '../values.js'
import type { Code, Env } from './code.js'
import { bind, type Compile, type Scope } from './scope.js'

type Found = ReadonlyMap<string, Json>
type Matcher = (value: Json, input: Json, env: Env | undefined, sofar: Found, use: (found: Found) => void) => void

/** Binds the variables of patterns. With several, the next one is tried when the code behind fails. */
export function destructure<Target extends Code>(
  patterns: readonly Pattern[],
  scope: Scope | undefined,
  compileBody: (scope: Scope | undefined) => Target,
  compile: Compile,
) {
  const names = [...new Set(patterns.flatMap(variablesOf))]
  let inner = scope
  for (const name of names) inner = { name: `$${name}`, next: inner }
  const body = compileBody(inner)
  const matchers = patterns.map((pattern) => compilePattern(pattern, scope, compile))
  return (value: Json, input: Json, env: Env | undefined, use: (code: Target, env: Env | undefined) => void): void => {
    const attempt = (matcher: Matcher) =>
      matcher(value, input, env, new Map(), (found) => {
        let extended = env
        for (const name of names) extended = bind(found.get(name) ?? null, extended)
        use(body, extended)
      })
    for (const [index, matcher] of matchers.entries()) {
      if (index === matchers.length - 1) {
        attempt(matcher)
        return
      }
      try {
        attempt(matcher)
        return
      } catch (error) {
        if (!(error instanceof JqError)) throw error
      }
    }
  }
}

function compilePattern(pattern: Pattern, scope: Scope | undefined, compile: Compile): Matcher {
  if (pattern.kind === 'variable') {
    return (value, _input, _env, sofar, use) => use(new Map(sofar).set(pattern.name, value))
  }
  if (pattern.kind === 'array') {
    const items = pattern.items.map((item) => compilePattern(item, scope, compile))
    return (value, input, env, sofar, use) => {
      if (value !== null && !Array.isArray(value)) throw new JqError(`Cannot index ${typeOf(value)} with number`)
      const next = (index: number, found: Found): void => {
        const item = items[index]
        if (item === undefined) use(found)
        else item(indexValue(value, index), input, env, found, (more) => next(index + 1, more))
      }
      next(0, sofar)
    }
  }
  const entries = pattern.entries.map(({ variable, key, pattern: inner }) => ({
    variable,
    key: compile(key, scope),
    pattern: inner && compilePattern(inner, scope, compile),
  }))
  return (value, input, env, sofar, use) => {
    const next = (index: number, found: Found): void => {
      const entry = entries[index]
      if (entry === undefined) {
        use(found)
        return
      }
      entry.key.run(input, env, (key) => {
        if (typeof key !== 'string') throw new JqError(`Cannot index ${typeOf(value)} with ${typeOf(key)}`)
        const inner = indexValue(value, key)
        const bound = entry.variable === undefined ? found : new Map(found).set(entry.variable, inner)
        if (entry.pattern === undefined) next(index + 1, bound)
        else entry.pattern(inner, input, env, bound, (more) => next(index + 1, more))
      })
    }
    next(0, sofar)
  }
}

function variablesOf(pattern: Pattern): string[] {
  if (pattern.kind === 'variable') return [pattern.name]
  if (pattern.kind === 'array') return pattern.items.flatMap(variablesOf)
  return pattern.entries.flatMap(({ variable, pattern: inner }) => [
    ...(variable === undefined ? [] : [variable]),
    ...(inner === undefined ? [] : variablesOf(inner)),
  ])
}
