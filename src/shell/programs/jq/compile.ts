/** Compiles syntax trees to functions. */
import { add, applyOperator } from './arithmetic.js'
import { makeNative } from './builtins.js'
import { Break, Closure, type Code, type Emit, type Env, type JqContext, Label, type PathEmit } from './code.js'
import { applyFormat } from './formats.js'
import { appendInPlace, ignoresInput, Owned } from './owned.js'
import { parseProgram } from './parse.js'
import { deletePaths, describe, getPath, indexValue, setPath, sliceValue } from './paths.js'
import { preludeSource } from './prelude.js'
import { changed, collected, concatenated, hasStream, outputsOf, piped, streamIf } from './stream.js'
import { CompileError, type FunctionDefinition, type Node, type Pattern } from './syntax.js'
import { isTruthy, JqError, type Json, objectOf, typeOf } from './values.js'

interface Scope {
  readonly name: string
  readonly next: Scope | undefined
}

const bind = (bound: Env['bound'], next: Env | undefined): Env => ({ bound, next })

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

  /** Code that can't be a path. */
  const valueCode = (run: Code['run']): Code => ({
    run,
    paths(_path, input, env, emit) {
      run(input, env, (value) => {
        throw new InvalidPath(value, emit)
      })
    },
  })

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

  const identity: Code = {
    run: (input, _env, emit) => emit(input),
    paths: (path, input, _env, emit) => emit(path, input),
    update: (input, _env, _owned, emit) => emit(input),
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
        const apply = applyOperator(node.operator)
        const code = valueCode((input, env, emit) =>
          right.run(input, env, (second) => left.run(input, env, (first) => emit(apply(first, second)))),
        )
        if (apply === add && node.left.kind === 'identity') return { ...code, update: addTo(right, node.right) }
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
        return compileAssign(node, scope)
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
        const body = destructure(node.patterns, scope, (inner) => compile(node.body, inner))
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

  function compileIterate(of: Code): Code {
    return {
      run: (input, env, emit) =>
        of.run(input, env, (value) => {
          if (!Array.isArray(value) && !(value instanceof Map))
            throw new JqError(`Cannot iterate over ${describe(value)}`)
          for (const item of value.values()) emit(item)
        }),
      paths: (path, input, env, emit) =>
        of.paths(path, input, env, (inner, value) => {
          if (value === null) return
          if (!Array.isArray(value) && !(value instanceof Map))
            throw new JqError(`Cannot iterate over ${describe(value)}`)
          for (const [key, item] of value.entries()) emit([...inner, key], item)
        }),
      stream: (input, env) =>
        changed(of, input, env, (value) => {
          if (!Array.isArray(value) && !(value instanceof Map))
            throw new JqError(`Cannot iterate over ${describe(value)}`)
          return value.values()
        }),
    }
  }

  function compileArray(items: Node | undefined, scope: Scope | undefined): Code {
    if (items === undefined) return valueCode((_input, _env, emit) => emit([]))
    const code = compile(items, scope)
    return valueCode((input, env, emit) => {
      const collected: Json[] = []
      code.run(input, env, (value) => {
        collected.push(value)
      })
      emit(collected)
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

  function compileAlternative(left: Code, right: Code): Code {
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
    const body = destructure(node.patterns, scope, (inner): Code => {
      const code = compile(node.update, inner)
      return canOwn ? code : { run: code.run, paths: code.paths }
    })
    return valueCode((input, env, emit) =>
      start.run(input, env, (first) => {
        const owned = new Owned()
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
      }),
    )
  }

  function compileForeach(node: Node & { kind: 'foreach' }, scope: Scope | undefined): Code {
    const source = compile(node.source, scope)
    const start = compile(node.start, scope)
    const body = destructure(node.patterns, scope, (inner) => {
      const update = compile(node.update, inner)
      const extract = node.extract === undefined ? identity : compile(node.extract, inner)
      return { ...update, extract }
    })
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

  /** Binds the variables of patterns. With several, the next one is tried when the code behind fails. */
  function destructure<Target extends Code>(
    patterns: readonly Pattern[],
    scope: Scope | undefined,
    compileBody: (scope: Scope | undefined) => Target,
  ) {
    const names = [...new Set(patterns.flatMap(variablesOf))]
    let inner = scope
    for (const name of names) inner = { name: `$${name}`, next: inner }
    const body = compileBody(inner)
    const matchers = patterns.map((pattern) => compilePattern(pattern, scope))
    return (
      value: Json,
      input: Json,
      env: Env | undefined,
      use: (code: Target, env: Env | undefined) => void,
    ): void => {
      const attempt = (matcher: Matcher) =>
        matcher(value, input, env, new Map(), (found) => {
          let extended = env
          for (const name of names) extended = bind(found.get(name) ?? null, extended)
          use(body, extended)
        })
      for (const [index, matcher] of matchers.entries()) {
        if (index === matchers.length - 1) {
          attempt(matcher)
          return
        }
        try {
          attempt(matcher)
          return
        } catch (error) {
          if (!(error instanceof JqError)) throw error
        }
      }
    }
  }

  type Found = ReadonlyMap<string, Json>
  type Matcher = (value: Json, input: Json, env: Env | undefined, sofar: Found, use: (found: Found) => void) => void

  function compilePattern(pattern: Pattern, scope: Scope | undefined): Matcher {
    if (pattern.kind === 'variable') {
      return (value, _input, _env, sofar, use) => use(new Map(sofar).set(pattern.name, value))
    }
    if (pattern.kind === 'array') {
      const items = pattern.items.map((item) => compilePattern(item, scope))
      return (value, input, env, sofar, use) => {
        if (value !== null && !Array.isArray(value)) throw new JqError(`Cannot index ${typeOf(value)} with number`)
        const next = (index: number, found: Found): void => {
          const item = items[index]
          if (item === undefined) use(found)
          else item(indexValue(value, index), input, env, found, (more) => next(index + 1, more))
        }
        next(0, sofar)
      }
    }
    const entries = pattern.entries.map(({ variable, key, pattern: inner }) => ({
      variable,
      key: compile(key, scope),
      pattern: inner && compilePattern(inner, scope),
    }))
    return (value, input, env, sofar, use) => {
      const next = (index: number, found: Found): void => {
        const entry = entries[index]
        if (entry === undefined) {
          use(found)
          return
        }
        entry.key.run(input, env, (key) => {
          if (typeof key !== 'string') throw new JqError(`Cannot index ${typeOf(value)} with ${typeOf(key)}`)
          const inner = indexValue(value, key)
          const bound = entry.variable === undefined ? found : new Map(found).set(entry.variable, inner)
          if (entry.pattern === undefined) next(index + 1, bound)
          else entry.pattern(inner, input, env, bound, (more) => next(index + 1, more))
        })
      }
      next(0, sofar)
    }
  }

  function compileAssign(
    { operator, left: leftNode, right: rightNode }: Node & { kind: 'assign' },
    scope: Scope | undefined,
  ): Code {
    const left = compile(leftNode, scope)
    const right = compile(rightNode, scope)
    const pathsOf = (input: Json, env: Env | undefined): Json[][] => {
      const found: Json[][] = []
      left.paths([], input, env, (path) => {
        found.push(path)
      })
      return found
    }
    if (operator === '|=') {
      const change = (input: Json, env: Env | undefined, owned: Owned) =>
        update(input, pathsOf(input, env), owned, (value, use) => right.run(value, env, use))
      return updating(
        (input, env, emit) => emit(change(input, env, new Owned())),
        (input, env, owned, emit) => emit(change(input, env, owned)),
      )
    }
    const apply = operator === '=' || operator === '//=' ? undefined : applyOperator(operator.slice(0, -1))
    const isOther = ignoresInput(rightNode)

    function assign(input: Json, env: Env | undefined, value: Json, owned: Owned): Json {
      let result = input
      for (const path of pathsOf(input, env)) {
        const old = operator === '=' ? null : getPath(result, path)
        if (apply === add && appendInPlace(old, value, owned)) continue
        const next = operator === '=' ? value : apply !== undefined ? apply(old, value) : isTruthy(old) ? old : value
        result = setPath(result, path, next, owned)
        // A sum of two containers is new.
        if (apply === add && next !== old && next !== value && typeof next === 'object' && next !== null)
          owned.add(next)
      }
      return result
    }

    const run: Code['run'] = (input, env, emit) =>
      right.run(input, env, (value) => emit(assign(input, env, value, new Owned())))
    return updating(run, (input, env, owned, emit) => {
      const values: Json[] = []
      right.run(input, env, (value) => {
        values.push(value)
      })
      const [value] = values
      const isShared = !isOther && typeof value === 'object' && value !== null
      // Each output of the right side has a result of its own.
      if (values.length !== 1 || value === undefined || isShared) owned.clear()
      if (values.length === 1 && value !== undefined) emit(assign(input, env, value, owned))
      else for (const one of values) emit(assign(input, env, one, new Owned()))
    })
  }

  const updating = (run: Code['run'], change: NonNullable<Code['update']>): Code => ({
    ...valueCode(run),
    update: change,
  })

  /** `. + x`: into what is owned. */
  function addTo(right: Code, rightNode: Node): NonNullable<Code['update']> {
    const isOther = ignoresInput(rightNode)
    return (input, env, owned, emit) => {
      const values: Json[] = []
      right.run(input, env, (value) => {
        values.push(value)
      })
      if (values.length !== 1 || !isOther) owned.clear()
      for (const value of values) {
        if (appendInPlace(input, value, owned)) {
          emit(input)
          continue
        }
        const sum = add(input, value)
        if (values.length === 1 && sum !== input && sum !== value && typeof sum === 'object' && sum !== null)
          owned.add(sum)
        emit(sum)
      }
    }
  }

  function updateOfPipe(left: Code, right: Code): Pick<Code, 'update'> {
    const first = left.update
    const second = right.update
    if (first === undefined || second === undefined) return {}
    return {
      update: (input, env, owned, emit) => first(input, env, owned, (value) => second(value, env, owned, emit)),
    }
  }

  function updateOfIf(test: Code, yes: Code, no: Code): Pick<Code, 'update'> {
    const first = yes.update
    const second = no.update
    if (first === undefined || second === undefined) return {}
    return {
      update(input, env, owned, emit) {
        const answers: Json[] = []
        test.run(input, env, (answer) => {
          answers.push(answer)
        })
        if (answers.length !== 1) owned.clear()
        for (const answer of answers) {
          if (answers.length > 1) (isTruthy(answer) ? yes : no).run(input, env, emit)
          else (isTruthy(answer) ? first : second)(input, env, owned, emit)
        }
      },
    }
  }

  /** The first output at each path; without one the path is deleted. */
  function update(input: Json, paths: Json[][], owned: Owned, change: (value: Json, use: Emit) => void): Json {
    let result = input
    for (const path of paths) {
      context.step()
      const done = new Label()
      let next: Json | undefined
      const old = getPath(result, path)
      if (owned.has(old)) owned.clear()
      try {
        change(old, (value) => {
          next = value
          throw new Break(done)
        })
      } catch (error) {
        if (!(error instanceof Break) || error.label !== done) throw error
      }
      if (next !== undefined) result = setPath(result, path, next, owned)
      else {
        result = deletePaths(result, [path])
        owned.clear()
      }
    }
    return result
  }

  return { compile }
}

const isBreak = ({ value }: JqError) => value instanceof Map && value.has('__jq')

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

/** A value that has no path where one is needed. */
class InvalidPath extends JqError {
  constructor(value: Json, _emit: PathEmit) {
    super(`Invalid path expression with result ${describeResult(value)}`)
  }
}

function describeResult(value: Json): string {
  const text = describe(value)
  return text.slice(text.indexOf('(') + 1, -1)
}

function variablesOf(pattern: Pattern): string[] {
  if (pattern.kind === 'variable') return [pattern.name]
  if (pattern.kind === 'array') return pattern.items.flatMap(variablesOf)
  return pattern.entries.flatMap(({ variable, pattern: inner }) => [
    ...(variable === undefined ? [] : [variable]),
    ...(inner === undefined ? [] : variablesOf(inner)),
  ])
}
