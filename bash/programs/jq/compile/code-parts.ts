/** Parts that compiled code consists of. */

import { describe } from '../paths.js'
import { isTruthy, JqError, type Json } from '../values.js'
import type { Code, Env, PathEmit } from './code.js'
import { changed, outputsOf, streamIf } from './stream.js'

export const bind = (bound: Env['bound'], next: Env | undefined): Env => ({ bound, next })

export const identity: Code = {
  run: (input, _env, emit) => emit(input),
  paths: (path, input, _env, emit) => emit(path, input),
  update: (input, _env, _owned, emit) => emit(input),
}

/** Code that can't be a path. */
export const valueCode = (run: Code['run']): Code => ({
  run,
  paths(_path, input, env, emit) {
    run(input, env, (value) => {
      throw new InvalidPath(value, emit)
    })
  },
})

export function compileIterate(of: Code): Code {
  return {
    run: (input, env, emit) =>
      of.run(input, env, (value) => {
        if (!Array.isArray(value) && !(value instanceof Map))
          throw new JqError(`Cannot iterate over ${describe(value)}`)
        for (const item of value.values()) emit(item)
      }),
    paths: (path, input, env, emit) =>
      of.paths(path, input, env, (inner, value) => {
        if (value === null) return
        if (!Array.isArray(value) && !(value instanceof Map))
          throw new JqError(`Cannot iterate over ${describe(value)}`)
        for (const [key, item] of value.entries()) emit([...inner, key], item)
      }),
    stream: (input, env) =>
      changed(of, input, env, (value) => {
        if (!Array.isArray(value) && !(value instanceof Map))
          throw new JqError(`Cannot iterate over ${describe(value)}`)
        return value.values()
      }),
  }
}

export function compileAlternative(left: Code, right: Code): Code {
  /** True when an output of the left side was taken. Its errors only end it. */
  const tryLeft = (run: (use: (value: Json, emit: () => void) => void) => void): boolean => {
    let found = false
    let isInside = true
    try {
      run((value, emit) => {
        if (!isTruthy(value)) return
        found = true
        isInside = false
        emit()
        isInside = true
      })
    } catch (error) {
      if (!isInside || !(error instanceof JqError)) throw error
    }
    return found
  }
  return {
    run(input, env, emit) {
      const found = tryLeft((use) => left.run(input, env, (value) => use(value, () => emit(value))))
      if (!found) right.run(input, env, emit)
    },
    paths(path, input, env, emit) {
      const found = tryLeft((use) =>
        left.paths(path, input, env, (inner, value) => use(value, () => emit(inner, value))),
      )
      if (!found) right.paths(path, input, env, emit)
    },
    ...streamIf([left, right], function* (input, env) {
      let found = false
      const outputs = outputsOf(left, input, env)[Symbol.iterator]()
      for (let next = nextIfFine(outputs); next !== undefined; next = nextIfFine(outputs)) {
        if (!isTruthy(next)) continue
        found = true
        yield next
      }
      if (!found) yield* outputsOf(right, input, env)
    }),
  }
}

/** The next output; none after an error. */
function nextIfFine(outputs: Iterator<Json>): Json | undefined {
  try {
    const { value, done } = outputs.next()
    return done ? undefined : value
  } catch (error) {
    if (error instanceof JqError) return undefined
    throw error
  }
}

/** A value that has no path where one is needed. */
class InvalidPath extends JqError {
  constructor(value: Json, _emit: PathEmit) {
    super(`Invalid path expression with result ${describeResult(value)}`)
  }
}

function describeResult(value: Json): string {
  const text = describe(value)
  return text.slice(text.indexOf('(') + 1, -1)
}
