/** Code that runs one of several. */
import { isTruthy, JqError, type Json } from '../values.js'
import { updateOfIf } from './assign.js'
import type { Code } from './code.js'
import { valueCode } from './code-parts.js'
import { changed, outputsOf, streamIf } from './stream.js'

export function compileIf(test: Code, yes: Code, no: Code): Code {
  return {
    run: (input, env, emit) => test.run(input, env, (value) => (isTruthy(value) ? yes : no).run(input, env, emit)),
    paths: (path, input, env, emit) =>
      test.run(input, env, (value) => (isTruthy(value) ? yes : no).paths(path, input, env, emit)),
    ...updateOfIf(test, yes, no),
    ...streamIf([yes, no], (input, env) =>
      changed(test, input, env, (value) => outputsOf(isTruthy(value) ? yes : no, input, env)),
    ),
  }
}

/** `decided`: what the left side alone can make the result: true of `or`, false of `and`. */
export function compileLogic(left: Code, right: Code, decided: boolean): Code {
  return valueCode((input, env, emit) =>
    left.run(input, env, (first) => {
      if (isTruthy(first) === decided) emit(decided)
      else right.run(input, env, (second) => emit(isTruthy(second)))
    }),
  )
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

export function compileTry(body: Code, handler: Code | undefined): Code {
  /** Errors behind the body are not its errors. */
  const guarded = (run: (outside: (emit: () => void) => void) => void): JqError | undefined => {
    let isInside = true
    try {
      run((emit) => {
        isInside = false
        emit()
        isInside = true
      })
      return undefined
    } catch (error) {
      if (!isInside || !(error instanceof JqError)) throw error
      if (isBreak(error)) throw error
      return error
    }
  }
  return {
    run(input, env, emit) {
      const error = guarded((outside) => body.run(input, env, (value) => outside(() => emit(value))))
      if (error !== undefined) handler?.run(error.value, env, emit)
    },
    paths(path, input, env, emit) {
      const error = guarded((outside) =>
        body.paths(path, input, env, (inner, value) => outside(() => emit(inner, value))),
      )
      if (error !== undefined) handler?.paths(path, error.value, env, emit)
    },
    ...streamIf([body], function* (input, env) {
      try {
        // An error of what takes the outputs is not thrown in here.
        yield* outputsOf(body, input, env)
      } catch (error) {
        if (!(error instanceof JqError) || isBreak(error)) throw error
        if (handler !== undefined) yield* outputsOf(handler, error.value, env)
      }
    }),
  }
}

const isBreak = ({ value }: JqError) => value instanceof Map && value.has('__jq')
