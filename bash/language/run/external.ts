/** Runs what is not part of the shell: programs, scripts and other shells. */
import { isFsError } from '../../../src/errors.js'
import { basename } from '../../../src/fs/path.js'
import { decodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import type { Program, ProgramIo } from '../../io/program.js'
import { runProgram } from '../../io/program-run.js'
import { throughScratch } from '../../io/scratch-names.js'
import type { ByteWriter } from '../../io/streams.js'
import { findCommand } from './find-command.js'
import { closedWriter } from './redirect.js'
import { runShell } from './shell-program.js'
import { OpenFile, programInput } from './state/descriptors.js'
import type { Found } from './state/found.js'
import { initialVariables } from './state/initial-variables.js'
import { Shell } from './state/shell.js'
import { drive, type Steps, wait } from './state/steps.js'

const maxScripts = 50
/** Of scripts whose interpreter is a script, as the kernel has it. */
const maxInterpreters = 4
const silentWriter: ByteWriter = { write: () => undefined, close: async () => {} }

/** Runs a command that was found, with the shell's open files. */
export function* runFound(
  shell: Shell,
  found: Found,
  argv: readonly string[],
  env: ReadonlyMap<string, string>,
): Steps<number> {
  const [name = '', ...args] = argv
  switch (found.kind) {
    case 'program':
      if (isShellProgram(found.program)) return yield* runShellProgram(shell, argv, env)
      return yield* runOne(shell, found.program, name, args, env)
    case 'script':
      if (found.denied) {
        yield* shell.report(`${found.path}: Permission denied`)
        return 126
      }
      return yield* runFile(shell, found.path, argv, env)
    case 'failure':
      yield* shell.report(shell.isPlainSh ? found.message.replace('command not found', 'not found') : found.message)
      if (found.message.endsWith('command not found')) yield* giveHint(shell, name)
      return found.status
  }
}

/** What the host knows about a missing command, once, and only where the script's errors go: not into what it captures. */
function* giveHint(shell: Shell, name: string): Steps<void> {
  if (shell.session.hinted || shell.descriptors.get(2)?.writer !== shell.run.stderr) return
  const hint = shell.run.hint?.(name)
  if (hint === undefined) return
  shell.session.hinted = true
  yield* shell.complain(hint.endsWith('\n') ? hint : `${hint}\n`)
}

function isShellProgram({ name }: Program): boolean {
  return name === 'bash' || name === 'sh'
}

function* runOne(
  shell: Shell,
  program: Program,
  name: string,
  args: readonly string[],
  env: ReadonlyMap<string, string>,
): Steps<number> {
  const { run } = shell
  const input = programInput(shell.descriptors.get(0))
  run.beforeProgram?.()
  const finished = runProgram(program, {
    name: basename(name),
    args,
    env,
    cwd: shell.directory,
    scratch: run.scratch,
    umask: shell.umask,
    fs: shell.files,
    stdin: input.reader,
    stdout: shell.descriptors.get(1)?.writer ?? closedWriter,
    stderr: shell.descriptors.get(2)?.writer ?? silentWriter,
    run: (argv, options) => runForProgram(shell, env, argv, options),
    has: async (other) => (await drive(findCommand(shell, other))).kind !== 'failure',
    step: (count) => {
      run.step(count)
      shell.checkFate()
    },
    account: run.account,
    now: run.now,
    random: run.random,
    ...(run.network && { network: run.network }),
    clock: shell.session.clock,
  })
  const status = yield* wait(finished)
  input.end()
  return status
}

/** A program runs a command: a process with the files and variables that it gives. */
async function runForProgram(
  shell: Shell,
  env: ReadonlyMap<string, string>,
  argv: readonly string[],
  options: Parameters<ProgramIo['run']>[1] = {},
): Promise<number> {
  // A program that runs one command after the other leaves others their turn.
  const paused = shell.run.pause?.()
  if (paused !== undefined) await paused
  const child = processShell(shell, options.env ?? env)
  if (options.step !== undefined) child.fate = { check: options.step, outer: shell.fate }
  if (options.cwd !== undefined) child.cwd = throughScratch(options.cwd, shell.run.scratch)
  if (options.stdin !== undefined) child.descriptors.set(0, new OpenFile({ reader: options.stdin, keepOpen: true }))
  if (options.stdout !== undefined) child.descriptors.set(1, new OpenFile({ writer: options.stdout, keepOpen: true }))
  if (options.stderr !== undefined) child.descriptors.set(2, new OpenFile({ writer: options.stderr, keepOpen: true }))
  try {
    const found = await drive(findCommand(child, argv[0] ?? ''))
    return await drive(runFound(child, found, argv, options.env ?? env))
  } finally {
    child.end()
  }
}

/** A new shell with the exported variables only. */
export function processShell(parent: Shell, env: ReadonlyMap<string, string>): Shell {
  parent.session.nextPid += 1
  const child = new Shell(parent.session, parent.descriptors.fork(), parent.session.nextPid)
  child.cwd = parent.cwd
  child.umask = parent.umask
  child.fate = parent.fate
  child.nesting = parent.nesting + 1
  child.parentPid = parent.pid
  child.line = parent.line
  initialVariables(child, env)
  return child
}

function* runShellProgram(shell: Shell, argv: readonly string[], env: ReadonlyMap<string, string>): Steps<number> {
  if (shell.nesting >= maxScripts) {
    yield* shell.report(`${argv[0]}: scripts call each other too deeply`)
    return 126
  }
  const child = processShell(shell, env)
  if (!env.has('PWD')) {
    child.cwd = yield* wait(shell.files.realPath(shell.cwd))
    child.variables.set('PWD', { text: child.directory, exported: true })
  }
  return yield* runShell(child, argv)
}

/** A file with the right to be executed. */
function* runFile(
  shell: Shell,
  path: string,
  argv: readonly string[],
  env: ReadonlyMap<string, string>,
  depth = 0,
): Steps<number> {
  let start: string
  try {
    const bytes = yield* wait(shell.files.readFile(path, { start: 0, end: 256 }))
    const line = bytes.subarray(0, bytes.includes(10) ? bytes.indexOf(10) : bytes.length)
    if (line.includes(0)) {
      yield* shell.report(`${path}: cannot execute binary file: Exec format error`)
      return 126
    }
    start = decodeText(line)
  } catch (error) {
    if (!isFsError(error)) throw error
    yield* shell.report(`${path}: ${describeError(error)}`)
    return error.code === 'NOT_FOUND' ? 127 : 126
  }
  const [, interpreter, argument] = /^#![ \t]*([^ \t]+)[ \t]*(.*?)[ \t\r]*$/.exec(start) ?? []
  const rest = [path, ...argv.slice(1)]
  if (interpreter === undefined) return yield* runShellProgram(shell, ['bash', ...rest], env)
  const words = [interpreter, ...(argument ? [argument] : []), ...rest]
  // A script that another script runs, as the Python of a virtual environment.
  const own = yield* findCommand(shell, interpreter)
  if (own.kind === 'script' && !own.denied) {
    if (depth < maxInterpreters) return yield* runFile(shell, own.path, words, env, depth + 1)
    yield* shell.report(`${path}: ${interpreter}: bad interpreter: Too many levels of symbolic links`)
    return 126
  }
  const program = shell.session.programs.get(basename(interpreter))
  if (program === undefined && basename(interpreter) !== 'env') {
    yield* shell.report(`${path}: cannot execute: required file not found`)
    return 127
  }
  if (program !== undefined && basename(interpreter) !== 'env')
    return yield* runFound(shell, { kind: 'program', program, path }, words, env)
  const wanted = (argument ?? '').replace(/^-S\s*/, '').split(/[ \t]+/)
  const found = yield* findCommand(shell, wanted[0] ?? '')
  if (found.kind === 'failure') {
    yield* shell.complain(`/usr/bin/env: '${wanted[0]}': No such file or directory\n`)
    return 127
  }
  return yield* runFound(shell, found, [...wanted, ...rest], env)
}
