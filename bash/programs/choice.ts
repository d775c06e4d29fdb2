/** Values of options that are one of several words. */
import type { ProgramIo } from '../io/program.js'
import { ProgramError } from './program-error.js'
import { quoted } from './quoting.js'

/** What a word stands for. It may be cut short as long as it is clear; another word is refused with the list of all. */
export function choice<Value>(
  io: Pick<ProgramIo, 'name'>,
  option: string,
  value: string,
  values: Readonly<Record<string, Value>>,
): Value {
  const names = Object.keys(values)
  const matching = names.includes(value) ? [value] : names.filter((name) => name.startsWith(value))
  const different = new Set(matching.map((name) => values[name]))
  const [first] = matching
  if (first !== undefined && different.size === 1) return values[first] as Value
  const lines = [...new Set(Object.values(values))].map((one) => {
    const same = names.filter((name) => values[name] === one)
    return `\n  - ${same.map((name) => quoted(name)).join(', ')}`
  })
  const problem = first === undefined ? 'invalid' : 'ambiguous'
  throw new ProgramError(
    `${problem} argument ${quoted(value)} for ${quoted(option)}\nValid arguments are:${lines.join('')}\nTry '${io.name} --help' for more information.`,
  )
}

/** When colors and the like are wanted. */
export const whenWords = {
  always: 'always',
  yes: 'always',
  force: 'always',
  never: 'never',
  no: 'never',
  none: 'never',
  auto: 'auto',
  tty: 'auto',
  'if-tty': 'auto',
} as const
