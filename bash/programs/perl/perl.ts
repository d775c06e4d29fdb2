/** perl, for programs of a line or a page. What it does not have is refused before anything runs. */
import { isFsError } from '../../../src/errors.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import { readAll } from '../../io/streams.js'
import { rawProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'
import { ProgramCompiler } from './compile/program-compiler.js'
import { ArgumentFiles } from './run/arguments.js'
import { fromShell, textOfBytes } from './run/bytes.js'
import { type PerlArguments, parseArguments, switchesOf } from './run/command-line.js'
import { execute } from './run/execute.js'
import { Runtime } from './run/runtime.js'
import type { PerlProgram } from './syntax/ast.js'
import type { Warned } from './syntax/categories.js'
import { PerlSyntaxError, Unsupported } from './syntax/perl-error.js'
import { parsePerlProgram } from './syntax/statements.js'

export const perl = rawProgram({
  name: 'perl',
  async run(io) {
    try {
      return await start(io)
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error
      throw new ProgramError(error.message, 2)
    }
  },
})

async function start(io: ProgramIo): Promise<number> {
  const given = parseArguments(io.args.map(fromShell))
  const { name, text } = await source(io, given)
  const args = /^#!.*perl/.test(text) ? switchesOf(given, text) : given
  const warned: Warned[] = []
  let program: PerlProgram
  try {
    program = parsePerlProgram(wrapped(text, args), { canSay: args.canSay, warns: args.warns, warned, uses: args.uses })
    await warn(io, name, warned)
  } catch (error) {
    if (!(error instanceof PerlSyntaxError)) throw error
    await warn(io, name, warned)
    await io.stderr.write(
      `${error.message} at ${name} line ${error.line}.\nExecution of ${name} aborted due to compilation errors.\n`,
    )
    return 255
  }
  const runtime = new Runtime(io, name)
  runtime.isStrict = program.isStrict
  if (args.inputSeparator !== undefined) runtime.inputSeparator.cell.value = args.inputSeparator.value
  if (args.outputSeparator !== undefined) runtime.outputSeparator.cell.value = args.outputSeparator
  const files = new ArgumentFiles(runtime, args.inPlace, args.operands)
  runtime.nextOfArguments = () => files.next()
  let compiler: ProgramCompiler
  try {
    compiler = new ProgramCompiler(runtime, program)
    return await execute(runtime, compiler, program, files, args)
  } catch (error) {
    if (!(error instanceof PerlSyntaxError)) throw error
    await io.stderr.write(`${error.message} at ${name} line ${error.line}.\n`)
    return 255
  }
}

async function warn(io: ProgramIo, name: string, warned: readonly Warned[]): Promise<void> {
  for (const { text, line } of warned) await io.stderr.write(`${text} at ${name} line ${line}.\n`)
}

/** As perl itself puts the loop of `-n` and `-p` around the text. */
function wrapped(text: string, { loops, splits, separator, chomps }: PerlArguments): string {
  if (!loops) return text
  const quoted = separator === undefined ? "' '" : /^(["'/]).*\1$/s.test(separator) ? separator : `q\0${separator}\0`
  const split = splits ? `our @F=split(${quoted});` : ''
  return `{${chomps ? 'chomp;' : ''}${split}${text}\n}`
}

async function source(io: ProgramIo, args: PerlArguments): Promise<{ name: string; text: string }> {
  if (args.code !== undefined) return { name: '-e', text: args.code }
  const name = args.script ?? '-'
  try {
    const bytes = await readAll(name === '-' ? io.stdin : await io.fs.openRead(name))
    return { name, text: textOfBytes(bytes) }
  } catch (error) {
    if (!isFsError(error)) throw error
    throw new ScriptMissing(`Can't open perl script "${name}": ${describeError(error)}`)
  }
}

class ScriptMissing extends ProgramError {
  constructor(message: string) {
    super(message, 2)
  }
}
