/** Copies files, links and directories, as `cp` does. */
import { isWithin } from '../../../../src/fs/path.js'
import type { Entry, Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { quotedName } from '../../quoting.js'
import { allAtOnce, grouped } from '../shared/all-at-once.js'
import { below, entryPath, lstatIfThere, modeOf, statIfThere } from '../shared/facts.js'
import { entryCopier } from './copy-entry.js'
import type { CopyRules } from './copy-rules.js'
import { mayReplace } from './overwriting.js'

/** Copies one operand after the other; remembers what it made, which it never replaces. */
export function copier(io: ProgramIo, rules: CopyRules) {
  const { fs } = io
  const { put, preserve } = entryCopier(io, rules)
  const made = new Set<string>()
  /** The operands being copied, and the real path of the destination, which is not copied into itself. */
  let current = { source: '', destination: '', real: '' }

  async function copy(source: string, destination: string, isOperand = true): Promise<boolean> {
    const follows = rules.follows === 'all' || (rules.follows === 'operands' && isOperand)
    let stat: Stat
    try {
      stat = await (follows ? fs.stat(source) : fs.lstat(source))
    } catch (error) {
      return fail(`cannot stat ${quotedName(source)}: ${describeError(error)}`)
    }
    if (stat.kind === 'directory') {
      if (!rules.isRecursive) return fail(`-r not specified; omitting directory ${quotedName(source)}`)
      return copyDirectory(source, destination, stat, isOperand)
    }
    return copyEntry(source, destination, stat, isOperand)
  }

  async function copyEntry(source: string, destination: string, stat: Stat, isOperand: boolean): Promise<boolean> {
    const isWrittenThrough =
      stat.kind === 'file' && !rules.makesLinks && !rules.removesFirst && rules.backup === undefined
    const there = await (isWrittenThrough ? statIfThere : lstatIfThere)(fs, destination)
    let saved: string | undefined
    if (there !== undefined) {
      if (isOperand && made.has(await entryPath(io, destination)) && rules.existing !== 'keep') {
        return fail(`will not overwrite just-created ${quotedName(destination)} with ${quotedName(source)}`)
      }
      const verdict = await mayReplace(io, rules, { path: source, stat }, { path: destination, stat: there })
      if (verdict !== 'replace') return verdict === 'kept'
      if (rules.backup !== undefined) {
        saved = await rules.backup(destination)
        await fs.rename(destination, saved)
      } else if (rules.removesFirst || (stat.kind === 'symlink' && !rules.attributesOnly)) {
        await fs.remove(destination)
        if (rules.isVerbose) await io.stdout.write(`removed ${quotedName(destination)}\n`)
      }
    }
    if (rules.isVerbose) {
      const said = saved === undefined ? '' : ` (backup: ${quotedName(saved)})`
      await io.stdout.write(`${quotedName(source)} -> ${quotedName(destination)}${said}\n`)
    }
    if (isOperand) made.add(await entryPath(io, destination))
    const isCopied = await put(source, destination, stat)
    if (!isCopied && saved !== undefined) await restore(saved, destination)
    return isCopied
  }

  /** Undoes the backup of what could not be replaced. */
  async function restore(saved: string, destination: string): Promise<void> {
    try {
      await fs.rename(saved, destination)
      if (rules.isVerbose) await io.stdout.write(`${quotedName(saved)} -> ${quotedName(destination)} (unbackup)\n`)
    } catch (error) {
      await io.error(`cannot un-backup ${quotedName(destination)}: ${describeError(error)}`)
    }
  }

  async function copyDirectory(source: string, destination: string, stat: Stat, isOperand: boolean): Promise<boolean> {
    const from = await fs.realPath(source)
    if (isOperand) {
      const real = (await fs.realPath(destination).catch(() => undefined)) ?? (await entryPath(io, destination))
      if (from === real) return fail(`${quotedName(source)} and ${quotedName(destination)} are the same file`)
      current = { source, destination, real: isWithin(from, real) ? real : '' }
    } else if (from === current.real) {
      const names = `${quotedName(current.source)}, into itself, ${quotedName(current.destination)}`
      return fail(`cannot copy a directory, ${names}`)
    }
    // A directory is not copied into what a link leads to.
    const there = await lstatIfThere(fs, destination)
    if (there !== undefined && there.kind !== 'directory') {
      return fail(`cannot overwrite non-directory ${quotedName(destination)} with directory ${quotedName(source)}`)
    }
    if (there === undefined) {
      try {
        await fs.makeDir(destination)
      } catch (error) {
        return fail(`cannot create directory ${quotedName(destination)}: ${describeError(error)}`)
      }
      if (rules.isVerbose) await io.stdout.write(`${quotedName(source)} -> ${quotedName(destination)}\n`)
    }
    let isFine = await copyInside(source, destination)
    const mode = modeOf(stat) & ~io.umask
    if (there === undefined && !rules.preserves.mode && mode !== (0o777 & ~io.umask) && fs.capabilities.modeBits) {
      await fs.setMode(destination, mode)
    }
    if (!(await preserve(destination, stat))) isFine = false
    return isFine
  }

  async function copyInside(source: string, destination: string): Promise<boolean> {
    let isFine = true
    try {
      const entries = await fs.readDir(source)
      const inTheWay = await namesInTheWay(destination)
      const copyBelow = (by: typeof copy, name: string) => by(below(source, name), below(destination, name), false)
      const isSilent = !rules.isVerbose && rules.existing !== 'ask'
      const goesAlong = ({ name, kind }: Entry) => isSilent && kind === 'file' && !inTheWay.has(name)
      for (const group of grouped(entries, goesAlong)) {
        io.step(group.length)
        const copied = await (group.length > 1
          ? allAtOnce(io, group, (apart, { name }) => copyBelow(copier(apart, rules).copy, name))
          : Promise.all(group.map(({ name }) => copyBelow(copy, name))))
        isFine &&= copied.every((isCopied) => isCopied)
      }
    } catch (error) {
      return fail(`cannot access ${quotedName(source)}: ${describeError(error)}`)
    }
    return isFine
  }

  /** What a directory has already that is not a file: two copies may be written to the same file behind a link. */
  async function namesInTheWay(directory: string): Promise<ReadonlySet<string>> {
    const entries = await fs.readDir(directory).catch(() => [])
    return new Set(entries.flatMap(({ name, kind }) => (kind === 'file' ? [] : [name])))
  }

  return { copy }

  async function fail(message: string): Promise<false> {
    await io.error(message)
    return false
  }
}
