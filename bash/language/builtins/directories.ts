/** `cd`, `pwd`, `pushd`, `popd` and `dirs`. */
import { isFsError } from '../../../src/errors.js'
import { resolve } from '../../../src/fs/path.js'
import { describeError } from '../../io/describe-error.js'
import { throughScratch } from '../../io/scratch-names.js'
import { assignText, readText } from '../expand/variable-access.js'
import { CommandFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import { type Steps, wait } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail, parseFlags, wrongOption } from './builtin.js'

export const directoryBuiltins: Builtins = { cd, pwd, pushd, popd, dirs }

const executes = 0o100

/** Goes to a directory; the message of a failure names what was given. */
function* enter(shell: Shell, given: string, physical: boolean): Steps<void> {
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

function* cd(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest, wrong } = parseFlags(args, 'LPe@')
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
  yield* enter(shell, given, physical)
  if (prints) yield* shell.write(1, `${shell.directory}\n`)
  return 0
}

/** `CDPATH` */
function* inSearchPath(shell: Shell, given: string): Steps<string | undefined> {
  const search = readText(shell, 'CDPATH')
  if (search === undefined) return undefined
  for (const directory of search.split(':')) {
    if (directory === '' || directory === '.') continue
    const path = `${directory}/${given}`
    try {
      if ((yield* wait(shell.files.stat(path))).kind === 'directory') return path
    } catch (error) {
      if (!isFsError(error)) throw error
    }
  }
  return undefined
}

function* pwd(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, wrong } = parseFlags(args, 'LP')
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'pwd [-LP]')
  const isPhysical = flags.has('P') || shell.options.has('physical')
  yield* shell.write(1, `${isPhysical ? yield* wait(shell.files.realPath(shell.cwd)) : shell.directory}\n`)
  return 0
}

function* pushd(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const { flags, rest } = parseFlags(
    args.filter((arg) => !/^-\d+$/.test(arg)),
    'n',
  )
  const rotation = args.find((arg) => /^[-+]\d+$/.test(arg))
  const stack = [shell.directory, ...shell.directories]
  if (rotation !== undefined) {
    const at = rotation.startsWith('+') ? Number(rotation.slice(1)) : stack.length - 1 - Number(rotation.slice(1))
    if (at < 0 || at >= stack.length) return yield* fail(shell, call, `${rotation}: directory stack index out of range`)
    const rotated = [...stack.slice(at), ...stack.slice(0, at)]
    yield* enter(shell, rotated[0] as string, false)
    shell.directories = rotated.slice(1)
  } else if (rest[0] === undefined) {
    const [top, ...others] = shell.directories
    if (top === undefined) return yield* fail(shell, call, 'no other directory')
    const before = shell.directory
    yield* enter(shell, top, false)
    shell.directories = [before, ...others]
  } else if (flags.has('n')) shell.directories = [resolve(shell.directory, rest[0]), ...shell.directories]
  else {
    const before = shell.directory
    yield* enter(shell, rest[0], false)
    shell.directories = [before, ...shell.directories]
  }
  yield* shell.write(1, `${stackLine(shell)}\n`)
  return 0
}

function* popd(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const index = args.find((arg) => /^[-+]\d+$/.test(arg))
  const [top, ...others] = shell.directories
  if (top === undefined) return yield* fail(shell, call, 'directory stack empty')
  if (index !== undefined && index !== '+0') {
    const size = shell.directories.length + 1
    const at = index.startsWith('+') ? Number(index.slice(1)) : size - 1 - Number(index.slice(1))
    if (at < 0 || at >= size) return yield* fail(shell, call, `${index}: directory stack index out of range`)
    if (at > 0) {
      shell.directories = shell.directories.filter((_directory, place) => place !== at - 1)
      yield* shell.write(1, `${stackLine(shell)}\n`)
      return 0
    }
  }
  if (args.includes('-n')) shell.directories = others
  else {
    yield* enter(shell, top, false)
    shell.directories = others
  }
  yield* shell.write(1, `${stackLine(shell)}\n`)
  return 0
}

function* dirs(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const index = args.find((arg) => /^[-+]\d+$/.test(arg))
  const { flags, wrong } = parseFlags(
    args.filter((arg) => arg !== index),
    'clpv',
  )
  if (wrong !== undefined) return yield* wrongOption(shell, call, wrong, 'dirs [-clpv] [+N] [-N]')
  if (flags.has('c')) {
    shell.directories = []
    return 0
  }
  const stack = [shell.directory, ...shell.directories].map((path) => (flags.has('l') ? path : shortened(shell, path)))
  if (index !== undefined) {
    const at = index.startsWith('+') ? Number(index.slice(1)) : stack.length - 1 - Number(index.slice(1))
    if (stack[at] === undefined) return yield* fail(shell, call, `${index}: directory stack index out of range`)
    yield* shell.write(1, `${stack[at]}\n`)
  } else if (flags.has('v')) {
    yield* shell.write(1, stack.map((path, at) => `${String(at).padStart(2)}  ${path}\n`).join(''))
  } else yield* shell.write(1, `${stack.join(flags.has('p') ? '\n' : ' ')}\n`)
  return 0
}

function stackLine(shell: Shell): string {
  return [shell.directory, ...shell.directories].map((path) => shortened(shell, path)).join(' ')
}

function shortened(shell: Shell, path: string): string {
  const home = readText(shell, 'HOME')
  if (home === undefined || home === '' || home === '/') return path
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
