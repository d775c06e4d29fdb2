/** Parts that compiled code consists of. */
import { describe } from '../paths.js'
import { JqError, type Json } from '../values.js'
import type { Code } from './code.js'

export const identity: Code = {
  run: (input, _env, emit) => emit(input),
  paths: (path, input, _env, emit) => emit(path, input),
  update: (input, _env, _owned, emit) => emit(input),
}

/** Code that can't be a path. */
export const valueCode = (run: Code['run']): Code => ({
  run,
  paths(_path, input, env) {
    run(input, env, (value) => {
      const text = describe(value)
      throw new JqError(`Invalid path expression with result ${text.slice(text.indexOf('(') + 1, -1)}`)
    })
  },
})

export const constant = (value: Json): Code => valueCode((_input, _env, emit) => emit(value))
