/** Runs a compiled program: its BEGIN blocks, its statements, for each line with `-n`, and its END blocks. */

import { BrokenPipe } from '../../../io/streams.js'
import { RegexError } from '../../../regex/index.js'
import { ask, type Code, type Frame, type Went, went } from '../compile/code.js'
import type { ProgramCompiler } from '../compile/program-compiler.js'
import type { Block, PerlProgram } from '../syntax/ast.js'
import { Unsupported } from '../syntax/perl-error.js'
import { plainNumber, textOf } from '../values/numbers.js'
import { Leave, PerlDie, PerlExit } from '../values/perl-die.js'
import type { ArgumentFiles } from './arguments.js'
import type { PerlArguments } from './command-line.js'
import type { Runtime } from './runtime.js'

export async function execute(
  runtime: Runtime,
  compiler: ProgramCompiler,
  program: PerlProgram,
  files: ArgumentFiles,
  args: PerlArguments,
): Promise<number> {
  const compiled = (blocks: readonly Block[]) => blocks.map((block) => compiler.block(block))
  const begin = compiled(program.begin)
  const end = compiled(program.end)
  const run = args.loops ? lineLoop(runtime, compiler, program, files, args) : plainRun(compiler, program)
  let status = await guarded(runtime, async () => {
    for (const code of begin) await ask(code, compiler.main)
    await run()
  })
  const before = runtime.status
  runtime.status = status
  for (const code of end) {
    const ended = await guarded(runtime, async () => {
      await ask(code, compiler.main)
    })
    if (ended !== 0) status = ended
  }
  runtime.status = before
  await runtime.drain()
  await runtime.closeAll()
  return status
}

function plainRun(compiler: ProgramCompiler, { main }: PerlProgram): () => Promise<void> {
  const code = compiler.block(main.body)
  return async () => {
    const where = await ask(code, compiler.main)
    if (where !== went.on) outside(compiler.runtime, where)
  }
}

function outside(runtime: Runtime, where: Went): never {
  if (where === went.return) throw new PerlDie("Can't return outside a subroutine").at(runtime.place(runtime.lineNow))
  const name = where === went.next ? 'next' : where === went.last ? 'last' : 'redo'
  const label = runtime.label
  const text = label === undefined ? `Can't "${name}" outside a loop block` : `Label not found for "${name} ${label}"`
  throw new PerlDie(text).at(runtime.place(runtime.lineNow))
}

/** The first block is for each line; those after it, of programs with `}{`, run once. */
function lineLoop(
  runtime: Runtime,
  compiler: ProgramCompiler,
  { main }: PerlProgram,
  files: ArgumentFiles,
  { prints }: PerlArguments,
): () => Promise<void> {
  const [first, ...rest] = main.body.statements
  if (first?.kind !== 'block') throw new Unsupported('this program with -n or -p')
  const body: Code<Went> = compiler.loopBody(first.body)
  const after = rest.map((statement) => compiler.statement(statement))
  const printsEach = prints && rest.length === 0
  const { main: frame } = compiler
  return async () => {
    for (;;) {
      const line = files.ready() ?? (await files.next())
      if (line === undefined) break
      runtime.io.step()
      runtime.topic.cell.set(line)
      const turn = body.now === undefined ? await later(body.later, frame, runtime) : now(body.now, frame, runtime)
      if (turn === went.redo) throw new Unsupported('redo')
      if (turn === went.last) break
      if (printsEach) print(runtime)
      const wait = runtime.drain()
      if (wait !== undefined) await wait
    }
    // As in perl, what was printed is all there is of the file, when the loop was left before its end.
    if (rest.length === 0) await files.finish()
    for (const code of after) {
      const where = await ask(code, frame)
      if (where !== went.on) outside(runtime, where)
    }
    if (prints && !printsEach) print(runtime)
  }
}

function print(runtime: Runtime): void {
  const { selected } = runtime
  selected.output?.write(textOf(runtime.topic.cell.value) + textOf(runtime.outputSeparator.cell.value))
  runtime.written.add(selected)
}

function now(run: (frame: Frame) => Went, frame: Frame, runtime: Runtime): Went {
  try {
    return settled(run(frame), runtime)
  } catch (error) {
    return caught(error, runtime)
  }
}

async function later(run: (frame: Frame) => Promise<Went>, frame: Frame, runtime: Runtime): Promise<Went> {
  try {
    return settled(await run(frame), runtime)
  } catch (error) {
    return caught(error, runtime)
  }
}

function settled(where: Went, runtime: Runtime): Went {
  if (where === went.on) return where
  if (where === went.return || (runtime.label !== undefined && runtime.label !== 'LINE')) outside(runtime, where)
  runtime.label = undefined
  return where
}

function caught(error: unknown, runtime: Runtime): Went {
  if (!(error instanceof Leave) || error.to === 'return') throw error
  runtime.label = error.label
  return settled(went[error.to], runtime)
}

/** Gives the status with which it ends. */
async function guarded(runtime: Runtime, run: () => Promise<void>): Promise<number> {
  try {
    await run()
    return 0
  } catch (error) {
    runtime.restoreTo(0)
    if (error instanceof PerlExit) return error.status
    if (error instanceof BrokenPipe) throw error
    const message = messageOf(runtime, error)
    if (message === undefined) throw error
    await runtime.drain()
    runtime.warn(message.text)
    await runtime.complain()
    return message.status
  }
}

function messageOf(runtime: Runtime, error: unknown): { text: string; status: number } | undefined {
  if (error instanceof Leave) {
    const text =
      error.to === 'return' ? "Can't return outside a subroutine" : `Can't "${error.to}" outside a loop block`
    return { text: `${text} at ${runtime.place(runtime.lineNow)}.\n`, status: 255 }
  }
  if (error instanceof PerlDie) {
    const { value } = error.at(runtime.place(runtime.lineNow))
    const number = plainNumber(runtime.failure.cell.value) & 255
    return { text: textOf(value), status: number === 0 ? 255 : number }
  }
  if (error instanceof Unsupported) return { text: `perl: ${error.message}\n`, status: 2 }
  if (error instanceof RegexError) return { text: `perl: the pattern ${error.message}\n`, status: 2 }
  if (!(error instanceof RangeError)) return undefined
  const what = /call stack/.test(error.message) ? 'calls inside of calls to this depth' : 'text of this length'
  return { text: `perl: ${what} is not supported here\n`, status: 2 }
}
