/** Loops to code. */
import type { Expr, Statement, Variable } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { indexOf, isTrue } from '../values/numbers.js'
import { Leave } from '../values/perl-die.js'
import { Scalar, type Value } from '../values/values.js'
import { hasOutput } from './analysis.js'
import { ask, type Code, type Frame, inTurn, later, map, map2, now, type Went, went } from './code.js'
import type { Compiler } from './compiler.js'

type Loop = Extract<Statement, { kind: 'while' | 'for' | 'foreach' | 'do-while' }>

export function loopCode(compiler: Compiler, loop: Loop): Code<Went> {
  switch (loop.kind) {
    case 'while':
      return whileCode(compiler, loop)
    case 'for':
      return forCode(compiler, loop)
    case 'foreach':
      return foreachCode(compiler, loop)
    case 'do-while':
      return doWhileCode(compiler, loop)
  }
}

const stop = 8
type Turn = Went | typeof stop

/** The body with what leaves it: `went.on` to go on, `stop` to end the loop, others lead out of it. */
function turnOf({ runtime }: Compiler, body: Code<Went>, label: string | undefined): Code<Turn> {
  const settle = (where: Went): Turn => {
    if (where === went.on || where === went.return) return where
    if (runtime.label !== undefined && runtime.label !== label) return where
    runtime.label = undefined
    if (where === went.redo) throw new Unsupported('redo')
    return where === went.next ? went.on : stop
  }
  const caught = (error: unknown): Turn => {
    if (!(error instanceof Leave) || error.to === 'return') throw error
    runtime.label = error.label
    return settle(went[error.to])
  }
  if (body.now === undefined) {
    return later(async (frame) => {
      try {
        return settle(await body.later(frame))
      } catch (error) {
        return caught(error)
      }
    })
  }
  const run = body.now
  return now((frame) => {
    try {
      return settle(run(frame))
    } catch (error) {
      return caught(error)
    }
  })
}

interface Parts {
  test: Code<boolean>
  turn: Code<Turn>
  step: Code<unknown>
  /** Whether what is printed has to be handed over between the turns. */
  prints: boolean
}

/** By `last`. */
function left(runtime: Compiler['runtime']): Went {
  runtime.isLoopLeft = true
  return went.on
}

/** A turn that can wait, and what it printed handed over. */
async function turnWithOutput({ runtime }: Compiler, turn: Code<Turn>, frame: Frame): Promise<Turn> {
  const where = turn.now === undefined ? await turn.later(frame) : turn.now(frame)
  if (runtime.written.size > 0) {
    const wait = runtime.drain()
    if (wait !== undefined) await wait
  }
  return where
}

function repeat(compiler: Compiler, { test, turn, step, prints }: Parts): Code<Went> {
  const { runtime } = compiler
  if (prints || test.now === undefined || turn.now === undefined || step.now === undefined) {
    return later(async (frame) => {
      const match = runtime.lastMatch
      try {
        while (test.now === undefined ? await test.later(frame) : test.now(frame)) {
          runtime.io.step()
          const where = await turnWithOutput(compiler, turn, frame)
          if (where === stop) return left(runtime)
          if (where !== went.on) return where
          if (step.now === undefined) await step.later(frame)
          else step.now(frame)
        }
        return went.on
      } finally {
        runtime.lastMatch = match
      }
    })
  }
  const [holds, run, advance] = [test.now, turn.now, step.now]
  return now((frame) => {
    const match = runtime.lastMatch
    try {
      while (holds(frame)) {
        runtime.io.step()
        const where = run(frame)
        if (where === stop) return left(runtime)
        if (where !== went.on) return where
        advance(frame)
      }
      return went.on
    } finally {
      runtime.lastMatch = match
    }
  })
}

/** What it gave last is kept: it is the value of a sub that ends with the loop. */
function testOf(compiler: Compiler, test: Expr | undefined, isUntil = false): Code<boolean> {
  if (test === undefined) return now(() => true)
  const { runtime } = compiler
  return map(compiler.scalar(test), (value) => {
    runtime.tested = value
    runtime.isLoopLeft = false
    return isTrue(value) !== isUntil
  })
}

function whileCode(compiler: Compiler, loop: Extract<Loop, { kind: 'while' }>): Code<Went> {
  const { test, isUntil, label } = loop
  return repeat(compiler, {
    test: testOf(compiler, test, isUntil),
    turn: turnOf(compiler, compiler.loopBody(loop.body), label),
    step: loop.next === undefined ? now(() => undefined) : compiler.block(loop.next),
    prints: hasOutput(loop),
  })
}

function forCode(compiler: Compiler, loop: Extract<Loop, { kind: 'for' }>): Code<Went> {
  const effect = (expr: Expr | undefined): Code<unknown> =>
    expr === undefined ? now(() => undefined) : compiler.statement({ kind: 'expression', value: expr })
  const code = repeat(compiler, {
    test: testOf(compiler, loop.test),
    turn: turnOf(compiler, compiler.loopBody(loop.body), loop.label),
    step: effect(loop.step),
    prints: hasOutput(loop),
  })
  return inTurn(effect(loop.first), code)
}

/** The values from one number to another, without a list of them. */
function countsOf(compiler: Compiler, list: Expr): Code<{ from: number; to: number } | undefined> {
  const only = list.kind === 'list' && list.items.length === 1 ? list.items[0] : list
  if (only?.kind !== 'range') return now(() => undefined)
  return map2(compiler.scalar(only.left), compiler.scalar(only.right), (left, right) => {
    if (typeof left !== 'number' && !(typeof left === 'string' && /^-?[1-9][0-9]*$/.test(left))) return undefined
    const [from, to] = [indexOf(left), indexOf(right)]
    return Number.isSafeInteger(from) && Number.isSafeInteger(to) ? { from, to } : undefined
  })
}

function foreachCode(compiler: Compiler, loop: Extract<Loop, { kind: 'foreach' }>): Code<Went> {
  const { runtime } = compiler
  const counts = countsOf(compiler, loop.list)
  const isConstant = counts.now !== undefined && isPlainRange(loop.list)
  const cells = compiler.cells(loop.list)
  const turn = turnOf(compiler, compiler.loopBody(loop.body), loop.label)
  const prints = hasOutput(loop.body)
  const place = placeOf(compiler, loop.variable)
  const items = (frame: Frame): Iterable<Scalar> | undefined => {
    const range = isConstant ? counts.now?.(frame) : undefined
    return range === undefined ? undefined : counted(range.from, range.to)
  }
  if (prints || cells.now === undefined || turn.now === undefined) {
    return later(async (frame) => {
      const given = items(frame) ?? (await ask(cells, frame))
      const match = runtime.lastMatch
      const restore = place.keep(frame)
      try {
        for (const cell of given) {
          runtime.io.step()
          place.set(frame, cell)
          const where = await turnWithOutput(compiler, turn, frame)
          if (where === stop) return went.on
          if (where !== went.on) return where
        }
        return went.on
      } finally {
        restore()
        runtime.lastMatch = match
      }
    })
  }
  const [list, run] = [cells.now, turn.now]
  return now((frame) => {
    const given = items(frame) ?? list(frame)
    const match = runtime.lastMatch
    const restore = place.keep(frame)
    try {
      for (const cell of given) {
        runtime.io.step()
        place.set(frame, cell)
        const where = run(frame)
        if (where === stop) return went.on
        if (where !== went.on) return where
      }
      return went.on
    } finally {
      restore()
      runtime.lastMatch = match
    }
  })
}

function isPlainRange(list: Expr): boolean {
  const only = list.kind === 'list' && list.items.length === 1 ? list.items[0] : list
  if (only?.kind !== 'range') return false
  const isSimple = ({ kind }: Expr) =>
    ['value', 'lexical', 'global', 'last-index', 'element', 'hash-element', 'binary', 'checked'].includes(kind)
  return isSimple(only.left) && isSimple(only.right)
}

function* counted(from: number, to: number): Generator<Scalar> {
  for (let value = from; value <= to; value += 1) yield new Scalar(value)
}

interface Place {
  set(frame: Frame, cell: Scalar): void
  keep(frame: Frame): () => void
}

function placeOf({ runtime }: Compiler, variable: Variable): Place {
  if (variable.kind === 'lexical') {
    const { slot } = variable
    return {
      set(frame, cell) {
        frame.cells[slot] = cell
      },
      keep(frame) {
        const before = frame.cells[slot]
        return () => {
          frame.cells[slot] = before
        }
      },
    }
  }
  const global = runtime.scalar(variable.name)
  return {
    set(_, cell) {
      global.cell = cell
    },
    keep() {
      const before = global.cell
      return () => {
        global.cell = before
      }
    },
  }
}

function doWhileCode(compiler: Compiler, loop: Extract<Loop, { kind: 'do-while' }>): Code<Went> {
  const { body, test, isUntil } = loop
  if (body.kind !== 'do') throw new Unsupported('this loop')
  const run = compiler.block(body.body)
  const holds = map(compiler.scalar(test), (value: Value) => isTrue(value) !== isUntil)
  const { runtime } = compiler
  // It is no loop for `next` and `last`, which lead out of what is around it.
  return later(async (frame) => {
    for (let isFirst = true; isFirst || (await ask(holds, frame)); isFirst = false) {
      runtime.io.step()
      const where = await ask(run, frame)
      const wait = runtime.drain()
      if (wait !== undefined) await wait
      if (where !== went.on) return where
    }
    return went.on
  })
}
