/** The arguments of `sqlite3`, in the two passes in which the original reads them. */
import { isFsError } from '../../../../src/errors.js'
import type { ProgramIo } from '../../../io/program.js'
import { openFlag } from '../engine/database.js'
import { openShellDatabase, pathOfDatabase } from './connections.js'
import { dotCommand } from './dot-command.js'
import { execute, type Failed } from './execute.js'
import { processInput } from './input.js'
import { optionsText } from './options-text.js'
import { Exit, type Mode, type ShellState, say } from './state.js'

export interface Start {
  args: readonly string[]
  database: string
  /** SQL and commands among the arguments; then no input is read. */
  commands: readonly string[]
  initFile: string | undefined
  bail: boolean
  isReadOnly: boolean
  openFlags: number
  isInteractive: boolean
}

/** How many arguments follow an option. */
const values: Readonly<Record<string, number>> = {
  '-separator': 1,
  '-nullvalue': 1,
  '-newline': 1,
  '-cmd': 1,
  '-init': 1,
  '-pagecache': 2,
  '-lookaside': 2,
  '-threadsafe': 1,
  '-mmap': 1,
  '-sorterref': 1,
}

/** Those that would do something else here, or nothing that can be seen. */
const unsupported = [
  '-A',
  '-append',
  '-deserialize',
  '-eqpfull',
  '-heap',
  '-maxsize',
  '-memtrace',
  '-multiplex',
  '-nonce',
  '-safe',
  '-scanstats',
  '-stats',
  '-vfs',
  '-vfstrace',
  '-zip',
]

const withOneDash = (word: string) => (word.startsWith('--') ? word.slice(1) : word)

/** The status, when there is nothing to run. */
export async function firstPass(io: ProgramIo): Promise<Start | number> {
  const { args } = io
  const commands: string[] = []
  let database: string | undefined
  let initFile: string | undefined
  let bail = false
  let isReadOnly = false
  let openFlags = 0
  let isInteractive = false
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as string
    if (!word.startsWith('-')) {
      if (database === undefined) database = word
      else commands.push(word)
      continue
    }
    const option = withOneDash(word)
    const refused = unsupported.find((name) => name === option || (name === '-A' && option.startsWith('-A')))
    if (refused !== undefined) {
      await io.stderr.write(`${io.name}: option '${refused}' is not supported by this shell\n`)
      return 2
    }
    const count = values[option] ?? 0
    if (count > 0 && at + count >= args.length) {
      await io.stderr.write(`${io.name}: Error: missing argument to ${args.at(-1)}\n`)
      return 1
    }
    if (option === '-init') initFile = args[at + 1]
    else if (option === '-bail') bail = true
    else if (option === '-readonly') isReadOnly = true
    else if (option === '-nofollow') openFlags = openFlag.noFollow
    else if (option === '-interactive') isInteractive = true
    else if (option === '-batch') isInteractive = false
    at += count
  }
  return { args, database: database ?? ':memory:', commands, initFile, bail, isReadOnly, openFlags, isInteractive }
}

export async function startUp(state: ShellState, start: Start): Promise<number> {
  const path = pathOfDatabase(state, start.database)
  if (path !== undefined) {
    await state.files.fetchDatabase(path)
    // One that is not there is made with the first statement, so that a wrong name leaves no file.
    if (state.files.get(path) !== undefined) await openShellDatabase(state)
  }
  await runInitFile(state, start.initFile)
  const ended = await secondPass(state, start.args)
  if (ended !== undefined) return ended
  return start.commands.length > 0 ? runCommands(state, start.commands) : runInput(state, start)
}

async function runInitFile(state: ShellState, given: string | undefined): Promise<void> {
  const home = state.io.env.get('HOME')
  if (given === undefined && home === undefined) return
  const file = given ?? `${home}/.sqliterc`
  try {
    const reader = await state.io.fs.openRead(state.io.path(file))
    try {
      const failed = await processInput(state, reader)
      if (failed && state.bail) throw new Exit(1)
    } finally {
      reader.close()
    }
  } catch (error) {
    if (!isFsError(error)) throw error
    if (given === undefined) return
    await say(state, `cannot open: "${file}"\n`)
    if (state.bail) throw new Exit(1)
  }
}

const modes: Readonly<Record<string, Mode>> = {
  '-html': 'html',
  '-list': 'list',
  '-quote': 'quote',
  '-line': 'line',
  '-column': 'column',
  '-json': 'json',
  '-markdown': 'markdown',
  '-table': 'table',
  '-box': 'box',
  '-csv': 'csv',
  '-ascii': 'ascii',
  '-tabs': 'list',
}
const separators: Readonly<Record<string, [string, string?]>> = {
  '-quote': [',', '\n'],
  '-csv': [','],
  '-ascii': ['\x1f', '\x1e'],
  '-tabs': ['\t', '\n'],
}
/** Read in the first pass, or without an effect. */
const passed = [
  '-bail',
  '-readonly',
  '-nofollow',
  '-interactive',
  '-batch',
  '-init',
  '-pagecache',
  '-lookaside',
  '-threadsafe',
  '-mmap',
  '-sorterref',
]

/** The status, when the program ends with an option. */
async function secondPass(state: ShellState, args: readonly string[]): Promise<number | undefined> {
  const { layout } = state
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as string
    if (!word.startsWith('-')) continue
    const option = withOneDash(word)
    const value = args[at + 1] ?? ''
    at += values[option] ?? 0
    const mode = modes[option]
    if (mode !== undefined) {
      layout.mode = mode
      const [column, row] = separators[option] ?? []
      if (column !== undefined) layout.columnSeparator = column
      if (row !== undefined) layout.rowSeparator = row
    } else if (option === '-separator') layout.columnSeparator = value
    else if (option === '-newline') layout.rowSeparator = value
    else if (option === '-nullvalue') layout.nullValue = value
    else if (option === '-header' || option === '-noheader') {
      layout.showHeader = option === '-header'
      state.headerWasSet = true
    } else if (option === '-echo') state.echo = true
    else if (option === '-eqp') state.queryPlan = 'on'
    else if (option === '-backslash') state.backslash = true
    else if (option === '-version') {
      await state.io.stdout.write(
        `${state.engine.text('sqlite3_libversion')} ${state.engine.text('sqlite3_sourceid')}\n`,
      )
      return 0
    } else if (option === '-help') {
      await say(state, usage(state.io.name) + optionsText)
      return 1
    } else if (option === '-cmd') {
      const status = await runOption(state, value)
      if (status !== undefined) return status
    } else if (!passed.includes(option)) {
      await say(state, `${state.io.name}: Error: unknown option: ${option}\nUse -help for a list of options.\n`)
      return 1
    }
  }
  return undefined
}

function usage(name: string): string {
  return (
    `Usage: ${name} [OPTIONS] FILENAME [SQL]\n` +
    'FILENAME is the name of an SQLite database. A new database is created\n' +
    'if the file does not previously exist.\nOPTIONS include:\n'
  )
}

const phases: Readonly<Record<Failed['phase'], string>> = { prepare: 'in prepare', step: 'stepping' }

/** `-cmd`: runs before everything else, and only `-bail` makes a failure end the program. */
async function runOption(state: ShellState, text: string): Promise<number | undefined> {
  if (text.startsWith('.')) {
    const status = await dotCommand(state, text)
    return status !== 0 && state.bail ? (status === 2 ? 0 : status) : undefined
  }
  await openShellDatabase(state)
  const failed = await execute(state, text)
  if (failed === undefined) return undefined
  await state.out.flush()
  await say(state, `Error: ${phases[failed.phase]}, ${failed.message}\n`)
  return state.bail ? failed.rc : undefined
}

async function runCommands(state: ShellState, commands: readonly string[]): Promise<number> {
  for (const text of commands) {
    if (text.startsWith('.')) {
      const status = await dotCommand(state, text)
      if (status !== 0) return status === 2 ? 0 : status
      continue
    }
    await openShellDatabase(state)
    const failed = await execute(state, text)
    if (failed === undefined) continue
    await state.out.flush()
    await say(state, `Error: ${phases[failed.phase]}, ${failed.message}\n`)
    return failed.rc
  }
  return 0
}

async function runInput(state: ShellState, { isInteractive }: Start): Promise<number> {
  if (isInteractive) {
    const version = state.engine.text('sqlite3_libversion')
    const date = state.engine.text('sqlite3_sourceid')?.slice(0, 19)
    await state.io.stdout.write(`SQLite version ${version} ${date}\nEnter ".help" for usage hints.\n`)
  }
  return (await processInput(state, state.io.stdin, isInteractive)) ? 1 : 0
}
