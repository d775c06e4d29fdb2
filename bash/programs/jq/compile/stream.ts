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

/** The outputs that are left. */
class Rest {
  constructor(readonly outputs: Iterable<Json>) {}
}

/**
 * The outputs of a generator, then those that it returns as its rest. The rest takes the place of the generator: a function
 * that ends with a call of itself goes on and on without getting slower.
 */
class Continued implements IterableIterator<Json> {
  constructor(private current: Iterator<Json, unknown>) {}

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<Json, undefined> {
    for (;;) {
      const result = this.current.next()
      if (result.done !== true) return result
      if (!(result.value instanceof Rest)) return { done: true, value: undefined }
      const rest = result.value.outputs[Symbol.iterator]()
      this.current = rest instanceof Continued ? rest.current : rest
    }
  }

  return(): IteratorResult<Json, undefined> {
    this.current.return?.()
    return { done: true, value: undefined }
  }
}

/** Every output of `left` is the input of `right`. */
export function piped(left: Code, right: Code, input: Json, env: Env | undefined): Iterable<Json> {
  return new Continued(pipedParts(left, right, input, env))
}

function* pipedParts(left: Code, right: Code, input: Json, env: Env | undefined): Generator<Json, Rest | undefined> {
  const inputs = outputsOf(left, input, env)
  if (!Array.isArray(inputs)) {
    for (const value of inputs) yield* outputsOf(right, value, env)
    return undefined
  }
  for (let at = 0; at < inputs.length - 1; at += 1) yield* outputsOf(right, inputs[at], env)
  return inputs.length === 0 ? undefined : new Rest(outputsOf(right, inputs.at(-1), env))
}

export function concatenated(left: Code, right: Code, input: Json, env: Env | undefined): Iterable<Json> {
  return new Continued(concatenatedParts(left, right, input, env))
}

function* concatenatedParts(left: Code, right: Code, input: Json, env: Env | undefined): Generator<Json, Rest> {
  yield* outputsOf(left, input, env)
  return new Rest(outputsOf(right, input, env))
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
