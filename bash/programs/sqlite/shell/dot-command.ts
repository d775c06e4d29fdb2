/** The commands of the shell: their words, and which of them is meant. */
import { dataCommands } from '../commands/data.js'
import { databaseCommands } from '../commands/databases.js'
import { importCommands } from '../commands/import.js'
import { otherCommands } from '../commands/others.js'
import { outputCommands } from '../commands/output.js'
import { schemaCommands } from '../commands/schema.js'
import { settingCommands } from '../commands/settings.js'
import type { DotCommand } from './command.js'
import { resetOutput } from './output.js'
import { withoutBackslashes } from './quoting.js'
import { type ShellState, say } from './state.js'

/** In the order in which the original looks through its own: what is short for several is the first. */
const order =
  'auth archive backup save bail binary breakpoint cd changes check clone connection databases dbconfig dbinfo recover dump echo eqp exit explain expert filectrl fullschema headers help import imposter iotrace limits lint load log mode nonce nullvalue open output once excel parameter print progress prompt quit read restore scanstats schema selecttrace session selftest separator sha3sum shell system show stats tables indices indexes testcase testctrl timeout timer trace version vfsinfo vfslist vfsname wheretrace width'.split(
    ' ',
  )

const known = new Map<string, DotCommand>(
  [
    dataCommands,
    databaseCommands,
    importCommands,
    otherCommands,
    outputCommands,
    schemaCommands,
    settingCommands,
  ].flatMap((commands) => commands.map((command) => [command.name, command] as const)),
)

/** How many letters of what is not supported are enough, where one is not. */
const shortestOfOthers: Readonly<Record<string, number>> = {
  breakpoint: 3,
  check: 3,
  dbconfig: 3,
  lint: 3,
  progress: 3,
  selecttrace: 11,
  selftest: 4,
  session: 3,
  sha3sum: 4,
  testctrl: 8,
}

/** 0: done; 1: failed; 2: the script ends. */
export async function dotCommand(state: ShellState, line: string): Promise<number> {
  const words = wordsOf(line.slice(1))
  const [name] = words
  if (name === undefined) return 0
  const full = order.find((each) => {
    const { shortest = shortestOfOthers[each] ?? 1, isExact = false } = known.get(each) ?? {}
    return isExact ? each === name : name.length >= shortest && each.startsWith(name)
  })
  const status = await runCommand(state, name, full, words)
  // `.once` counts its own line too.
  if (state.outCount > 0) {
    state.outCount -= 1
    if (state.outCount === 0) await resetOutput(state)
  }
  return status
}

async function runCommand(
  state: ShellState,
  name: string,
  full: string | undefined,
  words: readonly string[],
): Promise<number> {
  const command = full === undefined ? undefined : known.get(full)
  if (command !== undefined) return (await command.run(state, words)) ?? 0
  if (full !== undefined) {
    await say(state, `Error: .${full} is not supported by this shell\n`)
    return 1
  }
  await say(state, `Error: unknown command or invalid arguments:  "${name}". Enter ".help" for help\n`)
  return 1
}

const mostWords = 51
const space = /[ \t\n\v\f\r]/

function wordsOf(line: string): string[] {
  const words: string[] = []
  for (let at = 0; at < line.length && words.length < mostWords; ) {
    while (space.test(line[at] ?? '')) at += 1
    const quote = line[at]
    if (quote === undefined) break
    let end = at
    if (quote === "'" || quote === '"') {
      end += 1
      while (end < line.length && line[end] !== quote)
        end += line[end] === '\\' && quote === '"' && end + 1 < line.length ? 2 : 1
      const word = line.slice(at + 1, end)
      words.push(quote === '"' ? withoutBackslashes(word) : word)
    } else {
      while (end < line.length && !space.test(line[end] as string)) end += 1
      words.push(withoutBackslashes(line.slice(at, end)))
    }
    at = end + 1
  }
  return words
}
