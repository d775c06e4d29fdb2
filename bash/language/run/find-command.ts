/** Finds what a name or path of a command stands for. */
import { isFsError } from '../../../src/errors.js'
import { basename, dirname, resolve } from '../../../src/fs/path.js'
import type { Stat } from '../../../src/fs/types.js'
import { readText } from '../expand/variable-access.js'
import type { Found } from './state/found.js'
import type { Shell } from './state/shell.js'
import { type Steps, wait } from './state/steps.js'

const programDirectories = ['/usr/bin', '/bin']
/** Directories that hardly any workspace has: nothing is looked for there that is a program. */
const emptyDirectories = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/sbin', '/usr/local/games', '/usr/games']
const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const executable = 0o111
const longestName = 255

/** `isStandard`: in the directories of the system, as `command -p` does. */
export function* findCommand(shell: Shell, name: string, isStandard = false): Steps<Found> {
  if (name.includes('/')) return yield* findPath(shell, name)
  const [first] = yield* findInPath(shell, name, true, isStandard ? standardPath : undefined)
  return first ?? { kind: 'failure', message: `${name}: command not found`, status: 127 }
}

/** As `findCommand`, for a command that runs: where it was found is remembered as long as `PATH` stays. */
export function* findToRun(shell: Shell, name: string, isStandard: boolean): Steps<Found> {
  const isHashed = !isStandard && !name.includes('/') && shell.options.has('hashall')
  if (!isHashed) return yield* findCommand(shell, name, isStandard)
  const known = hashTable(shell).get(name)
  if (known !== undefined) {
    known.hits += 1
    return known.found
  }
  const found = yield* findCommand(shell, name)
  // What the working directory itself has is looked up each time.
  if (found.kind !== 'failure' && !found.path.startsWith('./')) shell.hashed.set(name, { found, hits: 1 })
  return found
}

export function hashTable(shell: Shell): Shell['hashed'] {
  const path = readText(shell, 'PATH')
  if (path !== shell.hashedPath) shell.hashed.clear()
  shell.hashedPath = path
  return shell.hashed
}

/** All commands of that name in `PATH`. */
export function* findInPath(shell: Shell, name: string, onlyFirst: boolean, given?: string): Steps<Found[]> {
  const found: Found[] = []
  if (name === '') return found
  let denied: Found | undefined
  const program = shell.session.programs.get(name)
  for (const directory of (given ?? readText(shell, 'PATH') ?? standardPath).split(':')) {
    if (onlyFirst && found.length > 0) break
    const path = `${directory === '' ? '.' : directory}/${name}`
    if (program !== undefined && programDirectories.includes(directory)) found.push({ kind: 'program', program, path })
    else if (program === undefined || ![...programDirectories, ...emptyDirectories].includes(directory)) {
      const stat = yield* statOf(shell, path)
      if (stat?.kind !== 'file') continue
      if (((stat.mode ?? executable) & executable) !== 0) found.push({ kind: 'script', path })
      else denied ??= { kind: 'script', path, denied: true }
    }
  }
  return found.length === 0 && denied !== undefined ? [denied] : found
}

function* findPath(shell: Shell, path: string): Steps<Found> {
  const absolute = resolve(shell.cwd, path)
  const program = programDirectories.includes(dirname(absolute))
    ? shell.session.programs.get(basename(absolute))
    : undefined
  if (program !== undefined) return { kind: 'program', program, path }
  if (path.split('/').some((component) => component.length > longestName)) {
    return { kind: 'failure', message: `${path}: File name too long`, status: 126 }
  }
  let stat: Stat
  try {
    stat = yield* wait(shell.files.stat(path))
  } catch (error) {
    if (!isFsError(error)) throw error
    const isFileOnTheWay = error.code === 'NOT_A_DIRECTORY'
    const message = `${path}: ${isFileOnTheWay ? 'Not a directory' : 'No such file or directory'}`
    return { kind: 'failure', message, status: isFileOnTheWay ? 126 : 127 }
  }
  if (stat.kind === 'directory') return { kind: 'failure', message: `${path}: Is a directory`, status: 126 }
  if (((stat.mode ?? executable) & executable) === 0) {
    return { kind: 'failure', message: `${path}: Permission denied`, status: 126 }
  }
  return { kind: 'script', path }
}

function* statOf(shell: Shell, path: string): Steps<Stat | undefined> {
  try {
    return yield* wait(shell.files.stat(path))
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}
