/** Changes permission bits. */
import type { Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName, shownName } from '../../quoting.js'
import { below, modeOf } from '../shared/facts.js'
import { applyMode, type ModeChanges, parseMode, rightsText } from '../shared/modes.js'
import { usageError } from '../shared/usage.js'

interface Work {
  io: ProgramIo
  changes: ModeChanges | number
  /** The mode as if no bits were masked, when it was written as an option such as `-w`. */
  unmasked?: ModeChanges
  isRecursive: boolean
  reports: 'all' | 'changes' | 'none'
  isQuiet: boolean
}

export const chmod = defineProgram({
  name: 'chmod',
  usage: '[OPTION]... MODE[,MODE]... FILE...\n[OPTION]... OCTAL-MODE FILE...\n[OPTION]... --reference=RFILE FILE...',
  options: {
    changes: { names: ['-c', '--changes'] },
    quiet: { names: ['-f', '--silent', '--quiet'] },
    verbose: { names: ['-v', '--verbose'] },
    recursive: { names: ['-R', '--recursive'] },
    reference: { names: ['--reference'], value: 'required' },
    preserveRoot: { names: ['--preserve-root', '--no-preserve-root'] },
  },
  rewrite: modeFirst,
  async run(io, given) {
    const reference = given.value('reference')
    const [mode, ...rest] = given.operands
    const paths = reference === undefined ? rest : given.operands
    if (paths.length === 0) {
      throw usageError(
        io,
        mode === undefined || mode.startsWith('-') ? 'missing operand' : `missing operand after ${quoted(mode)}`,
      )
    }
    const report = given.last('changes', 'verbose')
    const work: Work = {
      io,
      changes: reference === undefined ? requireChanges(io, mode ?? '') : await modeOfReference(io, reference),
      ...(mode?.startsWith('-') && hasModeOption(io.args) && { unmasked: parseMode(mode, 0) ?? [] }),
      isRecursive: given.has('recursive'),
      reports: report === 'verbose' ? 'all' : report === 'changes' ? 'changes' : 'none',
      isQuiet: given.has('quiet'),
    }
    let isFine = true
    for (const path of paths) isFine = (await changeOperand(work, path)) && isFine
    return isFine ? 0 : 1
  },
})

function requireChanges(io: ProgramIo, mode: string): ModeChanges {
  const changes = parseMode(mode, io.umask)
  if (changes === undefined) throw usageError(io, `invalid mode: ${quoted(mode)}`)
  return changes
}

async function modeOfReference(io: ProgramIo, path: string): Promise<number> {
  try {
    return modeOf(await io.fs.stat(path))
  } catch (error) {
    throw new ProgramError(`failed to get attributes of ${quotedName(path)}: ${describeError(error)}`)
  }
}

function hasModeOption(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? args.length : end).some((arg) => modeOption.test(arg))
}

const modeOption = /^-[rwxXstugoa,+=0-7]/

/** `chmod -x f`: what looks like a mode is not an option. */
function modeFirst(args: readonly string[]): readonly string[] {
  const options: string[] = []
  const modes: string[] = []
  const operands: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as string
    if (arg === '--') {
      operands.push(...args.slice(index + 1))
      break
    }
    if (modeOption.test(arg)) modes.push(arg)
    else if (arg === '--reference') options.push(arg, ...args.slice(++index, index + 1))
    else if (arg.startsWith('-') && arg !== '-') options.push(arg)
    else operands.push(arg)
  }
  return [...options, '--', ...(modes.length > 0 ? [modes.join(',')] : []), ...operands]
}

async function changeOperand(work: Work, path: string): Promise<boolean> {
  const { io, isQuiet } = work
  try {
    return await change(work, path, await io.fs.stat(path))
  } catch (error) {
    const reason = describeError(error)
    const isDangling = (await io.fs.lstat(path).catch(() => undefined))?.kind === 'symlink'
    if (!isQuiet) {
      await io.error(
        isDangling
          ? `cannot operate on dangling symlink ${quotedName(path)}`
          : `cannot access ${quotedName(path)}: ${reason}`,
      )
    }
    return false
  }
}

async function change(work: Work, path: string, stat: Stat): Promise<boolean> {
  const { io, changes, unmasked, isRecursive, isQuiet } = work
  const isDirectory = stat.kind === 'directory'
  const before = modeOf(stat)
  const after = typeof changes === 'number' ? changes : applyMode(changes, before, isDirectory)
  let isFine = true
  try {
    if (after !== before || !io.fs.capabilities.modeBits) await io.fs.setMode(path, after)
    await report(work, path, before, after)
    const naive = unmasked && applyMode(unmasked, before, isDirectory)
    if (naive !== undefined && after & ~naive) {
      await io.error(`${shownName(path)}: new permissions are ${rightsText(after)}, not ${rightsText(naive)}`)
      isFine = false
    }
  } catch (error) {
    const reason = describeError(error)
    if (!isQuiet) await io.error(`changing permissions of ${quotedName(path)}: ${reason}`)
    isFine = false
  }
  if (!isRecursive || !isDirectory) return isFine
  return (await changeBelow(work, path)) && isFine
}

async function changeBelow(work: Work, directory: string): Promise<boolean> {
  const { io, isQuiet, reports } = work
  let isFine = true
  try {
    for (const { name, kind } of await io.fs.readDir(directory)) {
      io.step()
      const path = below(directory, name)
      if (kind !== 'symlink') isFine = (await change(work, path, await io.fs.lstat(path))) && isFine
      else if (reports === 'all') {
        await io.stdout.write(`neither symbolic link ${quotedName(path)} nor referent has been changed\n`)
      }
    }
  } catch (error) {
    const reason = describeError(error)
    if (!isQuiet) await io.error(`cannot read directory ${quotedName(directory)}: ${reason}`)
    return false
  }
  return isFine
}

async function report({ io, reports }: Work, path: string, before: number, after: number): Promise<void> {
  if (reports === 'none' || (reports === 'changes' && before === after)) return
  const text = (mode: number) => `${mode.toString(8).padStart(4, '0')} (${rightsText(mode)})`
  await io.stdout.write(
    before === after
      ? `mode of ${quotedName(path)} retained as ${text(after)}\n`
      : `mode of ${quotedName(path)} changed from ${text(before)} to ${text(after)}\n`,
  )
}
