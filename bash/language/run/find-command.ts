/** Finds what a name or path of a command stands for. */
import { isFsError } from '../../../src/errors.js'
import { basename, dirname, resolve } from '../../../src/fs/path.js'
import type { Stat } from '../../../src/fs/types.js'
import type { Program } from '../../io/program.js'
import { readText } from '../expand/variable-access.js'
import type { Shell } from './state/shell.js'
import { type Steps, wait } from './state/steps.js'

export type Found =
  | { kind: 'program'; program: Program; path: string }
  | { kind: 'script'; path: string }
  /** It cannot be run: what to say, and the status. */
  | { kind: 'failure'; message: string; status: number }

const programDirectories = ['/usr/bin', '/bin']
/** Directories that hardly any workspace has: nothing is looked for there that is a program. */
const emptyDirectories = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/sbin', '/usr/local/games', '/usr/games']
const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const executable = 0o111

/** `isStandard`: in the directories of the system, as `command -p` does. */
export function* findCommand(shell: Shell, name: string, isStandard = false): Steps<Found> {
  if (name.includes('/')) return yield* findPath(shell, name)
  const [first] = yield* findInPath(shell, name, true, isStandard ? standardPath : undefined)
  return first ?? { kind: 'failure', message: `${name}: command not found`, status: 127 }
}

/** All commands of that name in `PATH`. */
export function* findInPath(shell: Shell, name: string, onlyFirst: boolean, given?: string): Steps<Found[]> {
  const found: Found[] = []
  if (name === '') return found
  const program = shell.session.programs.get(name)
  for (const directory of (given ?? readText(shell, 'PATH') ?? standardPath).split(':')) {
    if (onlyFirst && found.length > 0) break
    const path = `${directory === '' ? '.' : directory}/${name}`
    if (program !== undefined && programDirectories.includes(directory)) found.push({ kind: 'program', program, path })
    else if (program === undefined || ![...programDirectories, ...emptyDirectories].includes(directory)) {
      const stat = yield* statOf(shell, path)
      if (stat?.kind === 'file' && ((stat.mode ?? executable) & executable) !== 0) found.push({ kind: 'script', path })
    }
  }
  return found
}

function* findPath(shell: Shell, path: string): Steps<Found> {
  const absolute = resolve(shell.cwd, path)
  const program = programDirectories.includes(dirname(absolute))
    ? shell.session.programs.get(basename(absolute))
    : undefined
  if (program !== undefined) return { kind: 'program', program, path }
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
