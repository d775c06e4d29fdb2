/** Commands that say where output goes. */
import { type DotCommand, refuse } from '../shell/command.js'
import { openOutput, redirect, resetOutput } from '../shell/output.js'
import type { ShellState } from '../shell/state.js'
import { writeHelp } from './help.js'

async function output(state: ShellState, words: readonly string[], isOnce: boolean): Promise<number> {
  const [name = ''] = words
  let file: string | undefined
  let hasMark = false
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] as string
    if (word === '-bom' || word === '--bom') hasMark = true
    else if (['-x', '--x', '-e', '--e'].includes(word))
      return refuse(state, `Error: .${name} ${word} is not supported by this shell\n`)
    else if (word.startsWith('-') || file !== undefined) {
      const fault = word.startsWith('-') ? 'unknown option' : 'extra parameter'
      await state.out.write(`ERROR: ${fault}: "${word}".  Usage:\n`)
      await writeHelp(state, name)
      return 1
    } else if (word.startsWith('|')) {
      file = words.slice(at).join(' ')
      break
    } else file = word
  }
  state.outCount = isOnce ? 2 : 0
  await resetOutput(state)
  return redirect(state, file ?? 'stdout', hasMark)
}

export const outputCommands: readonly DotCommand[] = [
  { name: 'output', run: (state, words) => output(state, words, false) },
  { name: 'once', run: (state, words) => output(state, words, true) },
  {
    name: 'print',
    shortest: 3,
    async run(state, [, ...words]) {
      await state.out.write(`${words.join(' ')}\n`)
      return 0
    },
  },
  {
    name: 'log',
    async run(state, words) {
      const [, name = ''] = words
      if (words.length !== 2) return refuse(state, 'Usage: .log FILENAME\n')
      // What the engine logs are its own mistakes and recoveries, which are not seen here.
      await (await openOutput(state, name))?.close()
      return 0
    },
  },
]
