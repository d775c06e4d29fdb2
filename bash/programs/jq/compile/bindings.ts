/** Variables. */
import { CompileError, type Node } from '../syntax.js'
import type { Json } from '../values.js'
import type { Code, JqContext } from './code.js'
import { constant, valueCode } from './code-parts.js'
import { destructure } from './patterns.js'
import { boundAt, type Compile, depthOf, type Scope } from './scope.js'
import { collected, outputsOf } from './stream.js'

export function compileBind(node: Node & { kind: 'bind' }, scope: Scope | undefined, compile: Compile): Code {
  const source = compile(node.source, scope)
  const body = destructure(node.patterns, scope, (inner) => compile(node.body, inner), compile)
  const code: Code = {
    run: (input, env, emit) =>
      source.run(input, env, (value) => body(value, input, env, (code, inner) => code.run(input, inner, emit))),
    paths: (path, input, env, emit) =>
      source.run(input, env, (value) => body(value, input, env, (code, inner) => code.paths(path, input, inner, emit))),
  }
  // With several patterns an error in the body makes the next one be tried.
  if (node.patterns.length > 1) return code
  return {
    ...code,
    *stream(input, env) {
      for (const value of outputsOf(source, input, env)) {
        const bodies = collected<Iterable<Json>>((emit) =>
          body(value, input, env, (inside, inner) => emit(outputsOf(inside, input, inner))),
        )
        for (const outputs of bodies) yield* outputs
      }
    },
  }
}

export function compileVariable(
  { name, line }: Node & { kind: 'variable' },
  scope: Scope | undefined,
  context: JqContext,
): Code {
  const depth = depthOf(scope, `$${name}`)
  if (depth !== undefined) return valueCode((_input, env, emit) => emit(boundAt(env, depth) as Json))
  const given = name === 'ENV' ? context.env : name === '__prog_args' ? undefined : context.named.get(name)
  if (given !== undefined) return constant(given)
  throw new CompileError(`$${name} is not defined`, line)
}
