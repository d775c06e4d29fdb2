/** The tests on files of `test` and `[[ ]]`. */
import { isFsError } from '../../../src/errors.js'
import type { Stat } from '../../../src/fs/types.js'
import { isPipe } from '../../io/named-pipes.js'
import type { ShellFiles } from '../../io/program.js'
import { type Steps, wait } from '../run/state/steps.js'

export const fileOperators = 'abcdefghkprsuwxLNOGSt'

const bits: Readonly<Record<string, number>> = { r: 0o400, w: 0o200, x: 0o100, u: 0o4000, g: 0o2000, k: 0o1000 }

export function* testFile(files: ShellFiles, operator: string, path: string): Steps<boolean> {
  if (operator === 't') return false
  const follows = operator !== 'h' && operator !== 'L'
  const stat = yield* statOf(files, path, follows)
  if (stat === undefined) return false
  switch (operator) {
    case 'a':
    case 'e':
    case 'O':
    case 'G':
      return true
    case 'd':
      return stat.kind === 'directory'
    case 'f':
      return stat.kind === 'file'
    case 'h':
    case 'L':
      return stat.kind === 'symlink'
    case 's':
      return stat.kind === 'directory' || (stat.size ?? 0) > 0
    case 'c':
      return stat.kind === 'other' && path.startsWith('/dev/')
    case 'N':
      return true
    case 'p':
      return isPipe(stat)
    case 'b':
    case 'S':
      return false
    default: {
      const standard = stat.kind === 'directory' ? 0o755 : 0o644
      return ((stat.mode ?? standard) & (bits[operator] ?? 0)) !== 0
    }
  }
}

/** `-nt`, `-ot` and `-ef` */
export function* compareFiles(files: ShellFiles, operator: string, left: string, right: string): Steps<boolean> {
  if (operator === '-ef') {
    const [one, other] = [yield* realPath(files, left), yield* realPath(files, right)]
    return one !== undefined && one === other
  }
  const [one, other] = [yield* statOf(files, left, true), yield* statOf(files, right, true)]
  const newer = operator === '-nt' ? one : other
  const older = operator === '-nt' ? other : one
  if (newer === undefined) return false
  return older === undefined || (newer.modifiedMs ?? 0) > (older.modifiedMs ?? 0)
}

function* statOf(files: ShellFiles, path: string, follows: boolean): Steps<Stat | undefined> {
  if (path === '') return undefined
  try {
    return yield* wait(follows ? files.stat(path) : files.lstat(path))
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}

function* realPath(files: ShellFiles, path: string): Steps<string | undefined> {
  try {
    yield* wait(files.stat(path))
    return yield* wait(files.realPath(path))
  } catch (error) {
    if (isFsError(error)) return undefined
    throw error
  }
}
