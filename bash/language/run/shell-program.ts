/** `bash` and `sh` as programs, and the course of a whole shell. */
import { isFsError } from '../../../src/errors.js'
import { decodeText } from '../../io/byte-text.js'
import { describeError } from '../../io/describe-error.js'
import type { Program } from '../../io/program.js'
import { BrokenPipe, readAll } from '../../io/streams.js'
import { notice } from '../../programs/originals.js'
import { createParser, SyntaxFault } from '../syntax/parse.js'
import { AbandonJump, ExitJump } from './state/jumps.js'
import { setOptions, shoptNames } from './state/options.js'
import type { Shell } from './state/shell.js'
import { type Steps, wait } from './state/steps.js'
import { brokenPipeStatus, statusOfJump } from './subshell.js'
import { runExitTrap } from './traps.js'

/** So that the names are known; a shell is started from the state of the one that calls it. */
export const shellProgramNames: readonly Program[] = ['bash', 'sh'].map((name) => ({
  name,
  run: async () => 127,
}))

/** Runs text as a whole shell: to its end or `exit`, and then its trap. */
export function* runWhole(shell: Shell, text: string, faultPrefix: string): Steps<number> {
  try {
    let status: number
    try {
      status = yield* runLines(shell, text, faultPrefix)
    } catch (error) {
      status = statusOfJump(error)
    }
    return yield* runExitTrap(shell, status)
  } catch (error) {
    if (error instanceof BrokenPipe) return brokenPipeStatus
    throw error
  }
}

/** Runs text line by line: what comes before a syntax error runs. */
export function* runLines(shell: Shell, text: string, faultPrefix: string, firstLine = 1): Steps<number> {
  const parser = createParser(text, {
    extglob: () => shell.options.has('extglob'),
    alias: (name) => shell.alias(name),
    firstLine,
  })
  let status = 0
  for (;;) {
    try {
      const statements = parser.next()
      if (statements === undefined) return status
      if (shell.options.has('verbose')) yield* echoSource(shell, statements)
      if (!shell.options.has('noexec')) status = yield* shell.engine.runStatements(shell, statements)
    } catch (error) {
      if (error instanceof SyntaxFault) {
        yield* shell.complain(error.describe(faultPrefix))
        if (error.inArray && !error.inSubstitution) {
          status = 1
          shell.status = status
          if (shell.level > 0) throw new ExitJump(status)
          continue
        }
        // A fault in a condition leaves the status of a whole shell as it is.
        if (error.inCondition && !error.inSubstitution && shell.texts === 0) {
          return error.atEnd || shell.options.errexit ? shell.status || 2 : shell.status
        }
        if (shell.texts > 0 && shell.options.errexit && shell.ignoring === 0) throw new ExitJump(2)
        shell.status = error.inSubstitution && faultPrefix.endsWith(': -c') ? 127 : 2
        return shell.status
      }
      if (!(error instanceof AbandonJump)) throw error
      if (error.toTop && (shell.texts > 0 || shell.invocation === 'c')) throw error
      status = error.status
      shell.status = status
      if (shell.level > 0 || (shell.options.errexit && !error.isMild)) throw new ExitJump(status)
    }
  }
}

function* echoSource(shell: Shell, statements: readonly { source?: string }[]): Steps<void> {
  for (const { source } of statements) if (source !== undefined) yield* shell.complain(`${source}\n`)
}

interface Invocation {
  command?: string
  readsInput: boolean
  operands: readonly string[]
}

/** `bash [options] [-c command [name]] [file] [arguments]` in a new shell. */
export function* runShell(shell: Shell, argv: readonly string[]): Steps<number> {
  const [name = 'bash', ...args] = argv
  shell.name = name
  if (name === 'sh' || name.endsWith('/sh')) {
    shell.options.set('posix', true)
    shell.isPlainSh = true
  }
  try {
    const given = yield* parseInvocation(shell, args)
    if (typeof given === 'number') return given
    return yield* runInvocation(shell, given)
  } finally {
    shell.end()
  }
}

function* runInvocation(shell: Shell, { command, readsInput, operands }: Invocation): Steps<number> {
  const [first, ...rest] = operands
  if (command !== undefined) {
    const own = shell.name
    if (first !== undefined) shell.name = first
    shell.setPositional(rest)
    if (!shell.isPlainSh) shell.variables.set('BASH_EXECUTION_STRING', { text: command })
    return yield* runWhole(shell, command, `${first ?? own}: -c`)
  }
  if (readsInput || first === undefined) {
    shell.invocation = 's'
    shell.mainSource = 'main'
    shell.setPositional(operands)
    const reader = shell.descriptors.get(0)?.reader
    const text = reader === undefined ? '' : decodeText(yield* wait(readAll(reader)))
    return yield* runWhole(shell, text, shell.name)
  }
  shell.invocation = ''
  shell.setPositional(rest)
  try {
    const bytes = yield* wait(shell.files.readFile(first))
    if (bytes.subarray(0, 80).includes(0)) {
      yield* shell.complain(`${first}: ${first}: cannot execute binary file\n`)
      return 126
    }
    shell.name = first
    shell.mainSource = first
    return yield* runWhole(shell, decodeText(bytes), first)
  } catch (error) {
    if (!isFsError(error)) throw error
    const isDirectory = error.code === 'IS_A_DIRECTORY'
    yield* shell.complain(`${shell.name}: ${first}: ${describeError(error)}\n`)
    return isDirectory || error.code === 'DENIED' ? 126 : 127
  }
}

const ignoredOptions = ['--norc', '--noprofile', '--login', '--noediting', '--posix']

const help = `GNU bash, version 5.2.15(1)-release-(x86_64-pc-linux-gnu)
Usage:	bash [option] ... [script-file] ...
	bash [option] ... -c command [name [argument] ...]
	bash [option] ... -s [argument] ...
Options:
	-ilrsD or -c command or -O shopt_option
	-${setOptions.flatMap(([, letter]) => letter ?? []).join('')} or -o option
	--help --version ${ignoredOptions.join(' ')}
`

function* parseInvocation(shell: Shell, args: readonly string[]): Steps<Invocation | number> {
  let isCommand = false
  let readsInput = false
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] as string
    if (arg === '--' || arg === '-') {
      at += 1
      break
    }
    if (arg === '--version') {
      yield* shell.write(1, `GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n${notice}`)
      return 0
    }
    if (arg === '--help') {
      yield* shell.write(1, help)
      return 0
    }
    if (arg.startsWith('--')) {
      if (!ignoredOptions.includes(arg)) {
        yield* shell.complain(`${shell.name}: ${arg}: invalid option\n`)
        return 2
      }
      continue
    }
    if (!/^[-+]./.test(arg)) break
    const on = arg.startsWith('-')
    for (const letter of arg.slice(1)) {
      if (letter === 'c') isCommand = true
      else if (letter === 's') readsInput = true
      else if (letter === 'o' || letter === 'O') {
        at += 1
        const option = args[at] ?? ''
        const isKnown = letter === 'o' ? setOptions.some(([known]) => known === option) : shoptNames.includes(option)
        if (!isKnown) {
          yield* shell.complain(`${shell.name}: ${option}: invalid option name\n`)
          return 2
        }
        shell.options.set(option, on)
      } else if (!'lir'.includes(letter)) {
        const [option] = setOptions.find(([, known]) => known === letter) ?? []
        if (option === undefined) {
          yield* shell.complain(`${shell.name}: -${letter}: invalid option\n`)
          return 2
        }
        shell.options.set(option, on)
      }
    }
  }
  const operands = args.slice(at)
  if (!isCommand) return { readsInput, operands }
  const [command, ...rest] = operands
  if (command === undefined) {
    yield* shell.complain(`${shell.name}: -c: option requires an argument\n`)
    return 2
  }
  return { command, readsInput, operands: rest }
}
