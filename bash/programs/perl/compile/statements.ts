/** Statements and blocks to code. */
import type { Block, Expr, Statement } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { isTrue } from '../values/numbers.js'
import { Leave } from '../values/perl-die.js'
import type { Value } from '../values/values.js'
import { hasMatch } from './analysis.js'
import { returned } from './calls.js'
import { ask, type Code, type Frame, later, map, now, type Went, went } from './code.js'
import { type Compiler, isContainer, takesList } from './compiler.js'
import { logicTest } from './expressions.js'
import { loopCode } from './loops.js'

export function statementCode(compiler: Compiler, statement: Statement): Code<Went> {
  const { runtime } = compiler
  switch (statement.kind) {
    case 'nothing':
      return now(() => went.on)
    case 'expression':
      return placed(compiler, statement.line, effect(compiler, statement.value))
    case 'if':
      return placed(compiler, statement.line, ifCode(compiler, statement))
    case 'block': {
      const body = compiler.block(statement.body)
      const { label } = statement
      const settle = (where: Went): Went => {
        if (where === went.on || where === went.return) return where
        if (runtime.label !== undefined && runtime.label !== label) return where
        if (where === went.redo) throw new Unsupported('redo of a block')
        runtime.label = undefined
        return went.on
      }
      return catching(compiler, map(body, settle), settle)
    }
    default:
      return placed(compiler, statement.line, loopCode(compiler, statement))
  }
}

/** Messages of it name this line. */
export function placed<Result>({ runtime }: Compiler, line: number | undefined, code: Code<Result>): Code<Result> {
  if (line === undefined) return code
  if (code.now === undefined) {
    return later((frame) => {
      runtime.lineNow = line
      return code.later(frame)
    })
  }
  const run = code.now
  return now((frame) => {
    runtime.lineNow = line
    return run(frame)
  })
}

/** `next`, `last` and `redo` that were inside of an expression. */
export function catching({ runtime }: Compiler, code: Code<Went>, settle: (where: Went) => Went): Code<Went> {
  const caught = (error: unknown): Went => {
    if (!(error instanceof Leave) || error.to === 'return') throw error
    runtime.label = error.label
    return settle(went[error.to])
  }
  if (code.now === undefined) {
    return later(async (frame) => {
      try {
        return await code.later(frame)
      } catch (error) {
        return caught(error)
      }
    })
  }
  const run = code.now
  return now((frame) => {
    try {
      return run(frame)
    } catch (error) {
      return caught(error)
    }
  })
}

/** An expression for what it does. */
function effect(compiler: Compiler, expr: Expr): Code<Went> {
  const { runtime } = compiler
  switch (expr.kind) {
    case 'control': {
      const { name, label } = expr
      return now(() => {
        runtime.label = label
        return went[name]
      })
    }
    case 'return':
      return map(returned(compiler, expr.value), (values) => {
        runtime.returned = values
        return went.return
      })
    case 'logic': {
      const left = compiler.scalar(expr.left)
      return branch(
        left,
        logicTest(expr.operator),
        effect(compiler, expr.right),
        now(() => went.on),
      )
    }
    case 'condition':
      return branch(compiler.scalar(expr.test), isTrue, effect(compiler, expr.yes), effect(compiler, expr.no))
    case 'not':
      return effect(compiler, expr.of)
    case 'list': {
      const parts = expr.items.map((item) => effect(compiler, item))
      return sequence(parts)
    }
    case 'do':
      return compiler.block(expr.body)
    case 'sort':
    case 'array':
    case 'hash':
      return map(compiler.list(expr), () => went.on)
    default:
      if (isContainer(expr)) return now(() => went.on)
      if ((expr.kind === 'my' || expr.kind === 'local') && takesList(expr))
        return map(compiler.list(expr), () => went.on)
      return map(compiler.scalar(expr), () => went.on)
  }
}

export function branch(
  test: Code<Value>,
  holds: (value: Value) => boolean,
  yes: Code<Went>,
  no: Code<Went>,
): Code<Went> {
  if (test.now === undefined || yes.now === undefined || no.now === undefined) {
    return later(async (frame) => ask(holds(await ask(test, frame)) ? yes : no, frame))
  }
  const [condition, first, second] = [test.now, yes.now, no.now]
  return now((frame) => (holds(condition(frame)) ? first(frame) : second(frame)))
}

function ifCode(compiler: Compiler, { branches, otherwise }: Extract<Statement, { kind: 'if' }>): Code<Went> {
  let rest: Code<Went> = otherwise === undefined ? now(() => went.on) : compiler.block(otherwise)
  for (const { test, isUnless, body } of [...branches].reverse()) {
    const holds = (value: Value) => isTrue(value) !== isUnless
    rest = branch(compiler.scalar(test), holds, compiler.block(body), rest)
  }
  return rest
}

export function sequence(parts: ReadonlyArray<Code<Went>>): Code<Went> {
  const immediate = parts.flatMap((part) => (part.now === undefined ? [] : [part.now]))
  if (immediate.length === parts.length) {
    const [first] = immediate
    if (first !== undefined && immediate.length === 1) return now(first)
    return now((frame) => {
      for (const run of immediate) {
        const where = run(frame)
        if (where !== went.on) return where
      }
      return went.on
    })
  }
  return later(async (frame) => {
    for (const part of parts) {
      const where = part.now === undefined ? await part.later(frame) : part.now(frame)
      if (where !== went.on) return where
    }
    return went.on
  })
}

/** A block, at whose end `local` and the last match are as before; that of a loop keeps the match. */
export function blockCode(compiler: Compiler, block: Block, isLoop = false): Code<Went> {
  const code = sequence(block.statements.map((statement) => compiler.statement(statement)))
  return isLoop && !block.hasLocal ? code : scoped(compiler, block, code)
}

export function scoped<Result>({ runtime }: Compiler, block: Block, code: Code<Result>): Code<Result> {
  if (!block.hasLocal && !hasMatch(block)) return code
  if (code.now === undefined) {
    return later(async (frame: Frame) => {
      const height = runtime.restores.length
      const match = runtime.lastMatch
      try {
        return await code.later(frame)
      } finally {
        runtime.restoreTo(height)
        runtime.lastMatch = match
      }
    })
  }
  const run = code.now
  return now((frame) => {
    const height = runtime.restores.length
    const match = runtime.lastMatch
    try {
      return run(frame)
    } finally {
      runtime.restoreTo(height)
      runtime.lastMatch = match
    }
  })
}
