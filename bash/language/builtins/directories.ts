/** `cd` and `pwd`. */
import { isFsError } from '../../../src/errors.js'
import { resolve } from '../../../src/fs/path.js'
import { describeError } from '../../io/describe-error.js'
import { throughScratch } from '../../io/scratch-names.js'
import { assignText, readText } from '../expand/variable-access.js'
import { CommandFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import { type Steps, wait } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'

export const directoryBuiltins: Builtins = { cd, pwd }

const executes = 0o100

/** Goes to a directory; the message of a failure names what was given. */
export function* enter(shell: Shell, given: string, physical: boolean): Steps<void> {
  let path = resolve(shell.cwd, throughScratch(given, shell.run.scratch))
  try {
    const stat = yield* wait(shell.files.stat(given))
    if (stat.kind !== 'directory') throw new CommandFailure(`${given}: Not a directory`)
    if (stat.mode !== undefined && (stat.mode & executes) === 0) throw new CommandFailure(`${given}: Permission denied`)
    if (physical) path = yield* wait(shell.files.realPath(given))
  } catch (error) {
    if (isFsError(error)) throw new CommandFailure(`${given}: ${describeError(error)}`)
    throw error
  }
  const before = readText(shell, 'PWD') ?? shell.directory
  shell.cwd = throughScratch(path, shell.run.scratch)
  assignText(shell, 'OLDPWD', before)
  assignText(shell, 'PWD', shell.directory)
}

export function* cd(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong } = parseFlags(args, 'LPe')
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'cd [-L|[-P [-e]] [-@]] [dir]')
  if (rest.length > 1) return yield* fail(shell, call, 'too many arguments')
  const physical = flags.has('P') || shell.options.has('physical')
  let given = rest[0]
  let prints = false
  if (given === undefined) {
    given = readText(shell, 'HOME')
    if (given === undefined) return yield* fail(shell, call, 'HOME not set')
  }
  if (given === '') return 0
  if (given === '-') {
    const old = readText(shell, 'OLDPWD')
    if (old === undefined) return yield* fail(shell, call, 'OLDPWD not set')
    given = old
    prints = true
  } else if (!/^\.{0,2}\//.test(given) && given !== '.' && given !== '..') {
    const found = yield* inSearchPath(shell, given)
    if (found !== undefined) {
      given = found
      prints = true
    }
  }
  const value = shell.options.has('cdable_vars') ? readText(shell, given) : undefined
  if (value !== undefined && !(yield* isDirectory(shell, given))) {
    given = value
    prints = true
  }
  yield* enter(shell, given, physical)
  if (prints) yield* shell.write(1, `${shell.directory}\n`)
  return 0
}

/** `CDPATH` */
function* inSearchPath(shell: Shell, given: string): Steps<string | undefined> {
  const search = readText(shell, 'CDPATH')
  if (search === undefined) return undefined
  for (const directory of search.split(':')) {
    const path = directory === '' ? given : `${directory}/${given}`
    if (yield* isDirectory(shell, path)) return directory === '' ? undefined : path
  }
  return undefined
}

function* isDirectory(shell: Shell, path: string): Steps<boolean> {
  try {
    return (yield* wait(shell.files.stat(path))).kind === 'directory'
  } catch (error) {
    if (!isFsError(error)) throw error
    return false
  }
}

function* pwd(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, wrong } = parseFlags(args, 'LP')
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'pwd [-LP]')
  const isPhysical = flags.has('P') || shell.options.has('physical')
  yield* shell.write(1, `${isPhysical ? yield* wait(shell.files.realPath(shell.cwd)) : shell.directory}\n`)
  return 0
}
