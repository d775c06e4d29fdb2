/** `label`, and `break`, which leaves it. */
import { CompileError, type Node } from '../syntax.js'
import { Break, type Code, type Env, Label } from './code.js'
import { bind, boundAt, type Compile, depthOf, type Scope } from './scope.js'
import { outputsOf, streamIf } from './stream.js'

export function compileLabel(node: Node & { kind: 'label' }, scope: Scope | undefined, compile: Compile): Code {
  const body = compile(node.body, { name: `*${node.name}`, next: scope })
  const within = (env: Env | undefined, run: (inner: Env) => void) => {
    const label = new Label()
    try {
      run(bind(label, env))
    } catch (error) {
      if (!(error instanceof Break) || error.label !== label) throw error
    }
  }
  return {
    run: (input, env, emit) => within(env, (inner) => body.run(input, inner, emit)),
    paths: (path, input, env, emit) => within(env, (inner) => body.paths(path, input, inner, emit)),
    ...streamIf([body], function* (input, env) {
      const label = new Label()
      try {
        yield* outputsOf(body, input, bind(label, env))
      } catch (error) {
        if (!(error instanceof Break) || error.label !== label) throw error
      }
    }),
  }
}

export function compileBreak({ name }: Node & { kind: 'break' }, scope: Scope | undefined): Code {
  const depth = depthOf(scope, `*${name}`)
  if (depth === undefined) throw new CompileError(`$*label-${name} is not defined`, 1)
  const leave = (env: Env | undefined): never => {
    throw new Break(boundAt(env, depth) as Label)
  }
  return { run: (_input, env) => leave(env), paths: (_path, _input, env) => leave(env) }
}
