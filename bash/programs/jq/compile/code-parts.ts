/** Parts that compiled code consists of. */
import { cutText, shortText } from '../paths.js'
import { JqError, type Json } from '../values.js'
import type { Code } from './code.js'

export const identity: Code = {
  run: (input, _env, emit) => emit(input),
  paths: (path, input, _env, emit) => emit(path, input),
  update: (input, _env, _owned, emit) => emit(input),
}

/** Stands for the path of a value that is not in the input. Whoever goes on from there or takes it fails. */
const noPath: Json[] = []

/** Code that can't be a path, unless it gives what it was given. */
export const valueCode = (run: Code['run']): Code => ({
  run,
  paths(path, input, env, emit) {
    run(input, env, (value) => emit(value === input && typeof value !== 'string' ? path : noPath, value))
  },
})

/** The path with one more key. */
export function longer(path: Json[], key: Json, of: Json): Json[] {
  if (path !== noPath) return [...path, key]
  const what = `element ${shortText(key)} of ${cutText(of, 29)}`
  throw new JqError(`Invalid path expression near attempt to access ${what}`)
}

export function requireIterable(path: Json[], of: Json): void {
  if (path !== noPath) return
  throw new JqError(`Invalid path expression near attempt to iterate through ${cutText(of, 29)}`)
}

/** What a path expression gives in the end. */
export function wholePath(path: Json[], value: Json): Json[] {
  if (path !== noPath) return path
  throw new JqError(`Invalid path expression with result ${cutText(value, 29)}`)
}

export const constant = (value: Json): Code => valueCode((_input, _env, emit) => emit(value))
