/** `mapfile` */
import { encodeText } from '../../io/byte-text.js'
import { assignElement, assignList, findVariable, namePattern } from '../expand/variable-access.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'
import { readLine } from './read-line.js'

export const mapfileBuiltins: Builtins = { mapfile, readarray: mapfile }

/** The options that take numbers, and what is said of wrong ones. */
const numbers: ReadonlyArray<readonly [letter: string, what: string]> = [
  ['n', 'line count'],
  ['s', 'line count'],
  ['O', 'array origin'],
  ['c', 'callback quantum'],
  ['u', 'file descriptor specification'],
]

function* mapfile(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong, missing } = parseFlags(args, 't', 'dnOsuCc')
  if (wrong !== undefined) {
    const usage = `${call.name} [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]`
    return yield* wrongOption(shell, call, wrong, usage)
  }
  if (missing !== undefined) return yield* fail(shell, call, `${missing}: option requires an argument`, 2)
  const name = rest[0] ?? 'MAPFILE'
  for (const [letter, what] of numbers) {
    const given = flags.get(letter)
    const least = letter === 'c' ? 1 : 0
    if (given !== undefined && !(/^\s*[-+]?\d+\s*$/.test(given) && Number(given) >= least))
      return yield* fail(shell, call, `${given}: invalid ${what}`)
  }
  if (!namePattern.test(name)) return yield* fail(shell, call, `\`${name}': not a valid identifier`)
  const delimiter = flags.get('d')
  const byte = delimiter === undefined ? 10 : delimiter === '' ? 0 : (encodeText(delimiter)[0] as number)
  const most = Number(flags.get('n') ?? 0)
  const origin = Number(flags.get('O') ?? 0)
  const callback = flags.get('C')
  const quantum = Number(flags.get('c') ?? 5000)
  const descriptor = Number(flags.get('u') ?? 0)
  if (shell.descriptors.get(descriptor)?.reader === undefined) {
    return yield* fail(shell, call, `${descriptor}: invalid file descriptor: Bad file descriptor`)
  }
  if (findVariable(shell, name)?.map !== undefined) return yield* fail(shell, call, `${name}: not an indexed array`)
  if (!flags.has('O')) assignList(shell, name, [])
  let toSkip = Number(flags.get('s') ?? 0)
  const ending = byte === 0 ? '' : String.fromCharCode(byte)
  let index = origin
  for (let count = 0; most === 0 || count < most; ) {
    const { text, ended } = yield* readLine(shell, descriptor, { delimiter: byte })
    if (ended && text === '') break
    shell.run.step()
    if (toSkip > 0) toSkip -= 1
    else {
      const value = untilZero(flags.has('t') || ended ? text : text + ending)
      count += 1
      if (callback !== undefined && count % quantum === 0) {
        yield* shell.engine.runText(shell, `${callback} ${index} ${quoteArgument(value)}`)
      }
      assignElement(shell, name, String(index), value)
      index += 1
    }
    if (ended) break
  }
  return 0
}

function quoteArgument(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** As in bash, a line ends at a zero byte. */
function untilZero(text: string): string {
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}
