/** awk, as gawk has it. */

import { byteLocale, textLocale } from '../../io/locale.js'
import type { ProgramIo } from '../../io/program.js'
import { defineProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'
import { optionAssignment, withUnknownAsOperands } from './arguments.js'
import { asFatal, compileProgram } from './run/execute.js'
import { assignOperand } from './run/main-input.js'
import { Runtime } from './run/runtime.js'
import { findSource, parseProgram, readSource } from './run/sources.js'
import { AwkFatal, type SourceText } from './syntax/awk-error.js'
import type { Dialect } from './syntax/dialect.js'
import { unescapeString } from './syntax/lexer.js'
import { unsupportedExtension } from './syntax/parser.js'
import { UserText } from './values/values.js'

const usage =
  "[POSIX or GNU style options] -f progfile [--] file ...\n[POSIX or GNU style options] [--] 'program' file ..."
const usageOf = (name: string) => usage.replace(/^/gm, `Usage: ${name} `)

export const awk = defineProgram({
  name: 'awk',
  aliases: ['gawk', 'mawk', 'nawk'],
  usage,
  usageStatus: 1,
  usageHint: usageOf('awk'),
  stopsAtOperand: true,
  rewrite: (args) => withUnknownAsOperands(withoutExec(args)),
  options: {
    separator: { names: ['-F', '--field-separator'], value: 'required' },
    assign: { names: ['-v', '--assign'], value: 'required' },
    file: { names: ['-f', '--file'], value: 'required' },
    source: { names: ['-e', '--source'], value: 'required' },
    traditional: { names: ['-c', '--traditional'] },
    posix: { names: ['-P', '--posix'] },
    sandbox: { names: ['-S', '--sandbox'] },
    bytes: { names: ['-b', '--characters-as-bytes'] },
    load: { names: ['-l', '--load'], value: 'required' },
    include: { names: ['-i', '--include'], value: 'required' },
    nonDecimal: { names: ['-n', '--non-decimal-data'] },
    lint: { names: ['-L', '--lint'], value: 'optional' },
    oldLint: { names: ['-t', '--lint-old'] },
    // These change nothing here.
    optimize: { names: ['-O', '--optimize'] },
    plain: { names: ['-s', '--no-optimize'] },
    intervals: { names: ['-r', '--re-interval'] },
    decimalPoint: { names: ['-N', '--use-lc-numeric'] },
  },
  unsupported: [
    '-C',
    '--copyright',
    '-d',
    '--dump-variables',
    '-D',
    '--debug',
    '-g',
    '--gen-pot',
    '-I',
    '--trace',
    '-M',
    '--bignum',
    '-o',
    '--pretty-print',
    '-p',
    '--profile',
  ],
  async run(io, { given, operands }) {
    const dialect = dialectOf(given)
    await tellOfOptions(io, given)
    const locale = given.some(({ key }) => key === 'bytes') && !dialect.posix ? byteLocale : textLocale(io.env)
    const runtime = new Runtime(io, locale, dialect)
    const sources: SourceText[] = []
    const assignments: string[] = []
    let separator: string | undefined
    let files = operands
    let inPlace = false
    try {
      for (const { key, value = '' } of given) {
        if (key === 'separator') separator = value
        else if (key === 'assign') assignments.push(value)
        else if (key === 'load') throw unsupportedExtension(value)
        else if (key === 'file') sources.push({ name: value, text: await readSource(runtime, value) })
        else if (key === 'include' && (await includesInPlace(io, value))) inPlace = true
        else if (key === 'include') sources.push({ name: value, text: await readSource(runtime, value) })
        else if (key === 'source') sources.push({ name: 'cmd. line', text: locale.text(value) })
      }
      if (!given.some(({ key }) => key === 'file' || key === 'source')) {
        const [text, ...rest] = operands
        if (text === undefined) throw new ProgramError(usageOf(io.name), 1)
        sources.push({ name: 'cmd. line', text: locale.text(text) })
        files = rest
      }
      return await runAwk(runtime, { sources, assignments, separator, files, inPlace })
    } catch (error) {
      return await failed(runtime, asFatal(error), sources)
    }
  },
})

function dialectOf(given: ReadonlyArray<{ key: string }>): Dialect {
  const has = (wanted: string) => given.some(({ key }) => key === wanted)
  const posix = has('posix')
  const traditional = posix || has('traditional')
  return { posix, traditional, sandbox: has('sandbox'), nonDecimal: has('nonDecimal') && !traditional }
}

/** What options change in others. A program that is to be checked runs as it is, and its user is told that nothing was checked. */
async function tellOfOptions(io: ProgramIo, given: ReadonlyArray<{ key: string; value?: string }>): Promise<void> {
  const has = (wanted: string) => given.some(({ key }) => key === wanted)
  if (has('nonDecimal') && (has('posix') || has('traditional')))
    await io.error("warning: `--posix'/`--traditional' overrides `--non-decimal-data'")
  const lint = given.find(({ key }) => key === 'lint' || key === 'oldLint')
  if (lint === undefined) return
  const name = lint.key === 'lint' ? '--lint' : '--lint-old'
  if (lint.value === 'fatal') throw new ProgramError(`option '--lint=fatal' is not supported by this shell`, 2)
  await io.error(`warning: option '${name}' is not supported by this shell: the program runs without these warnings`)
}

/** The first awk took `-Ft` for a tab. */
function tabOf(separator: string, { traditional, posix }: Dialect): string {
  return separator === 't' && traditional && !posix ? '\t' : separator
}

/** `-E FILE` is `-f FILE --`. */
function withoutExec(args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg) => /^(-E|--exec(=|$))/.test(arg))
  const isOption = (arg: string, index: number) => arg.startsWith('-') || /^-[vFfei]$/.test(args[index - 1] ?? '')
  if (at === -1 || !args.slice(0, at).every(isOption)) return args
  const attached = (args[at] as string).replace(/^(-E|--exec=?)/, '')
  const rest = args.slice(at + 1)
  const [file, ...operands] = attached === '' ? rest : [attached, ...rest]
  return file === undefined ? args : [...args.slice(0, at), '-f', file, '--', ...operands]
}

interface Invocation {
  sources: SourceText[]
  assignments: readonly string[]
  separator: string | undefined
  files: readonly string[]
  inPlace: boolean
}

async function runAwk(
  runtime: Runtime,
  { sources, assignments, separator, files, inPlace }: Invocation,
): Promise<number> {
  const { io } = runtime
  const program = await parseProgram(runtime, sources)
  setVariables(runtime, files)
  if (separator !== undefined) {
    runtime.setSpecial(
      'FS',
      new UserText(runtime.locale.text(unescapeString(tabOf(separator, runtime.dialect), runtime.dialect))),
    )
  }
  for (const assignment of assignments) {
    const wanted = optionAssignment(assignment, runtime.dialect)
    if (wanted === undefined || !assignedBefore(runtime, wanted)) {
      throw new ProgramError(
        `\`${assignment}' argument to \`-v' not in \`var=value' form\n\nUsage: ${io.name} ${usage}`,
        1,
      )
    }
  }
  const run = compileProgram(program, runtime, inPlace)
  await run()
  await runtime.redirections.closeAll()
  await runtime.redirections.flushAll()
  return runtime.exitStatus
}

/** Variables that change nothing here. */
const constants = { BINMODE: 0, LINT: 0, PREC: 53, ROUNDMODE: 'N', TEXTDOMAIN: 'messages', ERRNO: '', RT: '' }

/** What fails before the program begins is at no place of it. */
function assignedBefore(runtime: Runtime, assignment: string): boolean {
  try {
    return assignOperand(runtime, assignment)
  } catch (error) {
    if (error instanceof AwkFatal) error.line ??= 'nowhere'
    throw error
  }
}

function setVariables(runtime: Runtime, files: readonly string[]): void {
  const { io } = runtime
  runtime.operands = files
  const operands = runtime.globalArray('ARGV')
  for (const [index, operand] of [io.name, ...files].entries())
    operands.set(index, runtime.userText(runtime.locale.text(operand)))
  runtime.setGlobal('ARGC', files.length + 1)
  const environment = runtime.globalArray('ENVIRON')
  for (const [name, value] of io.env) environment.set(runtime.key(name), runtime.userText(runtime.locale.text(value)))
  runtime.setGlobal('RSTART', 0)
  runtime.setGlobal('RLENGTH', 0)
  runtime.setGlobal('FILENAME', '')
  runtime.setGlobal('ARGIND', 0)
  if (runtime.dialect.traditional) return
  const process = runtime.globalArray('PROCINFO')
  const facts = {
    version: '5.2.1',
    platform: 'posix',
    uid: 1000,
    euid: 1000,
    gid: 1000,
    egid: 1000,
    FS: 'FS',
    strftime: '%a %b %e %H:%M:%S %Z %Y',
  }
  for (const [name, value] of Object.entries(facts)) process.set(name, value)
  for (const [name, value] of Object.entries(constants)) runtime.setGlobal(name, value)
}

/** The library that can be there without being a file. */
async function includesInPlace(io: ProgramIo, name: string): Promise<boolean> {
  return /^inplace(\.awk)?$/.test(name) && (await findSource(io, name)) === undefined
}

async function failed(runtime: Runtime, error: unknown, sources: readonly SourceText[]): Promise<number> {
  const { io } = runtime
  if (error instanceof ProgramError) {
    const lines = error.message.split('\n').map((line, index) => {
      const hasPlace = sources.some(({ name }) => line.startsWith(`${name}:`))
      return index === 0 || hasPlace ? `${io.name}: ${line}\n` : `${line}\n`
    })
    await io.stderr.write(error.message.startsWith('Usage') ? `${error.message}\n` : lines.join(''))
    return error.status
  }
  if (!(error instanceof AwkFatal)) {
    runtime.redirections.abandon()
    throw error
  }
  const [source] = sources
  // In a program of one line it can only be there.
  const only = source?.text.trimEnd().includes('\n') ? 'nowhere' : `${source?.name}:1`
  const line = error.line ?? only
  const where = line === 'nowhere' ? '' : `${line}: `
  const record = where === '' ? '' : runtime.recordPlace()
  await runtime.redirections.flushAll()
  await io.stderr.write(`${io.name}: ${where}${record}fatal: ${error.message}\n`)
  await runtime.redirections.closeAll()
  return 2
}
