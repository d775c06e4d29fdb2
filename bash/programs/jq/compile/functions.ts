/** Functions: definitions, and calls of what was defined, is built in or is part of the prelude. */
import { makeNative } from '../builtins.js'
import { parseProgram } from '../parse/parse-program.js'
import { preludeSource } from '../prelude.js'
import { CompileError, type FunctionDefinition, type Node } from '../syntax.js'
import { Closure, type Code, type Env, type JqContext } from './code.js'
import { identity } from './code-parts.js'
import { bind, boundAt, type Compile, depthOf, type Scope } from './scope.js'
import { outputsOf, streamIf } from './stream.js'

export function compileDefine(node: Node & { kind: 'define' }, scope: Scope | undefined, compile: Compile): Code {
  const { name, parameters } = node.definition
  const inner: Scope = { name: `${name}/${parameters.length}`, next: scope }
  const define = compileFunction(node.definition, inner, compile)
  const body = compile(node.body, inner)
  const extend = (env: Env | undefined): Env => {
    const closure = new Closure(define, undefined)
    const extended = bind(closure, env)
    closure.env = extended
    return extended
  }
  return {
    run: (input, env, emit) => body.run(input, extend(env), emit),
    paths: (path, input, env, emit) => body.paths(path, input, extend(env), emit),
    ...streamIf([body], (input, env) => outputsOf(body, input, extend(env))),
  }
}

/** The body of a function, in a scope where its arguments are bound as closures. */
function compileFunction({ parameters, body }: FunctionDefinition, scope: Scope | undefined, compile: Compile): Code {
  let inner = scope
  for (const parameter of parameters) inner = { name: `${parameter.replace('$', '')}/0`, next: inner }
  const values = parameters.filter((parameter) => parameter.startsWith('$')).map((parameter) => parameter.slice(1))
  const bound = values.reduceRight<Node>(
    (rest, name) => ({
      kind: 'bind',
      source: { kind: 'call', name, args: [], line: 1 },
      patterns: [{ kind: 'variable', name }],
      body: rest,
    }),
    body,
  )
  return compile(bound, inner)
}

type CompileCall = (node: Node & { kind: 'call' }, scope: Scope | undefined) => Code

export function callCompiler(compile: Compile, context: JqContext): CompileCall {
  const prelude = new Map<string, Closure>()

  return ({ name, args, line }, scope) => {
    const signature = `${name}/${args.length}`
    const codes = args.map((arg) => compile(arg, scope))
    const depth = depthOf(scope, signature)
    if (depth !== undefined) return boundCall(codes, depth, context)
    const native = makeNative(signature, codes, context)
    if (native !== undefined) return native
    const source = preludeSource(signature)
    if (source === undefined) throw new CompileError(`${signature} is not defined`, line)
    return preludeCall(preludeClosure(signature, source), codes)
  }

  /** Functions written in jq itself are compiled when they are first used. */
  function preludeClosure(signature: string, source: string): Closure {
    const known = prelude.get(signature)
    if (known !== undefined) return known
    const [definition] = parseProgram(source).definitions
    if (definition === undefined) throw new CompileError(`${signature} is not defined`, 1)
    // It may call itself, so its code is filled in behind.
    let code: Code = identity
    const late: Code = {
      run: (input, env, emit) => code.run(input, env, emit),
      paths: (path, input, env, emit) => code.paths(path, input, env, emit),
      stream: (input, env) => outputsOf(code, input, env),
    }
    const closure = new Closure(late, undefined)
    prelude.set(signature, closure)
    code = compileFunction(definition, undefined, compile)
    return closure
  }
}

/** A call of what is in scope: a function, or an argument of one. */
function boundCall(codes: readonly Code[], depth: number, context: JqContext): Code {
  const prepare = (env: Env | undefined): [Closure, Env | undefined] => {
    context.step()
    const closure = boundAt(env, depth) as Closure
    let inner = closure.env
    for (const code of codes) inner = bind(new Closure(code, env), inner)
    return [closure, inner]
  }
  return {
    run(input, env, emit) {
      const [closure, inner] = prepare(env)
      closure.code.run(input, inner, emit)
    },
    paths(path, input, env, emit) {
      const [closure, inner] = prepare(env)
      closure.code.paths(path, input, inner, emit)
    },
    stream(input, env) {
      const [closure, inner] = prepare(env)
      return outputsOf(closure.code, input, inner)
    },
  }
}

/** The function needs nothing of where it is called. */
function preludeCall(closure: Closure, codes: readonly Code[]): Code {
  const prepare = (env: Env | undefined) => {
    let inner = closure.env
    for (const code of codes) inner = bind(new Closure(code, env), inner)
    return inner
  }
  return {
    run: (input, env, emit) => closure.code.run(input, prepare(env), emit),
    paths: (path, input, env, emit) => closure.code.paths(path, input, prepare(env), emit),
    stream: (input, env) => outputsOf(closure.code, input, prepare(env)),
  }
}
