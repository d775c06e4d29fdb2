/** Commands that run scripts and other commands, and end the shell. */
import { isFsError } from '../../../../src/errors.js'
import { readerOf } from '../../../io/streams.js'
import { type DotCommand, refuse } from '../shell/command.js'
import { openShellDatabase, runBeside, saveFiles } from '../shell/connections.js'
import { integerOf } from '../shell/quoting.js'
import { outputOf } from '../shell/sink.js'
import { Exit, type ShellState } from '../shell/state.js'
import { writeHelp } from './help.js'

async function read(state: ShellState, words: readonly string[]): Promise<number> {
  const [, file = ''] = words
  if (words.length !== 2) return refuse(state, 'Usage: .read FILE\n')
  const line = state.line
  try {
    return (await readFrom(state, file)) ? 1 : 0
  } catch (error) {
    if (!isFsError(error)) throw error
    return await refuse(state, `Error: cannot open "${file}"\n`)
  } finally {
    state.line = line
  }
}

async function readFrom(state: ShellState, file: string): Promise<boolean> {
  if (file.startsWith('|')) {
    await state.out.flush()
    await saveFiles(state)
    const bytes = await outputOf(state.io, file.slice(1))
    await state.files.refresh()
    return state.script(readerOf(bytes))
  }
  const path = state.io.path(file)
  // Directories can't be read; what is opened later must not be taken for this file.
  const reader = path === '/dev/stdin' ? state.io.stdin : await state.io.fs.openRead(path)
  try {
    return await state.script(reader)
  } finally {
    if (reader !== state.io.stdin) reader.close()
  }
}

async function shell(state: ShellState, words: readonly string[]): Promise<number> {
  if (words.length < 2) return refuse(state, 'Usage: .system COMMAND\n')
  const quoted = words.slice(1).map((word) => (word.includes(' ') ? `"${word}"` : word))
  const status = await runBeside(state, quoted.join(' '))
  if (status !== 0) await refuse(state, `System command returns ${status > 128 ? status - 128 : status << 8}\n`)
  return 0
}

const limits: ReadonlyArray<[string, number]> = [
  ['length', 0],
  ['sql_length', 1],
  ['column', 2],
  ['expr_depth', 3],
  ['compound_select', 4],
  ['vdbe_op', 5],
  ['function_arg', 6],
  ['attached', 7],
  ['like_pattern_length', 8],
  ['variable_number', 9],
  ['trigger_depth', 10],
  ['worker_threads', 11],
]

async function limit(state: ShellState, words: readonly string[]): Promise<number> {
  const handle = await openShellDatabase(state)
  const ask = (number: number, value = -1) => state.engine.call('sqlite3_limit', handle, number, value)
  const line = ([name, number]: [string, number]) => state.io.stdout.write(`${name.padStart(20)} ${ask(number)}\n`)
  const [, wanted, value] = words
  if (words.length > 3) return refuse(state, 'Usage: .limit NAME ?NEW-VALUE?\n')
  if (wanted === undefined) {
    for (const each of limits) await line(each)
    return 0
  }
  const found = limits.filter(([name]) => name.startsWith(wanted.toLowerCase()))
  const [first] = found
  if (first === undefined)
    return refuse(state, `unknown limit: "${wanted}"\nenter ".limits" with no arguments for a list.\n`)
  if (found.length > 1) return refuse(state, `ambiguous limit: "${wanted}"\n`)
  if (value !== undefined) ask(first[1], integerOf(value))
  await line(first)
  return 0
}

const ended = 2

export const otherCommands: readonly DotCommand[] = [
  { name: 'read', shortest: 3, run: read },
  { name: 'shell', run: shell },
  { name: 'system', run: shell },
  { name: 'limits', shortest: 5, run: limit },
  { name: 'quit', run: async () => ended },
  {
    name: 'exit',
    async run(_state, [, status]) {
      const number = status === undefined ? 0 : integerOf(status)
      if (number !== 0) throw new Exit(number & 255)
      return ended
    },
  },
  {
    name: 'help',
    async run(state, [, pattern]) {
      if (!(await writeHelp(state, pattern))) await state.out.write(`Nothing matches '${pattern}'\n`)
      return 0
    },
  },
  {
    name: 'version',
    async run(state) {
      const version = state.engine.text('sqlite3_libversion')
      await state.out.write(`SQLite ${version} ${state.engine.text('sqlite3_sourceid')}\n`)
      return 0
    },
  },
]
