/** Compiles syntax trees to functions. */
import { add, applyOperator } from '../arithmetic.js'
import { makeNative } from '../builtins.js'
import { applyFormat } from '../formats.js'
import { parseProgram } from '../parse.js'
import { describe, indexValue, sliceValue } from '../paths.js'
import { preludeSource } from '../prelude.js'
import { CompileError, type FunctionDefinition, type Node } from '../syntax.js'
import { isTruthy, JqError, type Json, objectOf } from '../values.js'
import { addTo, compileAssign, updateOfIf, updateOfPipe } from './assign.js'
import { Break, Closure, type Code, type Env, type JqContext, Label } from './code.js'
import { bind, compileAlternative, compileIterate, identity, valueCode } from './code-parts.js'
import { checkText, countedAtOnce, itemBytes } from './memory.js'
import { ignoresInput, Owned } from './owned.js'
import { destructure, type Scope } from './patterns.js'
import { changed, collected, concatenated, hasStream, outputsOf, piped, streamIf } from './stream.js'

export function compileProgram(source: string, context: JqContext): Code {
  const compiler = createCompiler(context)
  const { definitions, body } = parseProgram(source)
  const whole = definitions.reduceRight<Node>(
    (inner, definition) => ({ kind: 'define', definition, body: inner }),
    body,
  )
  return compiler.compile(whole, undefined)
}

function createCompiler(context: JqContext) {
  const prelude = new Map<string, Closure>()

  function depthOf(scope: Scope | undefined, name: string): number | undefined {
    let depth = 0
    for (let at = scope; at !== undefined; at = at.next) {
      if (at.name === name) return depth
      depth += 1
    }
    return undefined
  }

  function boundAt(env: Env | undefined, depth: number): Env['bound'] {
    let at = env
    for (let count = depth; count > 0; count -= 1) at = at?.next
    return (at as Env).bound
  }

  function compile(node: Node, scope: Scope | undefined): Code {
    switch (node.kind) {
      case 'identity':
        return identity
      case 'recurse':
        return compile({ kind: 'call', name: 'recurse', args: [], line: 1 }, scope)
      case 'literal': {
        const { value } = node
        return valueCode((_input, _env, emit) => emit(value))
      }
      case 'location': {
        const value = objectOf({ file: '<top-level>', line: node.line })
        return valueCode((_input, _env, emit) => emit(value))
      }
      case 'string':
        return compileString(node, scope)
      case 'format':
        return valueCode((input, _env, emit) => emit(applyFormat(node.name, input)))
      case 'index':
        return compileIndex(node.of, node.key, scope)
      case 'slice':
        return compileSlice(node, scope)
      case 'iterate':
        return compileIterate(compile(node.of, scope))
      case 'array':
        return compileArray(node.items, scope)
      case 'object':
        return compileObject(node.entries, scope)
      case 'negate': {
        const of = compile(node.of, scope)
        return valueCode((input, env, emit) =>
          of.run(input, env, (value) => {
            if (typeof value !== 'number') throw new JqError(`${describe(value)} cannot be negated`)
            emit(-value)
          }),
        )
      }
      case 'pipe': {
        const left = compile(node.left, scope)
        const right = compile(node.right, scope)
        return {
          run: (input, env, emit) => left.run(input, env, (value) => right.run(value, env, emit)),
          paths: (path, input, env, emit) =>
            left.paths(path, input, env, (inner, value) => right.paths(inner, value, env, emit)),
          ...streamIf([left, right], (input, env) => piped(left, right, input, env)),
          ...updateOfPipe(left, right),
        }
      }
      case 'comma': {
        const left = compile(node.left, scope)
        const right = compile(node.right, scope)
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
      case 'binary': {
        const left = compile(node.left, scope)
        const right = compile(node.right, scope)
        const plain = applyOperator(node.operator)
        const { account } = context
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
      case 'and':
      case 'or': {
        const left = compile(node.left, scope)
        const right = compile(node.right, scope)
        const decided = node.kind === 'or'
        return valueCode((input, env, emit) =>
          left.run(input, env, (first) => {
            if (isTruthy(first) === decided) emit(decided)
            else right.run(input, env, (second) => emit(isTruthy(second)))
          }),
        )
      }
      case 'alternative':
        return compileAlternative(compile(node.left, scope), compile(node.right, scope))
      case 'assign':
        return compileAssign({
          operator: node.operator,
          left: compile(node.left, scope),
          right: compile(node.right, scope),
          isOther: ignoresInput(node.right),
          step: context.step,
        })
      case 'if':
        return compileIf(node, scope)
      case 'try':
        return compileTry(node, scope)
      case 'reduce':
        return compileReduce(node, scope)
      case 'foreach':
        return compileForeach(node, scope)
      case 'bind': {
        const source = compile(node.source, scope)
        const body = destructure(node.patterns, scope, (inner) => compile(node.body, inner), compile)
        const code: Code = {
          run: (input, env, emit) =>
            source.run(input, env, (value) => body(value, input, env, (code, inner) => code.run(input, inner, emit))),
          paths: (path, input, env, emit) =>
            source.run(input, env, (value) =>
              body(value, input, env, (code, inner) => code.paths(path, input, inner, emit)),
            ),
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
      case 'label': {
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
      case 'break': {
        const depth = depthOf(scope, `*${node.name}`)
        if (depth === undefined) throw new CompileError(`$*label-${node.name} is not defined`, 1)
        const leave = (env: Env | undefined): never => {
          throw new Break(boundAt(env, depth) as Label)
        }
        return { run: (_input, env) => leave(env), paths: (_path, _input, env) => leave(env) }
      }
      case 'variable':
        return compileVariable(node.name, node.line, scope)
      case 'call':
        return compileCall(node.name, node.args, node.line, scope)
      case 'define': {
        const { name, parameters } = node.definition
        const inner: Scope = { name: `${name}/${parameters.length}`, next: scope }
        const define = compileFunction(node.definition, inner)
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
    }
  }

  /** The body of a function, in a scope where its arguments are bound as closures. */
  function compileFunction({ parameters, body }: FunctionDefinition, scope: Scope | undefined): Code {
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

  function compileVariable(name: string, line: number, scope: Scope | undefined): Code {
    const depth = depthOf(scope, `$${name}`)
    if (depth !== undefined) return valueCode((_input, env, emit) => emit(boundAt(env, depth) as Json))
    const given = name === 'ENV' ? context.env : name === '__prog_args' ? undefined : context.named.get(name)
    if (given !== undefined) return valueCode((_input, _env, emit) => emit(given))
    throw new CompileError(`$${name} is not defined`, line)
  }

  function compileCall(name: string, args: Node[], line: number, scope: Scope | undefined): Code {
    const signature = `${name}/${args.length}`
    const depth = depthOf(scope, signature)
    if (depth !== undefined) {
      const codes = args.map((arg) => compile(arg, scope))
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
    const native = makeNative(
      signature,
      args.map((arg) => compile(arg, scope)),
      context,
    )
    if (native !== undefined) return native
    const source = preludeSource(signature)
    if (source === undefined) throw new CompileError(`${signature} is not defined`, line)
    const closure = preludeClosure(signature, source)
    const codes = args.map((arg) => compile(arg, scope))
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
    code = compileFunction(definition, undefined)
    return closure
  }

  function compileString(node: Node & { kind: 'string' }, scope: Scope | undefined): Code {
    const parts = node.parts.map((part) => (typeof part === 'string' ? part : compile(part, scope)))
    const format = node.format ?? 'text'
    // The last interpolation is the outermost loop.
    return valueCode((input, env, emit) => {
      const build = (index: number, tail: string): void => {
        if (index < 0) {
          emit(tail)
          return
        }
        const part = parts[index] as string | Code
        if (typeof part === 'string') build(index - 1, part + tail)
        else part.run(input, env, (value) => build(index - 1, String(applyFormat(format, value)) + tail))
      }
      build(parts.length - 1, '')
    })
  }

  function compileIndex(ofNode: Node, keyNode: Node, scope: Scope | undefined): Code {
    const of = compile(ofNode, scope)
    if (keyNode.kind === 'literal') {
      const key = keyNode.value
      return {
        run: (input, env, emit) => of.run(input, env, (value) => emit(indexValue(value, key))),
        paths: (path, input, env, emit) =>
          of.paths(path, input, env, (inner, value) => emit([...inner, key], indexValue(value, key))),
        ...streamIf([of], (input, env) => changed(of, input, env, (value) => [indexValue(value, key)])),
      }
    }
    const code = compile(keyNode, scope)
    return {
      run: (input, env, emit) =>
        of.run(input, env, (value) => code.run(input, env, (key) => emit(indexValue(value, key)))),
      paths: (path, input, env, emit) =>
        of.paths(path, input, env, (inner, value) =>
          code.run(input, env, (key) => emit([...inner, key], indexValue(value, key))),
        ),
      ...streamIf([of, code], (input, env) =>
        changed(of, input, env, (value) => changed(code, input, env, (key) => [indexValue(value, key)])),
      ),
    }
  }

  function compileSlice({ of: ofNode, from, to }: Node & { kind: 'slice' }, scope: Scope | undefined): Code {
    const nothing: Node = { kind: 'literal', value: null }
    const of = compile(ofNode, scope)
    const start = compile(from ?? nothing, scope)
    const end = compile(to ?? nothing, scope)
    const each = (input: Json, env: Env | undefined, use: (first: Json, last: Json) => void) =>
      end.run(input, env, (last) => start.run(input, env, (first) => use(first, last)))
    return {
      run: (input, env, emit) =>
        of.run(input, env, (value) => each(input, env, (first, last) => emit(sliceValue(value, first, last)))),
      paths: (path, input, env, emit) =>
        of.paths(path, input, env, (inner, value) =>
          each(input, env, (first, last) =>
            emit([...inner, objectOf({ start: first, end: last })], sliceValue(value, first, last)),
          ),
        ),
    }
  }

  function compileArray(items: Node | undefined, scope: Scope | undefined): Code {
    if (items === undefined) return valueCode((_input, _env, emit) => emit([]))
    const code = compile(items, scope)
    return valueCode((input, env, emit) => {
      const collected: Json[] = []
      let [counted, waiting] = [0, 0]
      code.run(input, env, (value) => {
        collected.push(value)
        waiting += itemBytes(value)
        if (waiting < countedAtOnce) return
        context.account(waiting)
        counted += waiting
        waiting = 0
      })
      emit(collected)
      if (counted > 0) context.account(-counted)
    })
  }

  function compileObject(entries: Array<{ key: Node; value: Node }>, scope: Scope | undefined): Code {
    const codes = entries.map(({ key, value }) => ({ key: compile(key, scope), value: compile(value, scope) }))
    return valueCode((input, env, emit) => {
      const build = (index: number, sofar: ReadonlyArray<readonly [string, Json]>): void => {
        const entry = codes[index]
        if (entry === undefined) {
          emit(new Map(sofar))
          return
        }
        entry.key.run(input, env, (key) => {
          if (typeof key !== 'string') throw new JqError(`Object keys must be strings`)
          entry.value.run(input, env, (value) => build(index + 1, [...sofar, [key, value]]))
        })
      }
      build(0, [])
    })
  }

  function compileIf({ condition, then, otherwise }: Node & { kind: 'if' }, scope: Scope | undefined): Code {
    const test = compile(condition, scope)
    const yes = compile(then, scope)
    const no = compile(otherwise, scope)
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

  function compileTry(
    { body: bodyNode, handler: handlerNode }: Node & { kind: 'try' },
    scope: Scope | undefined,
  ): Code {
    const body = compile(bodyNode, scope)
    const handler = handlerNode && compile(handlerNode, scope)
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

  function compileReduce(node: Node & { kind: 'reduce' }, scope: Scope | undefined): Code {
    const source = compile(node.source, scope)
    const start = compile(node.start, scope)
    const canOwn = node.patterns.length === 1
    const body = destructure(
      node.patterns,
      scope,
      (inner): Code => {
        const code = compile(node.update, inner)
        return canOwn ? code : { run: code.run, paths: code.paths }
      },
      compile,
    )
    return valueCode((input, env, emit) =>
      start.run(input, env, (first) => {
        const owned = new Owned(context.account)
        let state = first
        source.run(input, env, (value) => {
          context.step()
          body(value, input, env, (code, inner) => {
            let last: Json = null
            const use = (next: Json) => {
              last = next
            }
            if (code.update !== undefined) code.update(state, inner, owned, use)
            else code.run(state, inner, use)
            state = last
          })
        })
        emit(state)
        owned.giveBack()
      }),
    )
  }

  function compileForeach(node: Node & { kind: 'foreach' }, scope: Scope | undefined): Code {
    const source = compile(node.source, scope)
    const start = compile(node.start, scope)
    const body = destructure(
      node.patterns,
      scope,
      (inner) => {
        const update = compile(node.update, inner)
        const extract = node.extract === undefined ? identity : compile(node.extract, inner)
        return { ...update, extract }
      },
      compile,
    )
    const code = valueCode((input, env, emit) =>
      start.run(input, env, (first) => {
        let state = first
        source.run(input, env, (value) => {
          context.step()
          body(value, input, env, (code, inner) =>
            code.run(state, inner, (next) => {
              state = next
              code.extract.run(next, inner, emit)
            }),
          )
        })
      }),
    )
    if (!hasStream(source) || node.patterns.length > 1) return code
    return {
      ...code,
      stream: (input, env) =>
        changed(start, input, env, (first) => {
          let state = first
          return changed(source, input, env, (value) => {
            context.step()
            return collected((emit) =>
              body(value, input, env, (code, inner) =>
                code.run(state, inner, (next) => {
                  state = next
                  code.extract.run(next, inner, emit)
                }),
              ),
            )
          })
        }),
    }
  }

  return { compile }
}

const isBreak = ({ value }: JqError) => value instanceof Map && value.has('__jq')
