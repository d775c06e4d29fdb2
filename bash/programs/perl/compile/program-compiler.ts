/** Compiles the parts of one program. */
import type { Runtime } from '../run/runtime.js'
import type { Block, Container, Expr, PerlProgram, Statement, Sub } from '../syntax/ast.js'
import { isOn, type Warnings } from '../syntax/categories.js'
import { Leave } from '../values/perl-die.js'
import { PerlArray, PerlHash, Scalar, type Value } from '../values/values.js'
import { type Analysis, analyse } from './analysis.js'
import { assignedCell } from './assign.js'
import { valueOfBlock } from './block-value.js'
import { returned } from './calls.js'
import { warnOf } from './checked.js'
import { ask, type Code, Frame, later, now, type Went } from './code.js'
import type { Call, Compiler } from './compiler.js'
import { cellsOf, listOf, scalarOf } from './expressions.js'
import { arrayOf, cellOf, hashOf } from './places.js'
import { blockCode, statementCode } from './statements.js'

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
    return valueOfBlock(this, block, {
      of: (expr) => this.scalar(expr),
      nothing: () => undefined,
      tested: (value) => value,
    })
  }

  lastList(block: Block): Code<Value[]> {
    return valueOfBlock(this, block, { of: (expr) => this.list(expr), nothing: () => [], tested: (value) => [value] })
  }

  named(name: string): Call {
    const known = this.calls.get(name)
    if (known === undefined) throw new Error(`the sub ${name} is not compiled`)
    return known
  }

  sub(sub: Sub): (frame: Frame) => Call {
    const { slots, captures } = sub
    const body = this.subBody(sub.body, sub.warns)
    const enter = isOn(sub.warns, 'recursion') ? depthOf(this.runtime, sub.name) : undefined
    const isNamed = sub.name !== undefined
    return (outer) => {
      const taken = isNamed ? undefined : captures.map(({ outer: slot, sigil }) => cellIn(outer, slot, sigil))
      return (args, want) => {
        const frame = new Frame(slots.count, args, want)
        for (const [index, { outer: slot, inner, sigil }] of captures.entries()) {
          frame.cells[inner] = taken === undefined ? cellIn(outer, slot, sigil) : taken[index]
        }
        if (enter === undefined) return ask(body, frame)
        return enter(() => ask(body, frame))
      }
    }
  }

  private subBody(block: Block, warns: Warnings): Code<Value[]> {
    const { runtime } = this
    const inner = valueOfBlock<Value[]>(this, block, {
      of: (expr) => returned(this, expr),
      nothing: (frame) => (frame.want === 'list' ? [] : [undefined]),
      tested: (value) => [value],
    })
    const caught = (error: unknown): Value[] => {
      if (!(error instanceof Leave)) throw error
      if (error.to === 'return') return error.values as Value[]
      warnOf(runtime, warns, 'exiting', `Exiting subroutine via ${error.to}`)
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
}

const deep = 100

/** Counts calls inside of calls. */
function depthOf(runtime: Runtime, name: string | undefined) {
  let depth = 0
  return <Result>(run: () => Result | Promise<Result>): Result | Promise<Result> => {
    depth += 1
    if (depth === deep) {
      const what = name === undefined ? 'anonymous subroutine' : `subroutine "main::${name}"`
      runtime.warn(`Deep recursion on ${what} at ${runtime.place(runtime.lineNow)}.\n`)
    }
    let result: Result | Promise<Result>
    try {
      result = run()
    } catch (error) {
      depth -= 1
      throw error
    }
    if (result instanceof Promise) {
      return result.finally(() => {
        depth -= 1
      })
    }
    depth -= 1
    return result
  }
}

function cellIn(frame: Frame, slot: number, sigil: string): Scalar | PerlArray | PerlHash {
  const known = frame.cells[slot]
  if (known !== undefined) return known
  const made = sigil === '$' ? new Scalar() : sigil === '@' ? new PerlArray() : new PerlHash()
  frame.cells[slot] = made
  return made
}
