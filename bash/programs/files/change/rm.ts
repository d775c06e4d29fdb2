/** Removes files and directories. */
import type { Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { allAtOnce, grouped } from '../shared/all-at-once.js'
import { ask } from '../shared/ask.js'
import { below, kindText } from '../shared/facts.js'
import { requireOperand } from '../shared/usage.js'

interface Work {
  io: ProgramIo
  isRecursive: boolean
  removesEmpty: boolean
  isForced: boolean
  asksAlways: boolean
  isVerbose: boolean
}

export const rm = defineProgram({
  name: 'rm',
  usage: '[OPTION]... [FILE]...',
  options: {
    force: { names: ['-f', '--force'] },
    always: { names: ['-i'] },
    once: { names: ['-I'] },
    interactive: { names: ['--interactive'], value: 'optional' },
    oneFileSystem: { names: ['--one-file-system'] },
    noPreserveRoot: { names: ['--no-preserve-root'] },
    preserveRoot: { names: ['--preserve-root'], value: 'optional' },
    recursive: { names: ['-r', '-R', '--recursive'] },
    dir: { names: ['-d', '--dir'] },
    verbose: { names: ['-v', '--verbose'] },
  },
  async run(io, given) {
    const prompt = promptOf(given.given)
    const isForced = prompt === 'force'
    if (!isForced) requireOperand(io, given.operands)
    const work: Work = {
      io,
      isRecursive: given.has('recursive'),
      removesEmpty: given.has('dir'),
      isForced,
      asksAlways: prompt === 'always',
      isVerbose: given.has('verbose'),
    }
    const count = given.operands.length
    if (prompt === 'once' && (count > 3 || (work.isRecursive && count > 0))) {
      const what = `${count} argument${count === 1 ? '' : 's'}${work.isRecursive ? ' recursively' : ''}`
      if (!(await ask(io, `${io.name}: remove ${what}? `))) return 0
    }
    let isFine = true
    for (const path of given.operands) isFine = (await removeOperand(work, path)) && isFine
    return isFine ? 0 : 1
  },
})

/** The last of `-f`, `-i`, `-I` and `--interactive` counts. */
function promptOf(given: ReadonlyArray<{ key: string; value?: string }>): string {
  let prompt = 'default'
  for (const { key, value = 'always' } of given) {
    if (key === 'force' || key === 'always' || key === 'once') prompt = key
    if (key !== 'interactive') continue
    if (['never', 'no', 'none'].includes(value)) prompt = 'never'
    else if (['always', 'yes'].includes(value)) prompt = 'always'
    else if (value === 'once') prompt = 'once'
    else throw new ProgramError(`invalid argument ${quoted(value)} for ${quoted('--interactive')}`)
  }
  return prompt
}

async function removeOperand(work: Work, path: string): Promise<boolean> {
  const { io, isForced, isRecursive } = work
  try {
    const stat = await io.fs.lstat(path)
    if (isRecursive && stat.kind === 'directory') {
      if (/(^|\/)\.\.?\/*$/.test(path)) {
        await io.error(`refusing to remove '.' or '..' directory: skipping ${quotedName(path)}`)
        return false
      }
      if (io.path(path) === '/') {
        const shown = path === '/' ? "'/'" : `${quotedName(path)} (same as '/')`
        await io.error(`it is dangerous to operate recursively on ${shown}`)
        await io.error('use --no-preserve-root to override this failsafe')
        return false
      }
    }
    return (await remove(work, path, stat)) !== 'failed'
  } catch (error) {
    const reason = describeError(error)
    if (isForced && (reason === 'No such file or directory' || reason === 'Not a directory')) return true
    await io.error(`cannot remove ${quotedName(path)}: ${reason}`)
    return false
  }
}

/** `skipped`: a directory that was not entered, so those above it are not asked about. */
type Outcome = 'removed' | 'kept' | 'skipped' | 'failed'

async function remove(work: Work, path: string, stat: Stat): Promise<Outcome> {
  const { io, isRecursive, removesEmpty, asksAlways } = work
  if (stat.kind === 'directory') {
    if (isRecursive) return removeDirectory(work, path)
    const reason = removesEmpty ? undefined : 'Is a directory'
    if (reason !== undefined) {
      await io.error(`cannot remove ${quotedName(path)}: ${reason}`)
      return 'failed'
    }
    return removeEmpty(work, path)
  }
  if (asksAlways && !(await ask(io, `${io.name}: remove ${kindText(stat)} ${quotedName(path)}? `))) return 'kept'
  return removeEntry(work, path, 'removed ')
}

async function removeDirectory(work: Work, path: string): Promise<Outcome> {
  const { io, asksAlways, isVerbose } = work
  let entries: Awaited<ReturnType<typeof io.fs.readDir>>
  try {
    entries = await io.fs.readDir(path)
  } catch (error) {
    await io.error(`cannot remove ${quotedName(path)}: ${describeError(error)}`)
    return 'failed'
  }
  if (asksAlways && entries.length > 0) {
    if (!(await ask(io, `${io.name}: descend into directory ${quotedName(path)}? `))) return 'skipped'
  }
  const outcomes = new Set<Outcome>()
  const isSilent = !asksAlways && !isVerbose
  for (const group of grouped(entries, ({ kind }) => isSilent && kind !== 'directory')) {
    io.step(group.length)
    const removed = await allAtOnce(io, group, async (apart, { name, kind }) => {
      const at = below(path, name)
      const stat = asksAlways ? await io.fs.lstat(at) : { kind }
      return remove(isSilent ? { ...work, io: apart } : work, at, stat)
    })
    for (const outcome of removed) outcomes.add(outcome)
  }
  if (outcomes.has('failed')) return 'failed'
  return outcomes.has('skipped') ? 'skipped' : removeEmpty(work, path)
}

async function removeEmpty(work: Work, path: string): Promise<Outcome> {
  const { io, asksAlways } = work
  if (asksAlways && !(await ask(io, `${io.name}: remove directory ${quotedName(path)}? `))) return 'kept'
  return removeEntry(work, path, 'removed directory ')
}

async function removeEntry({ io, isVerbose }: Work, path: string, said: string): Promise<Outcome> {
  try {
    await io.fs.remove(path)
  } catch (error) {
    await io.error(`cannot remove ${quotedName(path)}: ${describeError(error)}`)
    return 'failed'
  }
  if (isVerbose) await io.stdout.write(`${said}${quotedName(path)}\n`)
  return 'removed'
}
