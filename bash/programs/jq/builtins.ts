/** Builtins that are written here: control first, then functions of values. */
import { entryOf } from '../../../src/text/entry-of.js'
import { Break, type Code, type Env, Halt, type JqContext, Label } from './compile/code.js'
import { longer, valueCode, wholePath } from './compile/code-parts.js'
import { changed, limited, outputsOf, streamIf } from './compile/stream.js'
import { applyFormat } from './formats.js'
import { compactText } from './json/json-text.js'
import { mathFunctions } from './math.js'
import { deletePaths, describe, getPath, setPath } from './paths.js'
import { preludeNames } from './prelude.js'
import { eachMatch, matchObjects, regexRequest } from './regex.js'
import { valueFunctions } from './value-functions.js'
import { compare, isTruthy, JqError, type Json, objectOf } from './values.js'

type Make = (args: readonly Code[], context: JqContext) => Code

export function makeNative(signature: string, args: readonly Code[], context: JqContext): Code | undefined {
  const make = entryOf(control, signature)
  if (make !== undefined) return make(args, context)
  const value = entryOf(valueFunctions, signature) ?? entryOf(mathFunctions, signature)
  if (value === undefined) return undefined
  if (args.length === 0) return valueCode((input, _env, emit) => emit(value(context, input)))
  // The last argument is the outermost loop.
  return valueCode((input, env, emit) => {
    const collect = (index: number, tail: readonly Json[]): void => {
      if (index < 0) emit(value(context, input, ...tail))
      else (args[index] as Code).run(input, env, (given) => collect(index - 1, [given, ...tail]))
    }
    collect(args.length - 1, [])
  })
}

/** Runs until `stop` is called. */
function untilStopped(run: (stop: () => never) => void): void {
  const label = new Label()
  try {
    run(() => {
      throw new Break(label)
    })
  } catch (error) {
    if (!(error instanceof Break) || error.label !== label) throw error
  }
}

function first(code: Code): Code {
  return {
    run: (input, env, emit) => {
      let found: Json | undefined
      untilStopped((stop) =>
        code.run(input, env, (value) => {
          found = value
          stop()
        }),
      )
      if (found !== undefined) emit(found)
    },
    paths: (path, input, env, emit) => {
      let found: [Json[], Json] | undefined
      untilStopped((stop) =>
        code.paths(path, input, env, (inner, value) => {
          found = [inner, value]
          stop()
        }),
      )
      if (found !== undefined) emit(...found)
    },
  }
}

/** Values depth first; the outputs of `next` for one value are known before the next value is taken. */
function walkFrom(
  start: Json,
  context: JqContext,
  use: (value: Json) => boolean,
  next: (value: Json, add: (value: Json) => void) => void,
): void {
  const waiting: Json[] = [start]
  while (waiting.length > 0) {
    context.step()
    const value = waiting.pop() as Json
    if (!use(value)) continue
    const found: Json[] = []
    next(value, (inner) => found.push(inner))
    for (let at = found.length - 1; at >= 0; at -= 1) waiting.push(found[at] as Json)
  }
}

/** The same for outputs one by one: the values that `takes` is true for. */
function* walked(
  start: Json,
  context: JqContext,
  takes: (value: Json) => boolean,
  next: (value: Json, add: (value: Json) => void) => void,
): Generator<Json> {
  const waiting: Json[] = [start]
  while (waiting.length > 0) {
    context.step()
    const value = waiting.pop() as Json
    if (!takes(value)) continue
    yield value
    const found: Json[] = []
    next(value, (inner) => found.push(inner))
    for (let at = found.length - 1; at >= 0; at -= 1) waiting.push(found[at] as Json)
  }
}

function recurse(step: Code | undefined, context: JqContext): Code {
  const children = (value: Json, add: (value: Json) => void) => {
    if (Array.isArray(value) || value instanceof Map) for (const item of value.values()) add(item)
  }
  return {
    run: (input, env, emit) =>
      walkFrom(
        input,
        context,
        (value) => {
          emit(value)
          return true
        },
        step === undefined ? children : (value, add) => step.run(value, env, add),
      ),
    stream: (input, env) =>
      walked(input, context, () => true, step === undefined ? children : (value, add) => step.run(value, env, add)),
    paths: (path, input, env, emit) => {
      const visit = (at: Json[], value: Json): void => {
        context.step()
        emit(at, value)
        if (step !== undefined) step.paths(at, value, env, visit)
        else if (Array.isArray(value) || value instanceof Map) {
          for (const [key, item] of value.entries()) visit(longer(at, key, value), item)
        }
      }
      visit(path, input)
    },
  }
}

function select(condition: (args: readonly Code[]) => Code): Make {
  return (args) => {
    const test = condition(args)
    return {
      run: (input, env, emit) =>
        test.run(input, env, (value) => {
          if (isTruthy(value)) emit(input)
        }),
      paths: (path, input, env, emit) =>
        test.run(input, env, (value) => {
          if (isTruthy(value)) emit(path, input)
        }),
    }
  }
}

const ofType = (test: (value: Json) => boolean): Make =>
  select(() => valueCode((input, _env, emit) => emit(test(input))))

function range(from: Code, to: Code, by: Code | undefined, context: JqContext): Code {
  const count = (start: Json, end: Json, step: number, emit: (value: Json) => void) => {
    if (typeof start !== 'number' || typeof end !== 'number') throw new JqError('Range bounds must be numeric')
    if (step > 0) {
      for (let at = start; at < end; at += step) {
        context.step()
        emit(at)
      }
    } else if (step < 0) {
      for (let at = start; at > end; at += step) {
        context.step()
        emit(at)
      }
    }
  }
  function* counted(start: Json, end: Json, step: Json): Generator<Json> {
    if (typeof start !== 'number' || typeof end !== 'number') throw new JqError('Range bounds must be numeric')
    if (typeof step !== 'number') throw new JqError('Range bounds must be numeric')
    for (let at = start; step > 0 ? at < end : step < 0 && at > end; at += step) {
      context.step()
      yield at
    }
  }
  const code = valueCode((input, env, emit) =>
    from.run(input, env, (start) =>
      to.run(input, env, (end) => {
        if (by === undefined) count(start, end, 1, emit)
        else {
          by.run(input, env, (step) => {
            if (typeof step !== 'number') throw new JqError('Range bounds must be numeric')
            count(start, end, step, emit)
          })
        }
      }),
    ),
  )
  return {
    ...code,
    stream: (input, env) =>
      changed(from, input, env, (start) =>
        changed(to, input, env, (end) =>
          by === undefined ? counted(start, end, 1) : changed(by, input, env, (step) => counted(start, end, step)),
        ),
      ),
  }
}

const zero: Code = valueCode((_input, _env, emit) => emit(0))
const identity: Code = {
  run: (input, _env, emit) => emit(input),
  paths: (path, input, _env, emit) => emit(path, input),
}
const iterate: Code = valueCode((input, _env, emit) => {
  if (!Array.isArray(input) && !(input instanceof Map)) throw new JqError(`Cannot iterate over ${describe(input)}`)
  for (const item of input.values()) emit(item)
})

/** `any` and `all`: whether some output of the source decides. */
function quantifier(decided: boolean, source: Code, condition: Code): Code {
  return valueCode((input, env, emit) => {
    let result = !decided
    untilStopped((stop) =>
      source.run(input, env, (value) =>
        condition.run(value, env, (answer) => {
          if (isTruthy(answer) !== decided) return
          result = decided
          stop()
        }),
      ),
    )
    emit(result)
  })
}

/** The items of an array with the outputs of `key` for each. */
function keyed(input: Json, name: string, key: (item: Json) => Json[]): Array<{ item: Json; key: Json[] }> {
  if (!Array.isArray(input)) throw new JqError(`Cannot index ${name}`)
  return input.map((item) => ({ item, key: key(item) }))
}

function byKey(use: (entries: Array<{ item: Json; key: Json[] }>) => Json): Make {
  return ([code]) =>
    valueCode((input, env, emit) => {
      if (!Array.isArray(input)) {
        if (input instanceof Map || input === null)
          throw new JqError(`Cannot index ${input === null ? 'null' : 'object'} with number`)
        throw new JqError(`${describe(input)} cannot be sorted, as it is not an array`)
      }
      emit(
        use(
          keyed(input, 'array', (item) => {
            const keys: Json[] = []
            ;(code as Code).run(item, env, (key) => keys.push(key))
            return keys
          }),
        ),
      )
    })
}

type Entry = { item: Json; key: Json[] }
const sorted = (entries: Entry[]) => entries.sort((one, other) => compare(one.key, other.key))

function groups(entries: Entry[]): Entry[][] {
  const found: Entry[][] = []
  for (const entry of sorted(entries)) {
    const last = found.at(-1)
    if (last !== undefined && compare((last[0] as Entry).key, entry.key) === 0) last.push(entry)
    else found.push([entry])
  }
  return found
}

function extreme(direction: 1 | -1): (entries: Entry[]) => Json {
  return (entries) => {
    let best: Entry | undefined
    for (const entry of entries) {
      if (best === undefined) {
        best = entry
        continue
      }
      const order = compare(entry.key, best.key)
      if (direction === 1 ? order >= 0 : order < 0) best = entry
    }
    return best?.item ?? null
  }
}

/** `sub` and `gsub`: every output of the replacement gives one result. */
function substitute(isGlobal: boolean): Make {
  return ([pattern, replacement, flags]) =>
    valueCode((input, env, emit) => {
      const withFlags = (use: (letters: Json) => void) => (flags === undefined ? use(null) : flags.run(input, env, use))
      withFlags((letters) =>
        (pattern as Code).run(input, env, (expression) => {
          const request = regexRequest(input, expression, letters, isGlobal)
          const text = input as string
          const found: RegExpExecArray[] = []
          const names = eachMatch(text, request, (match) => found.push(match))
          // The outputs of the last replacement are the outermost loop.
          const build = (index: number, rest: string, to: number): void => {
            const match = found[index]
            if (match === undefined) {
              emit(text.slice(0, to) + rest)
              return
            }
            const captures = objectOf(Object.fromEntries(names.map((name) => [name, match.groups?.[name] ?? null])))
            ;(replacement as Code).run(captures, env, (value) => {
              if (typeof value !== 'string') {
                throw new JqError(`${describe(captures)} cannot be added to a string`)
              }
              build(index - 1, value + text.slice(match.index + match[0].length, to) + rest, match.index)
            })
          }
          build(found.length - 1, '', text.length)
        }),
      )
    })
}

function matching(use: (matches: () => ReturnType<typeof matchObjects>, emit: (value: Json) => void) => void): Make {
  return ([pattern, flags]) =>
    valueCode((input, env, emit) => {
      const withFlags = (run: (letters: Json) => void) => (flags === undefined ? run(null) : flags.run(input, env, run))
      withFlags((letters) =>
        (pattern as Code).run(input, env, (expression) => {
          const [given, own] = Array.isArray(expression) ? expression : [expression, letters]
          use(() => matchObjects(input, given ?? null, own ?? null, false), emit)
        }),
      )
    })
}

/** An error that is null is none: there just is no output. */
function fail(value: Json): void {
  if (value !== null) throw new JqError(value)
}

const control: Readonly<Record<string, Make>> = {
  'empty/0': () => ({ run() {}, paths() {} }),
  'error/0': () => ({ run: fail, paths: (_path, input) => fail(input) }),
  'error/1': ([message]) => {
    return {
      run: (input, env) => (message as Code).run(input, env, fail),
      paths: (_path, input, env) => (message as Code).run(input, env, fail),
    }
  },
  'not/0': () => valueCode((input, _env, emit) => emit(!isTruthy(input))),
  'select/1': select(([code]) => code as Code),
  'values/0': ofType((value) => value !== null),
  'nulls/0': ofType((value) => value === null),
  'booleans/0': ofType((value) => typeof value === 'boolean'),
  'numbers/0': ofType((value) => typeof value === 'number'),
  'strings/0': ofType((value) => typeof value === 'string'),
  'arrays/0': ofType((value) => Array.isArray(value)),
  'objects/0': ofType((value) => value instanceof Map),
  'iterables/0': ofType((value) => Array.isArray(value) || value instanceof Map),
  'scalars/0': ofType((value) => !Array.isArray(value) && !(value instanceof Map)),
  'recurse/0': (_args, context) => recurse(undefined, context),
  'recurse/1': ([step], context) => recurse(step, context),
  'path/1': ([code]) =>
    valueCode((input, env, emit) =>
      (code as Code).paths([], input, env, (path, value) => emit(wholePath(path, value))),
    ),
  'paths/0': (_args, context) =>
    valueCode((input, env, emit) =>
      recurse(undefined, context).paths([], input, env, (path) => {
        if (path.length > 0) emit(path)
      }),
    ),
  'paths/1': ([test], context) =>
    valueCode((input, env, emit) =>
      recurse(undefined, context).paths([], input, env, (path, value) => {
        if (path.length === 0) return
        ;(test as Code).run(value, env, (answer) => {
          if (isTruthy(answer)) emit(path)
        })
      }),
    ),
  'getpath/1': ([code]) => ({
    run: (input, env, emit) => (code as Code).run(input, env, (path) => emit(getPath(input, asPath(path)))),
    paths: (at, input, env, emit) =>
      (code as Code).run(input, env, (path) => {
        const keys = asPath(path)
        emit(
          keys.reduce<Json[]>((path, key) => longer(path, key, input), at),
          getPath(input, keys),
        )
      }),
  }),
  'setpath/2': ([paths, values]) =>
    valueCode((input, env, emit) =>
      (values as Code).run(input, env, (value) =>
        (paths as Code).run(input, env, (path) => emit(setPath(input, asPath(path), value))),
      ),
    ),
  'delpaths/1': ([code]) =>
    valueCode((input, env, emit) =>
      (code as Code).run(input, env, (paths) => {
        if (!Array.isArray(paths)) throw new JqError('Paths must be specified as an array')
        emit(deletePaths(input, paths))
      }),
    ),
  'range/1': ([to], context) => range(zero, to as Code, undefined, context),
  'range/2': ([from, to], context) => range(from as Code, to as Code, undefined, context),
  'range/3': ([from, to, by], context) => range(from as Code, to as Code, by as Code, context),
  'first/0': () => ({
    run: (input, _env, emit) => emit(itemAt(input, 0)),
    paths: (path, input, _env, emit) => emit(longer(path, 0, input), itemAt(input, 0)),
  }),
  'last/0': () => ({
    run: (input, _env, emit) => emit(itemAt(input, -1)),
    paths: (path, input, _env, emit) => emit(longer(path, -1, input), itemAt(input, -1)),
  }),
  'first/1': ([code]) => first(code as Code),
  'last/1': ([code]) => ({
    run: (input, env, emit) => {
      let last: Json | undefined
      ;(code as Code).run(input, env, (value) => {
        last = value
      })
      if (last !== undefined) emit(last)
    },
    paths: (path, input, env, emit) => {
      let last: [Json[], Json] | undefined
      ;(code as Code).paths(path, input, env, (inner, value) => {
        last = [inner, value]
      })
      if (last !== undefined) emit(...last)
    },
  }),
  'nth/1': ([index]) => ({
    run: (input, env, emit) => (index as Code).run(input, env, (at) => emit(itemAt(input, at))),
    paths: (path, input, env, emit) =>
      (index as Code).run(input, env, (at) => emit(longer(path, at, input), itemAt(input, at))),
  }),
  'nth/2': ([index, code]) =>
    valueCode((input, env, emit) =>
      (index as Code).run(input, env, (at) => {
        if (typeof at !== 'number' || at < 0) throw new JqError("nth doesn't support negative indices")
        let count = 0
        let found: Json | undefined
        untilStopped((stop) =>
          (code as Code).run(input, env, (value) => {
            found = value
            if (count === Math.floor(at)) stop()
            count += 1
          }),
        )
        if (found !== undefined) emit(found)
      }),
    ),
  'limit/2': ([limit, code]) => {
    const runLimited = (count: Json, run: (use: (emit: () => void) => void) => void) => {
      if (typeof count !== 'number' || count < 0) {
        run((emit) => emit())
        return
      }
      let seen = 0
      untilStopped((stop) =>
        run((emit) => {
          seen += 1
          emit()
          if (seen >= count) stop()
        }),
      )
    }
    return {
      run: (input, env, emit) =>
        (limit as Code).run(input, env, (count) =>
          runLimited(count, (use) => (code as Code).run(input, env, (value) => use(() => emit(value)))),
        ),
      ...streamIf([code as Code], (input, env) =>
        changed(limit as Code, input, env, (count) => limited(outputsOf(code as Code, input, env), count)),
      ),
      paths: (path, input, env, emit) =>
        (limit as Code).run(input, env, (count) =>
          runLimited(count, (use) =>
            (code as Code).paths(path, input, env, (inner, value) => use(() => emit(inner, value))),
          ),
        ),
    }
  },
  'until/2': ([test, next], context) =>
    valueCode((input, env, emit) =>
      walkFrom(
        input,
        context,
        (value) => {
          let isDone = false
          ;(test as Code).run(value, env, (answer) => {
            isDone = isTruthy(answer)
          })
          if (isDone) emit(value)
          return !isDone
        },
        (value, add) => (next as Code).run(value, env, add),
      ),
    ),
  'while/2': ([test, next], context) => {
    const values = (input: Json, env: Env | undefined) =>
      walked(
        input,
        context,
        (value) => {
          let goesOn = false
          ;(test as Code).run(value, env, (answer) => {
            goesOn = isTruthy(answer)
          })
          return goesOn
        },
        (value, add) => (next as Code).run(value, env, add),
      )
    const code = valueCode((input, env, emit) => {
      for (const value of values(input, env)) emit(value)
    })
    return { ...code, stream: values }
  },
  // Of this version: the outputs for the same input again and again.
  'repeat/1': ([next], context) => ({
    ...valueCode((input, env, emit) => {
      for (;;) {
        context.step()
        ;(next as Code).run(input, env, emit)
      }
    }),
    *stream(input, env) {
      for (;;) {
        context.step()
        yield* outputsOf(next as Code, input, env)
      }
    },
  }),
  'isempty/1': ([code]) =>
    valueCode((input, env, emit) => {
      let isEmpty = true
      untilStopped((stop) =>
        (code as Code).run(input, env, () => {
          isEmpty = false
          stop()
        }),
      )
      emit(isEmpty)
    }),
  'any/0': () => quantifier(true, iterate, identity),
  'any/1': ([test]) => quantifier(true, iterate, test as Code),
  'any/2': ([source, test]) => quantifier(true, source as Code, test as Code),
  'all/0': () => quantifier(false, iterate, identity),
  'all/1': ([test]) => quantifier(false, iterate, test as Code),
  'all/2': ([source, test]) => quantifier(false, source as Code, test as Code),
  'sort_by/1': byKey((entries) => sorted(entries).map(({ item }) => item)),
  'group_by/1': byKey((entries) => groups(entries).map((group) => group.map(({ item }) => item))),
  'unique_by/1': byKey((entries) => groups(entries).map(([entry]) => (entry as Entry).item)),
  'min_by/1': byKey(extreme(-1)),
  'max_by/1': byKey(extreme(1)),
  'sub/2': substitute(false),
  'sub/3': substitute(false),
  'gsub/2': substitute(true),
  'gsub/3': substitute(true),
  'test/1': matching((matches, emit) => emit(matches().length > 0)),
  'test/2': matching((matches, emit) => emit(matches().length > 0)),
  'match/1': matching((matches, emit) => {
    for (const match of matches()) emit(match)
  }),
  'match/2': matching((matches, emit) => {
    for (const match of matches()) emit(match)
  }),
  'input/0': (_args, context) =>
    valueCode((_input, _env, emit) => {
      const next = context.nextInput()
      if (next === undefined) throw new JqError('break')
      emit(next)
    }),
  'inputs/0': (_args, context) => ({
    ...valueCode((_input, _env, emit) => {
      for (let next = context.nextInput(); next !== undefined; next = context.nextInput()) emit(next)
    }),
    *stream() {
      for (let next = context.nextInput(); next !== undefined; next = context.nextInput()) yield next
    },
  }),
  'debug/0': (_args, context) => ({
    run: (input, _env, emit) => {
      context.writeError(`${compactText(['DEBUG:', input])}\n`)
      emit(input)
    },
    paths: (path, input, _env, emit) => {
      context.writeError(`${compactText(['DEBUG:', input])}\n`)
      emit(path, input)
    },
  }),
  'stderr/0': (_args, context) =>
    valueCode((input, _env, emit) => {
      context.writeError(compactText(input))
      emit(input)
    }),
  'halt/0': () =>
    valueCode(() => {
      throw new Halt(0, '')
    }),
  'halt_error/1': ([status]) =>
    valueCode((input, env) =>
      (status as Code).run(input, env, (code) => {
        if (typeof code !== 'number') throw new JqError('halt_error/1: number required')
        const text = typeof input === 'string' ? input : input === null ? '' : `${compactText(input)}\n`
        throw new Halt(code, text)
      }),
    ),
  'format/1': ([name]) =>
    valueCode((input, env, emit) =>
      (name as Code).run(input, env, (format) => {
        if (typeof format !== 'string') throw new JqError(`${describe(format)} is not a valid format`)
        emit(applyFormat(format, input))
      }),
    ),
  'builtins/0': () =>
    valueCode((_input, _env, emit) =>
      emit(
        [
          ...Object.keys(control),
          ...Object.keys(valueFunctions),
          ...Object.keys(mathFunctions),
          ...preludeNames(),
        ].filter((name) => !name.startsWith('_')),
      ),
    ),
}

function asPath(path: Json): Json[] {
  if (!Array.isArray(path)) throw new JqError('Path must be specified as an array')
  return path
}

function itemAt(input: Json, at: Json): Json {
  return getPath(input, [at])
}
