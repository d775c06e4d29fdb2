/** Compiles the parts of one program. */
import type { Runtime } from '../run/runtime.js'
import type { Block, Container, Expr, PerlProgram, Statement, Sub } from '../syntax/ast.js'
import { isTrue } from '../values/numbers.js'
import { Leave } from '../values/perl-die.js'
import { PerlArray, PerlHash, Scalar, type Value } from '../values/values.js'
import { type Analysis, analyse } from './analysis.js'
import { assignedCell } from './assign.js'
import { returned } from './calls.js'
import { ask, type Code, Frame, later, map, now, type Went, went } from './code.js'
import type { Call, Compiler } from './compiler.js'
import { cellsOf, listOf, scalarOf } from './expressions.js'
import { arrayOf, cellOf, hashOf } from './places.js'
import { blockCode, scoped, sequence, statementCode } from './statements.js'

export class ProgramCompiler implements Compiler {
  readonly main: Frame
  private readonly analysis: Analysis
  private readonly calls = new Map<string, Call>()

  constructor(
    readonly runtime: Runtime,
    program: PerlProgram,
  ) {
    this.analysis = analyse(program)
    this.main = new Frame(program.main.slots.count, new PerlArray(), 'scalar')
    const subs = [...program.subs].map(([name, sub]) => [name, this.sub(sub)] as const)
    for (const [name, make] of subs) this.calls.set(name, make(this.main))
  }

  waits(part: unknown): boolean {
    return this.analysis.waits(part)
  }

  scalar(expr: Expr): Code<Value> {
    return scalarOf(this, expr)
  }

  list(expr: Expr): Code<Value[]> {
    return listOf(this, expr)
  }

  cells(expr: Expr): Code<Scalar[]> {
    return cellsOf(this, expr)
  }

  cell(expr: Expr): Code<Scalar> {
    if (expr.kind === 'assign') return assignedCell(this, expr)
    if (expr.kind === 'step' && expr.isPrefix) {
      const step = this.scalar(expr)
      const cell = this.cell(expr.target)
      if (step.now !== undefined && cell.now !== undefined) {
        const [run, place] = [step.now, cell.now]
        return now((frame) => {
          run(frame)
          return place(frame)
        })
      }
    }
    return cellOf(this, expr)
  }

  array(container: Container, makes: boolean): Code<PerlArray> {
    return arrayOf(this, container, makes)
  }

  hash(container: Container, makes: boolean): Code<PerlHash> {
    return hashOf(this, container, makes)
  }

  block(block: Block): Code<Went> {
    return blockCode(this, block)
  }

  loopBody(block: Block): Code<Went> {
    return blockCode(this, block, true)
  }

  statement(statement: Statement): Code<Went> {
    return statementCode(this, statement)
  }

  lastValue(block: Block): Code<Value> {
    return this.valued(block, {
      of: (expr) => this.scalar(expr),
      nothing: () => undefined,
    })
  }

  lastList(block: Block): Code<Value[]> {
    return this.valued(block, { of: (expr) => this.list(expr), nothing: () => [] })
  }

  named(name: string): Call {
    const known = this.calls.get(name)
    if (known === undefined) throw new Error(`the sub ${name} is not compiled`)
    return known
  }

  sub(sub: Sub): (frame: Frame) => Call {
    const { slots, captures } = sub
    const body = this.subBody(sub.body)
    const isNamed = sub.name !== undefined
    return (outer) => {
      const taken = isNamed ? undefined : captures.map(({ outer: slot, sigil }) => cellIn(outer, slot, sigil))
      return (args, want) => {
        const frame = new Frame(slots.count, args, want)
        for (const [index, { outer: slot, inner, sigil }] of captures.entries()) {
          frame.cells[inner] = taken === undefined ? cellIn(outer, slot, sigil) : taken[index]
        }
        return ask(body, frame)
      }
    }
  }

  private subBody(block: Block): Code<Value[]> {
    const { runtime } = this
    const inner = this.valued<Value[]>(block, {
      of: (expr) => returned(this, expr),
      nothing: (frame) => (frame.want === 'list' ? [] : [undefined]),
    })
    const caught = (error: unknown): Value[] => {
      if (error instanceof Leave && error.to === 'return') return error.values as Value[]
      throw error
    }
    if (inner.now === undefined) {
      return later(async (frame) => {
        runtime.io.step()
        const match = runtime.lastMatch
        const height = runtime.restores.length
        try {
          return await inner.later(frame)
        } catch (error) {
          return caught(error)
        } finally {
          runtime.lastMatch = match
          runtime.restoreTo(height)
        }
      })
    }
    const run = inner.now
    return now((frame) => {
      runtime.io.step()
      const match = runtime.lastMatch
      const height = runtime.restores.length
      try {
        return run(frame)
      } catch (error) {
        return caught(error)
      } finally {
        runtime.lastMatch = match
        runtime.restoreTo(height)
      }
    })
  }

  /** A block with the value of its last statement; what leaves it earlier is thrown. */
  private valued<Result>(block: Block, last: Last<Result>): Code<Result> {
    const { runtime } = this
    const { statements } = block
    const filled = statements.filter(({ kind }) => kind !== 'nothing')
    const before = sequence(filled.slice(0, -1).map((statement) => this.statement(statement)))
    const leave = (where: Went): void => {
      if (where === went.on) return
      if (where === went.return) throw new Leave('return', undefined, runtime.returned)
      throw new Leave(where === went.next ? 'next' : where === went.last ? 'last' : 'redo', runtime.label, [])
    }
    const final = filled.at(-1)
    const value: Code<Result> = final === undefined ? now(last.nothing) : this.finalValue(final, last, leave)
    if (filled.length <= 1) return scoped(this, block, value)
    if (before.now === undefined || value.now === undefined) {
      return scoped(
        this,
        block,
        later(async (frame) => {
          leave(await ask(before, frame))
          return ask(value, frame)
        }),
      )
    }
    const [first, second] = [before.now, value.now]
    return scoped(
      this,
      block,
      now((frame) => {
        leave(first(frame))
        return second(frame)
      }),
    )
  }

  private finalValue<Result>(statement: Statement, last: Last<Result>, leave: (where: Went) => void): Code<Result> {
    const { runtime } = this
    const { line } = statement
    if (statement.kind === 'expression') {
      const code =
        statement.value.kind === 'return' || statement.value.kind === 'control' ? undefined : last.of(statement.value)
      if (code === undefined) {
        return map(this.statement(statement), (where, frame) => {
          leave(where)
          return last.nothing(frame)
        })
      }
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
    if (statement.kind === 'if') {
      let rest: Code<Result> =
        statement.otherwise === undefined ? now(last.nothing) : this.valued(statement.otherwise, last)
      for (const { test, body } of [...statement.branches].reverse()) {
        rest = chosen(this.scalar(test), this.valued(body, last), rest)
      }
      return rest
    }
    if (statement.kind === 'block') return this.valued(statement.body, last)
    return map(this.statement(statement), (where, frame) => {
      leave(where)
      return last.nothing(frame)
    })
  }
}

interface Last<Result> {
  of(expr: Expr): Code<Result>
  nothing(frame: Frame): Result
}

function chosen<Result>(test: Code<Value>, yes: Code<Result>, no: Code<Result>): Code<Result> {
  if (test.now === undefined || yes.now === undefined || no.now === undefined) {
    return later(async (frame) => ask(isTrue(await ask(test, frame)) ? yes : no, frame))
  }
  const [holds, first, second] = [test.now, yes.now, no.now]
  return now((frame) => (isTrue(holds(frame)) ? first(frame) : second(frame)))
}

function cellIn(frame: Frame, slot: number, sigil: string): Scalar | PerlArray | PerlHash {
  const known = frame.cells[slot]
  if (known !== undefined) return known
  const made = sigil === '$' ? new Scalar() : sigil === '@' ? new PerlArray() : new PerlHash()
  frame.cells[slot] = made
  return made
}
