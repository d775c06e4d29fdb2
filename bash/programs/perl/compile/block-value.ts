/** The value of a block, which is that of its last statement. */
import type { Block, Expr, Statement } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { isTrue } from '../values/numbers.js'
import { Leave } from '../values/perl-die.js'
import type { Value } from '../values/values.js'
import { ask, type Code, type Frame, later, map, now, type Went, went } from './code.js'
import type { Compiler } from './compiler.js'
import { placed, scoped, sequence } from './statements.js'

/** What becomes of the last statement. */
export interface Last<Result> {
  of(expr: Expr): Code<Result>
  nothing(frame: Frame): Result
  /** Of the condition with which it ended. */
  tested(value: Value): Result
}

/** What leaves it before its end is thrown. */
export function valueOfBlock<Result>(compiler: Compiler, block: Block, last: Last<Result>): Code<Result> {
  const filled = block.statements.filter(({ kind }) => kind !== 'nothing')
  const final = filled.at(-1)
  const value = final === undefined ? now(last.nothing) : finalValue(compiler, final, last)
  if (filled.length <= 1) return scoped(compiler, block, value)
  const before = sequence(filled.slice(0, -1).map((statement) => compiler.statement(statement)))
  if (before.now === undefined || value.now === undefined) {
    return scoped(
      compiler,
      block,
      later(async (frame) => {
        leave(compiler, await ask(before, frame))
        return ask(value, frame)
      }),
    )
  }
  const [first, second] = [before.now, value.now]
  return scoped(
    compiler,
    block,
    now((frame) => {
      leave(compiler, first(frame))
      return second(frame)
    }),
  )
}

function leave({ runtime }: Compiler, where: Went): void {
  if (where === went.on) return
  if (where === went.return) throw new Leave('return', undefined, runtime.returned)
  throw new Leave(where === went.next ? 'next' : where === went.last ? 'last' : 'redo', runtime.label, [])
}

function finalValue<Result>(compiler: Compiler, statement: Statement, last: Last<Result>): Code<Result> {
  const { runtime } = compiler
  const run = (value: (frame: Frame) => Result): Code<Result> =>
    map(compiler.statement(statement), (where, frame) => {
      leave(compiler, where)
      return value(frame)
    })
  switch (statement.kind) {
    case 'expression': {
      const { value, line } = statement
      if (value.kind === 'return' || value.kind === 'control') break
      return placed(compiler, line, last.of(value))
    }
    case 'if': {
      let rest = statement.otherwise && valueOfBlock(compiler, statement.otherwise, last)
      for (const { test, isUnless, body } of [...statement.branches].reverse()) {
        const holds = (value: Value) => isTrue(value) !== isUnless
        rest = chosen(compiler.scalar(test), holds, valueOfBlock(compiler, body, last), rest, last)
      }
      return rest === undefined ? now(last.nothing) : placed(compiler, statement.line, rest)
    }
    case 'block':
      return bareBlock(statement.label, valueOfBlock(compiler, statement.body, last), last)
    // A loop that ends gives the test that ended it, and one over a list an empty text.
    case 'while':
    case 'for':
      return run((frame) => (runtime.isLoopLeft ? last.nothing(frame) : last.tested(runtime.tested)))
    case 'foreach':
    case 'do-while':
      return run(() => last.tested(''))
  }
  return run(last.nothing)
}

/** Without an `else`, a condition that fails is the value itself. */
function chosen<Result>(
  test: Code<Value>,
  holds: (value: Value) => boolean,
  yes: Code<Result>,
  no: Code<Result> | undefined,
  last: Last<Result>,
): Code<Result> {
  if (test.now === undefined || yes.now === undefined || (no !== undefined && no.now === undefined)) {
    return later(async (frame) => {
      const value = await ask(test, frame)
      if (holds(value)) return ask(yes, frame)
      return no === undefined ? last.tested(value) : ask(no, frame)
    })
  }
  const [condition, first, second] = [test.now, yes.now, no?.now]
  return now((frame) => {
    const value = condition(frame)
    if (holds(value)) return first(frame)
    return second === undefined ? last.tested(value) : second(frame)
  })
}

/** It is a loop of one turn for `next` and `last`, which leave it without a value. */
function bareBlock<Result>(label: string | undefined, code: Code<Result>, last: Last<Result>): Code<Result> {
  const caught = (error: unknown, frame: Frame): Result => {
    if (!(error instanceof Leave) || error.to === 'return') throw error
    if (error.label !== undefined && error.label !== label) throw error
    if (error.to === 'redo') throw new Unsupported('redo of a block')
    return last.nothing(frame)
  }
  if (code.now === undefined) {
    return later(async (frame) => {
      try {
        return await code.later(frame)
      } catch (error) {
        return caught(error, frame)
      }
    })
  }
  const run = code.now
  return now((frame) => {
    try {
      return run(frame)
    } catch (error) {
      return caught(error, frame)
    }
  })
}
