/** Which source goes where, for `cp`, `mv`, `ln` and `install`. */
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { ProgramError } from '../../program-error.js'
import { quotedName } from '../../quoting.js'
import { lastName } from '../names/basename.js'
import { below } from '../shared/facts.js'
import { requireSourceAndDestination, usageError } from '../shared/usage.js'

export const targetOptions = {
  targetDirectory: { names: ['-t', '--target-directory'], value: 'required' },
  noTargetDirectory: { names: ['-T', '--no-target-directory'] },
} as const

export interface Pair {
  source: string
  destination: string
}

export interface TargetRules {
  /** The value of `-t`. */
  directory: string | undefined
  /** `-T` */
  isExact: boolean
  /** Keeps the whole path of each source below the directory. */
  hasParents?: boolean
  /** A link to a directory counts as a file, as for `ln -n`. */
  keepsLinks?: boolean
}

export async function pairsOf(io: ProgramIo, operands: readonly string[], rules: TargetRules): Promise<Pair[]> {
  const { directory, isExact, hasParents = false } = rules
  if (directory !== undefined) {
    if (isExact) throw new ProgramError('cannot combine --target-directory (-t) and --no-target-directory (-T)')
    if (operands.length === 0) throw usageError(io, 'missing file operand')
    await requireDirectory(io, directory, 'target directory')
    return operands.map((source) => into(directory, source, hasParents))
  }
  requireSourceAndDestination(io, operands)
  const [source = '', , third] = operands
  const last = operands.at(-1) ?? ''
  if (isExact) {
    if (third !== undefined) throw usageError(io, `extra operand ${quotedName(third)}`)
    return [{ source, destination: last }]
  }
  if (operands.length === 2 && !hasParents) {
    return [(await isDirectory(io, last, rules)) ? into(last, source, false) : { source, destination: last }]
  }
  await requireDirectory(io, last, 'target')
  return operands.slice(0, -1).map((one) => into(last, one, hasParents))
}

function into(directory: string, source: string, hasParents: boolean): Pair {
  const trimmed = source.replace(/(.)\/+$/, '$1')
  if (hasParents) return { source, destination: below(directory, trimmed.replace(/^\/+/, '')) }
  const name = lastName(source)
  return { source, destination: name === '..' || name === '.' || name === '/' ? directory : below(directory, name) }
}

async function isDirectory(io: ProgramIo, path: string, { keepsLinks }: TargetRules): Promise<boolean> {
  const look = keepsLinks ? io.fs.lstat : io.fs.stat
  return (await look(path).catch(() => undefined))?.kind === 'directory'
}

async function requireDirectory(io: ProgramIo, path: string, what: string): Promise<void> {
  let reason = 'Not a directory'
  try {
    if ((await io.fs.stat(path)).kind === 'directory') return
  } catch (error) {
    reason = describeError(error)
  }
  throw new ProgramError(`${what} ${quotedName(path)}: ${reason}`)
}
