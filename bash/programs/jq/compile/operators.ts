/** Operators that compute with values, or put the outputs of two sides together. */
import { add, applyOperator } from '../arithmetic.js'
import { describe } from '../paths.js'
import type { Node } from '../syntax.js'
import { JqError, type Json } from '../values.js'
import { addTo, updateOfPipe } from './assign.js'
import type { Code } from './code.js'
import { valueCode } from './code-parts.js'
import { type Account, checkText } from './memory.js'
import { ignoresInput } from './owned.js'
import { changed, concatenated, hasStream, piped, streamIf } from './stream.js'

export function compilePipe(left: Code, right: Code): Code {
  return {
    run: (input, env, emit) => left.run(input, env, (value) => right.run(value, env, emit)),
    paths: (path, input, env, emit) =>
      left.paths(path, input, env, (inner, value) => right.paths(inner, value, env, emit)),
    ...streamIf([left, right], (input, env) => piped(left, right, input, env)),
    ...updateOfPipe(left, right),
  }
}

export function compileComma(left: Code, right: Code): Code {
  return {
    run(input, env, emit) {
      left.run(input, env, emit)
      right.run(input, env, emit)
    },
    paths(path, input, env, emit) {
      left.paths(path, input, env, emit)
      right.paths(path, input, env, emit)
    },
    ...streamIf([left, right], (input, env) => concatenated(left, right, input, env)),
  }
}

export function compileNegation(of: Code): Code {
  return valueCode((input, env, emit) =>
    of.run(input, env, (value) => {
      if (typeof value !== 'number') throw new JqError(`${describe(value)} cannot be negated`)
      emit(-value)
    }),
  )
}

export function compileBinary(node: Node & { kind: 'binary' }, compile: (side: Node) => Code, account: Account): Code {
  const left = compile(node.left)
  const right = compile(node.right)
  const plain = applyOperator(node.operator)
  const makesText = node.operator === '+' || node.operator === '*'
  const apply = makesText ? (one: Json, other: Json) => checkText(plain(one, other), account) : plain
  const code = valueCode((input, env, emit) =>
    right.run(input, env, (second) => left.run(input, env, (first) => emit(apply(first, second)))),
  )
  if (plain === add && node.left.kind === 'identity')
    return { ...code, update: addTo(right, ignoresInput(node.right), account) }
  if (!hasStream(left, right)) return code
  return {
    ...code,
    stream: (input, env) =>
      changed(right, input, env, (second) => changed(left, input, env, (first) => [apply(first, second)])),
  }
}
