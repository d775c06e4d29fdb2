/** `pushd`, `popd` and `dirs`. */
import { readText } from '../expand/variable-access.js'
import type { Shell } from '../run/state/shell.js'
import type { Steps } from '../run/state/steps.js'
import { type BuiltinCall, type Builtins, fail } from './builtin.js'
import { cd, enter } from './directories.js'

export const directoryStackBuiltins: Builtins = { pushd, popd, dirs }

const usages = {
  pushd: 'pushd [-n] [+N | -N | dir]',
  popd: 'popd [-n] [+N | -N]',
  dirs: 'dirs [-clpv] [+N] [-N]',
} as const

/** The arguments of all three: single letters, and the place of a directory, counted from either end. */
interface Arguments {
  letters: Set<string>
  /** Of the stack with the current directory in front. */
  at?: number
  /** The place as it was written. */
  place?: string
  operands: readonly string[]
  /** What is neither. */
  wrong?: string
}

function parse(args: readonly string[], letters: string, size: number): Arguments {
  const found: Arguments = { letters: new Set(), operands: [] }
  for (const [index, arg] of args.entries()) {
    const letter = arg.slice(1)
    if (arg.length === 2 && arg.startsWith('-') && letters.includes(letter)) found.letters.add(letter)
    else if (arg === '--') return { ...found, operands: args.slice(index + 1) }
    else if (arg !== '-' && /^[-+]/.test(arg)) {
      if (!/^\d+$/.test(letter)) return { ...found, wrong: arg }
      found.place = arg
      found.at = arg.startsWith('+') ? Number(letter) : size - 1 - Number(letter)
    } else return { ...found, operands: args.slice(index) }
  }
  return found
}

function* misused(shell: Shell, name: keyof typeof usages, message: string): Steps<number> {
  yield* shell.report(`${name}: ${message}`)
  yield* shell.complain(`${name}: usage: ${usages[name]}\n`)
  return 2
}

function outOfRange(shell: Shell, call: BuiltinCall, place: string): Steps<number> {
  const isEmpty = shell.directories.length === 0
  return fail(shell, call, isEmpty ? 'directory stack empty' : `${place}: directory stack index out of range`)
}

function* pushd(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const stack = [shell.directory, ...shell.directories]
  const { letters, at, place, operands, wrong } = parse(args, 'n', stack.length)
  if (wrong !== undefined) return yield* misused(shell, 'pushd', `${wrong}: invalid number`)
  const [directory] = operands
  if (at !== undefined) {
    if (at < 0 || at >= stack.length) return yield* outOfRange(shell, call, place ?? '')
    const [top = '', ...others] = [...stack.slice(at), ...stack.slice(0, at)]
    shell.directories = others
    if (letters.has('n')) return 0
    yield* enter(shell, top, false)
  } else if (directory === undefined) {
    if (args.length > 0) return 0
    const [top, ...others] = shell.directories
    if (top === undefined) return yield* fail(shell, call, 'no other directory')
    shell.directories = [shell.directory, ...others]
    yield* enter(shell, top, false)
  } else if (letters.has('n')) shell.directories = [directory, ...shell.directories]
  else {
    const before = shell.directory
    const status = yield* cd(shell, directory === '-' ? operands : ['--', ...operands], call)
    if (status !== 0) return status
    shell.directories = [before, ...shell.directories]
  }
  return yield* list(shell)
}

function* popd(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const size = shell.directories.length + 1
  const { letters, at = 0, place, operands, wrong } = parse(args, 'n', size)
  if (wrong !== undefined) return yield* misused(shell, 'popd', `${wrong}: invalid number`)
  const [operand] = operands
  if (operand !== undefined && operand !== '') return yield* misused(shell, 'popd', `${operand}: invalid argument`)
  const [top, ...others] = shell.directories
  if (at < 0 || at >= size || top === undefined) return yield* outOfRange(shell, call, place ?? '')
  if (at > 0) shell.directories = shell.directories.filter((_directory, index) => index !== at - 1)
  else {
    if (!letters.has('n')) yield* enter(shell, top, false)
    shell.directories = others
  }
  return yield* list(shell)
}

function* dirs(shell: Shell, args: readonly string[], call: BuiltinCall): Steps<number> {
  const stack = [shell.directory, ...shell.directories]
  const { letters, at, place, operands, wrong } = parse(args, 'clpv', stack.length)
  if (wrong !== undefined) return yield* misused(shell, 'dirs', `${wrong}: invalid number`)
  if (operands[0] !== undefined) return yield* misused(shell, 'dirs', `${operands[0]}: invalid option`)
  if (letters.has('c')) {
    shell.directories = []
    return 0
  }
  if (at !== undefined && (at < 0 || at >= stack.length)) return yield* outOfRange(shell, call, (place ?? '').slice(1))
  const shown = stack.map((path, index) => {
    const text = letters.has('l') ? path : shortened(shell, path)
    return letters.has('v') ? `${String(index).padStart(2)}  ${text}` : text
  })
  const isLong = letters.has('v') || letters.has('p')
  yield* shell.write(1, `${at === undefined ? shown.join(isLong ? '\n' : ' ') : shown[at]}\n`)
  return 0
}

function* list(shell: Shell): Steps<number> {
  const paths = [shell.directory, ...shell.directories].map((path) => shortened(shell, path))
  yield* shell.write(1, `${paths.join(' ')}\n`)
  return 0
}

function shortened(shell: Shell, path: string): string {
  const home = readText(shell, 'HOME')
  if (home === undefined || home === '' || home === '/') return path
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
