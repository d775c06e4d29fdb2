/** `getopts` */
import { assignText, namePattern, readText } from '../expand/variable-access.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'

export const getoptsBuiltins: Builtins = { getopts }

const usage = 'getopts optstring name [arg ...]'

/** What one call finds: an option, a wrong one, or the end. */
interface Found {
  letter: string
  argument?: string
  problem?: 'unknown' | 'missing'
}

function* getopts(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { rest, wrong } = parseFlags(args, '')
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, usage)
  const [optstring, name, ...given] = rest
  if (optstring === undefined || name === undefined) {
    yield* shell.complain(`${call.name}: usage: ${usage}\n`)
    return 2
  }
  const { getopts: state } = shell
  resetWhenAssigned(shell)
  const found = nextOption(state, given.length > 0 ? given : shell.positional, optstring)
  const isSilent = optstring.startsWith(':')
  const isLoud = !isSilent && readText(shell, 'OPTERR') !== '0'
  if (found?.problem === 'unknown' && isLoud)
    yield* shell.complain(`${shell.name}: illegal option -- ${found.letter}\n`)
  if (found?.problem === 'missing' && isLoud)
    yield* shell.complain(`${shell.name}: option requires an argument -- ${found.letter}\n`)
  assignText(shell, 'OPTIND', String(state.index))
  state.variable = shell.variables.get('OPTIND')
  const argument = found?.problem === undefined ? found?.argument : isSilent ? found.letter : undefined
  if (argument === undefined) shell.variables.delete('OPTARG')
  else assignText(shell, 'OPTARG', argument)
  if (!namePattern.test(name)) return yield* fail(shell, call, `\`${name}': not a valid identifier`)
  const isMissing = found?.problem === 'missing' && isSilent
  assignText(shell, name, isMissing ? ':' : found === undefined || found.problem !== undefined ? '?' : found.letter)
  return found === undefined ? 1 : 0
}

/** After an assignment to `OPTIND` it goes on from there; 1 is a new beginning. */
function resetWhenAssigned(shell: Shell): void {
  const { getopts: state } = shell
  const variable = shell.variables.get('OPTIND')
  if (variable === state.variable) return
  const index = Number.parseInt(variable?.text ?? '', 10) || 0
  state.index = Math.max(index, 1)
  if (index <= 1) state.letter = 0
}

/** Takes the next option of a list; nothing at the end of its options. */
function nextOption(state: Shell['getopts'], list: readonly string[], optstring: string): Found | undefined {
  if (state.index > list.length) {
    state.index = list.length + 1
    return undefined
  }
  let word = list[state.index - 1] ?? ''
  if (state.letter === 0 || state.letter >= word.length) {
    if (word === '--') state.index += 1
    if (word === '--' || !/^-./s.test(word)) return undefined
    state.letter = 1
  }
  word = list[state.index - 1] ?? ''
  const letter = word[state.letter] ?? ''
  state.letter += 1
  const rest = word.slice(state.letter)
  if (rest === '') nextWord(state)
  const at = letter === ':' ? -1 : optstring.indexOf(letter)
  if (at < 0) return { letter, problem: 'unknown' }
  if (optstring[at + 1] !== ':') return { letter }
  if (rest !== '') {
    nextWord(state)
    return { letter, argument: rest }
  }
  const argument = list[state.index - 1]
  if (argument === undefined) return { letter, problem: 'missing' }
  nextWord(state)
  return { letter, argument }
}

function nextWord(state: Shell['getopts']): void {
  state.index += 1
  state.letter = 0
}
