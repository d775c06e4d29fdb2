/** Subs and their calls, blocks that are expressions, and what leaves them. */
import type { Block, Expr } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { textOf } from '../values/numbers.js'
import { Leave, PerlDie, PerlExit } from '../values/perl-die.js'
import { CodeValue, PerlArray, type Scalar, type Value } from '../values/values.js'
import { all, ask, type Code, later, map, map2, now, type Want } from './code.js'
import type { Call, Compiler } from './compiler.js'

type CallExpr = Extract<Expr, { kind: 'call' | 'call-value' }>

export function callCode(compiler: Compiler, expr: CallExpr, want: Want): Code<Value[]> {
  const { runtime } = compiler
  const args: Code<PerlArray> =
    expr.kind === 'call' && expr.keepsArgs
      ? now((frame) => frame.args)
      : map(all(expr.args.map((arg) => compiler.cells(arg))), argumentsOf)
  const callee: Code<Call> = expr.kind === 'call' ? namedCall(compiler, expr.name) : valueCall(compiler, expr.of)
  if (compiler.waits(expr)) {
    return later(async (frame) => {
      const call = await ask(callee, frame)
      const given = await ask(args, frame)
      const line = runtime.lineNow
      const result = await call(given, want)
      runtime.lineNow = line
      return result
    })
  }
  return map2(callee, args, (call, given) => {
    const line = runtime.lineNow
    const result = call(given, want)
    runtime.lineNow = line
    if (!Array.isArray(result)) throw new Unsupported('waiting in this call')
    return result
  })
}

function argumentsOf(lists: Scalar[][]): PerlArray {
  const array = new PerlArray()
  const [first] = lists
  array.cells = lists.length === 1 && first !== undefined ? first : lists.flat()
  return array
}

function namedCall(compiler: Compiler, name: string): Code<Call> {
  return now(() => compiler.named(name))
}

function valueCall(compiler: Compiler, of: Expr): Code<Call> {
  return map(compiler.scalar(of), (value) => {
    if (value instanceof CodeValue) return value.call as Call
    if (value === undefined) return compiler.runtime.die("Can't use an undefined value as a subroutine reference")
    if (typeof value === 'object') return compiler.runtime.die('Not a CODE reference')
    throw new Unsupported(`a call of the text "${textOf(value).slice(0, 20)}"`)
  })
}

export function subCode(compiler: Compiler, expr: Extract<Expr, { kind: 'sub' | 'sub-reference' }>): Code<Value> {
  if (expr.kind === 'sub-reference') {
    const { name } = expr
    let made: CodeValue | undefined
    return now(() => {
      made ??= new CodeValue(name, compiler.named(name))
      return made
    })
  }
  const make = compiler.sub(expr.sub)
  return now((frame) => new CodeValue('__ANON__', make(frame)))
}

/** The value of a block, which `local` and matches in it do not outlive. */
export function doCode(compiler: Compiler, body: Block, want: Want): Code<Value | Value[]> {
  return want === 'list' ? compiler.lastList(body) : compiler.lastValue(body)
}

export function evalCode(compiler: Compiler, body: Block, want: Want): Code<Value | Value[]> {
  const { runtime } = compiler
  const inner = doCode(compiler, body, want)
  const failed = (error: unknown, height: number): Value | Value[] => {
    if (error instanceof Leave && error.to === 'return') {
      runtime.error.cell.set('')
      const values = error.values as Value[]
      return want === 'list' ? values : values.at(-1)
    }
    if (error instanceof Leave || error instanceof PerlExit || error instanceof Unsupported) throw error
    const known = asDie(error)
    if (known === undefined) throw error
    runtime.restoreTo(height)
    runtime.error.cell.set(known.at(runtime.place(runtime.lineNow)).value)
    return want === 'list' ? [] : undefined
  }
  if (inner.now === undefined) {
    return later(async (frame) => {
      const height = runtime.restores.length
      const match = runtime.lastMatch
      try {
        const value = await inner.later(frame)
        runtime.error.cell.set('')
        return value
      } catch (error) {
        return failed(error, height)
      } finally {
        runtime.lastMatch = match
      }
    })
  }
  const run = inner.now
  return now((frame) => {
    const height = runtime.restores.length
    const match = runtime.lastMatch
    try {
      const value = run(frame)
      runtime.error.cell.set('')
      return value
    } catch (error) {
      return failed(error, height)
    } finally {
      runtime.lastMatch = match
    }
  })
}

/** What `eval` catches. */
export function asDie(error: unknown): PerlDie | undefined {
  return error instanceof PerlDie ? error : undefined
}

export function controlCode(
  compiler: Compiler,
  expr: Extract<Expr, { kind: 'control' | 'return' }>,
): Code<Value | Value[]> {
  if (expr.kind === 'control') {
    const { name, label } = expr
    return now(() => {
      throw new Leave(name, label, [])
    })
  }
  return map(returned(compiler, expr.value), (values) => {
    throw new Leave('return', undefined, values)
  })
}

/** The values that a sub gives back, in the context in which it was called. */
export function returned(compiler: Compiler, value: Expr | undefined): Code<Value[]> {
  if (value === undefined) return now((frame) => (frame.want === 'list' ? [] : [undefined]))
  const list = compiler.list(value)
  const one = compiler.scalar(value)
  if (list.now === undefined || one.now === undefined) {
    return later(async (frame) => (frame.want === 'list' ? ask(list, frame) : [await ask(one, frame)]))
  }
  const [many, single] = [list.now, one.now]
  return now((frame) => (frame.want === 'list' ? many(frame) : [single(frame)]))
}
