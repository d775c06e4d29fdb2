/** Parts of values, which are paths too. */
import { describe, indexValue, sliceValue } from '../paths.js'
import { JqError, type Json, objectOf } from '../values.js'
import type { Code, Env } from './code.js'
import { longer, requireIterable } from './code-parts.js'
import { changed, streamIf } from './stream.js'

/** With a key that is known when it is compiled. */
export function compileField(of: Code, key: Json): Code {
  return {
    run: (input, env, emit) => of.run(input, env, (value) => emit(indexValue(value, key))),
    paths: (path, input, env, emit) =>
      of.paths(path, input, env, (inner, value) => emit(longer(inner, key, value), indexValue(value, key))),
    ...streamIf([of], (input, env) => changed(of, input, env, (value) => [indexValue(value, key)])),
  }
}

export function compileIndex(of: Code, key: Code): Code {
  return {
    run: (input, env, emit) =>
      of.run(input, env, (value) => key.run(input, env, (found) => emit(indexValue(value, found)))),
    paths: (path, input, env, emit) =>
      of.paths(path, input, env, (inner, value) =>
        key.run(input, env, (found) => emit(longer(inner, found, value), indexValue(value, found))),
      ),
    ...streamIf([of, key], (input, env) =>
      changed(of, input, env, (value) => changed(key, input, env, (found) => [indexValue(value, found)])),
    ),
  }
}

export function compileSlice(of: Code, from: Code, to: Code): Code {
  const each = (input: Json, env: Env | undefined, use: (first: Json, last: Json) => void) =>
    to.run(input, env, (last) => from.run(input, env, (first) => use(first, last)))
  return {
    run: (input, env, emit) =>
      of.run(input, env, (value) => each(input, env, (first, last) => emit(sliceValue(value, first, last)))),
    paths: (path, input, env, emit) =>
      of.paths(path, input, env, (inner, value) =>
        each(input, env, (first, last) =>
          emit(longer(inner, objectOf({ start: first, end: last }), value), sliceValue(value, first, last)),
        ),
      ),
  }
}

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
        requireIterable(inner, value)
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
