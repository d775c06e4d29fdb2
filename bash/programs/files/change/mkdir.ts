/** Creates and removes directories. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { quoted, quotedName } from '../../quoting.js'
import { directoryName } from '../names/basename.js'
import { statIfThere } from '../shared/facts.js'
import { applyMode, type ModeChanges, requireMode } from '../shared/modes.js'
import { requireOperand } from '../shared/usage.js'

export const mkdir = defineProgram({
  name: 'mkdir',
  usage: '[OPTION]... DIRECTORY...',
  options: {
    mode: { names: ['-m', '--mode'], value: 'required' },
    parents: { names: ['-p', '--parents'] },
    verbose: { names: ['-v', '--verbose'] },
  },
  unsupported: ['-Z', '--context'],
  async run(io, given) {
    requireOperand(io, given.operands)
    const mode = given.value('mode')
    const changes = mode === undefined ? undefined : requireMode(mode, io.umask, `invalid mode ${quoted(mode)}`)
    const created = given.has('verbose')
      ? (path: string) => io.stdout.write(`${io.name}: created directory ${quotedName(path)}\n`)
      : () => undefined
    let status = 0
    for (const path of given.operands) {
      const isMade = given.has('parents')
        ? await makeWithParents(io, path, { changes, created })
        : await makeOne(io, path, changes)
      if (!isMade) status = 1
      else if (!given.has('parents')) await created(path)
    }
    return status
  },
})

async function makeOne(io: ProgramIo, path: string, changes: ModeChanges | undefined): Promise<boolean> {
  try {
    await io.fs.makeDir(path)
    if (changes !== undefined) await io.fs.setMode(path, applyMode(changes, 0o777, true))
    return true
  } catch (error) {
    await io.error(`cannot create directory ${quoted(path)}: ${describeError(error)}`)
    return false
  }
}

interface Making {
  changes?: ModeChanges | undefined
  created(path: string): Promise<void> | undefined
}

/** Each missing directory, outermost first. Only the last one gets the mode. */
export async function makeWithParents(io: ProgramIo, path: string, { changes, created }: Making): Promise<boolean> {
  const components = path.split('/')
  let at = ''
  for (const [index, name] of components.entries()) {
    const isLast = components.slice(index + 1).every((rest) => rest === '')
    at += index === 0 ? name : `/${name}`
    if (name === '' || name === '.') {
      if (!isLast || path === '') continue
    }
    if (name === '' && isLast) continue
    try {
      await io.fs.makeDir(at)
      if (isLast && changes !== undefined) await io.fs.setMode(at, applyMode(changes, 0o777, true))
      await created(at)
    } catch (error) {
      const reason = describeError(error)
      const stat = isFsError(error, 'EXISTS', 'IS_ROOT', 'OUTSIDE', 'DENIED', 'READ_ONLY')
        ? await statIfThere(io.fs, at)
        : undefined
      if (stat?.kind === 'directory') continue
      const shown = isFsError(error, 'EXISTS') && !isLast ? 'Not a directory' : reason
      await io.error(`cannot create directory ${quoted(at)}: ${shown}`)
      return false
    }
  }
  return true
}

export const rmdir = defineProgram({
  name: 'rmdir',
  usage: '[OPTION]... DIRECTORY...',
  options: {
    ignore: { names: ['--ignore-fail-on-non-empty'] },
    parents: { names: ['-p', '--parents'] },
    verbose: { names: ['-v', '--verbose'] },
  },
  async run(io, given) {
    requireOperand(io, given.operands)
    let status = 0
    for (const operand of given.operands) {
      const paths = given.has('parents') ? withParents(operand) : [operand]
      for (const [index, path] of paths.entries()) {
        if (given.has('verbose')) await io.stdout.write(`${io.name}: removing directory, ${quotedName(path)}\n`)
        const fault = await removeDirectory(io, path)
        if (fault === undefined) continue
        if (fault === 'Directory not empty' && given.has('ignore')) break
        await io.error(`failed to remove ${index > 0 ? 'directory ' : ''}${quotedName(path)}: ${fault}`)
        status = 1
        break
      }
    }
    return status
  },
})

/** `a/b/c`, `a/b`, `a`. */
function withParents(path: string): string[] {
  const paths = [path.replace(/(.)\/+$/, '$1')]
  for (let above = directoryName(path); above !== '.' && above !== '/'; above = directoryName(above)) paths.push(above)
  return paths
}

async function removeDirectory(io: ProgramIo, path: string): Promise<string | undefined> {
  try {
    const { kind } = await io.fs.lstat(path.replace(/(.)\/+$/, '$1'))
    if (kind === 'symlink' && path.endsWith('/')) return 'Symbolic link not followed'
    if (kind !== 'directory') return 'Not a directory'
    if (/(^|\/)\.\/*$/.test(path)) return 'Invalid argument'
    if ((await io.fs.readDir(path)).length > 0) return 'Directory not empty'
    await io.fs.remove(path)
    return undefined
  } catch (error) {
    return describeError(error)
  }
}
