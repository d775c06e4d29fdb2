/** Outputs one at a time, so that what is written can be waited for between two of them. */

import type { Json } from '../values.js'
import type { Code, Env } from './code.js'

/** Code that has many outputs streams them; of all other code they are collected first. */
export function outputsOf(code: Code, input: Json, env: Env | undefined): Iterable<Json> {
  return code.stream?.(input, env) ?? collected((emit) => code.run(input, env, emit))
}

/** What `run` emits. An error comes after what was emitted before it. */
export function collected<Value>(run: (emit: (value: Value) => void) => void): Iterable<Value> {
  const values: Value[] = []
  try {
    run((value) => {
      values.push(value)
    })
  } catch (error) {
    return thenThrow(values, error)
  }
  return values
}

function* thenThrow<Value>(values: readonly Value[], error: unknown): Generator<Value> {
  yield* values
  throw error
}

export const hasStream = (...codes: Code[]) => codes.some(({ stream }) => stream !== undefined)

/** A part of code: its `stream`, where one of those that it consists of has one. */
export function streamIf(codes: Code[], stream: NonNullable<Code['stream']>): Pick<Code, 'stream'> {
  return hasStream(...codes) ? { stream } : {}
}

/** Every output of `left` is the input of `right`. */
export function* piped(left: Code, right: Code, input: Json, env: Env | undefined): Generator<Json> {
  for (const value of outputsOf(left, input, env)) yield* outputsOf(right, value, env)
}

export function* concatenated(left: Code, right: Code, input: Json, env: Env | undefined): Generator<Json> {
  yield* outputsOf(left, input, env)
  yield* outputsOf(right, input, env)
}

/** Applies `change` to every output of `code`. */
export function* changed(
  code: Code,
  input: Json,
  env: Env | undefined,
  change: (value: Json) => Iterable<Json>,
): Generator<Json> {
  for (const value of outputsOf(code, input, env)) yield* change(value)
}

/** At most `count` outputs; the first one always. */
export function* limited(outputs: Iterable<Json>, count: Json): Generator<Json> {
  if (typeof count !== 'number' || count < 0) {
    yield* outputs
    return
  }
  let seen = 0
  for (const value of outputs) {
    seen += 1
    yield value
    if (seen >= count) return
  }
}
