/** Copies files, links and directories, as `cp` does. */
import { isWithin } from '../../../../src/fs/path.js'
import type { Entry, Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { allAtOnce, grouped } from '../shared/all-at-once.js'
import { ask } from '../shared/ask.js'
import { below, entryPath, lstatIfThere, modeOf, modifiedOf, statIfThere } from '../shared/facts.js'
import { rightsText } from '../shared/modes.js'
import { quoted, quotedIfNeeded } from '../shared/quote.js'
import type { Backup } from './backup.js'

export interface CopyRules {
  isRecursive: boolean
  /** Which links are followed: all, those given as operands, or none. */
  follows: 'all' | 'operands' | 'none'
  preserves: { mode: boolean; timestamps: boolean }
  /** What happens to an existing file. */
  existing: 'replace' | 'keep' | 'ask'
  isForced: boolean
  removesFirst: boolean
  onlyNewer: boolean
  isVerbose: boolean
  /** Makes links to the sources instead of copies. */
  makesLinks: boolean
  attributesOnly: boolean
  backup?: Backup | undefined
}

/** Above this files are streamed. */
const wholeFileBytes = 1024 * 1024

/** Copies one operand after the other; remembers what it made, which it never replaces. */
export function copier(io: ProgramIo, rules: CopyRules) {
  const { fs } = io
  const made = new Set<string>()
  /** The operands being copied, and the real path of the destination, which is not copied into itself. */
  let current = { source: '', destination: '', real: '' }

  async function fail(message: string): Promise<false> {
    await io.error(message)
    return false
  }

  async function copy(source: string, destination: string, isOperand = true): Promise<boolean> {
    const follows = rules.follows === 'all' || (rules.follows === 'operands' && isOperand)
    let stat: Stat
    try {
      stat = await (follows ? fs.stat(source) : fs.lstat(source))
    } catch (error) {
      return fail(`cannot stat ${quoted(source)}: ${describeError(error)}`)
    }
    if (stat.kind === 'directory') {
      if (!rules.isRecursive) return fail(`-r not specified; omitting directory ${quoted(source)}`)
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
        return fail(`will not overwrite just-created ${quoted(destination)} with ${quoted(source)}`)
      }
      const verdict = await mayReplace(source, destination, stat, there)
      if (verdict !== 'replace') return verdict === 'kept'
      if (rules.backup !== undefined) {
        saved = await rules.backup(destination)
        await fs.rename(destination, saved)
      } else if (rules.removesFirst || (stat.kind === 'symlink' && !rules.attributesOnly)) {
        await fs.remove(destination)
        if (rules.isVerbose) await io.stdout.write(`removed ${quoted(destination)}\n`)
      }
    }
    if (rules.isVerbose) {
      const said = saved === undefined ? '' : ` (backup: ${quoted(saved)})`
      await io.stdout.write(`${quoted(source)} -> ${quoted(destination)}${said}\n`)
    }
    if (isOperand) made.add(await entryPath(io, destination))
    const isCopied = await put(source, destination, stat)
    if (!isCopied && saved !== undefined) await restore(saved, destination)
    return isCopied
  }

  function put(source: string, destination: string, stat: Stat): Promise<boolean> {
    if (rules.makesLinks) return makeLink(source, destination)
    return stat.kind === 'symlink' ? copyLink(source, destination) : copyFile(source, destination, stat)
  }

  /** Undoes the backup of what could not be replaced. */
  async function restore(saved: string, destination: string): Promise<void> {
    try {
      await fs.rename(saved, destination)
      if (rules.isVerbose) await io.stdout.write(`${quoted(saved)} -> ${quoted(destination)} (unbackup)\n`)
    } catch (error) {
      await io.error(`cannot un-backup ${quoted(destination)}: ${describeError(error)}`)
    }
  }

  async function mayReplace(
    source: string,
    destination: string,
    stat: Stat,
    there: Stat,
  ): Promise<'replace' | 'kept' | 'failed'> {
    if (await isSame(source, destination, stat, there)) {
      if (rules.existing === 'keep') return 'kept'
      await io.error(`${quoted(source)} and ${quoted(destination)} are the same file`)
      return 'failed'
    }
    const target = there.kind === 'symlink' ? await statIfThere(fs, destination) : there
    if (rules.existing === 'keep') return 'kept'
    if (rules.onlyNewer && target !== undefined && modifiedOf(target) >= modifiedOf(stat)) return 'kept'
    if (target?.kind === 'directory' && !(there.kind === 'symlink' && stat.kind === 'symlink')) {
      await io.error(`cannot overwrite directory ${quoted(destination)} with non-directory`)
      return 'failed'
    }
    if (rules.existing === 'ask' && !(await mayOverwrite(io, destination, target ?? there))) return 'kept'
    return 'replace'
  }

  /** One file under two paths; a link and its target too, unless the link itself is replaced or copied. */
  async function isSame(source: string, destination: string, stat: Stat, there: Stat): Promise<boolean> {
    if ((await entryPath(io, source)) === (await entryPath(io, destination))) return true
    // A link to the source may be made again.
    if (rules.makesLinks) return false
    if (stat.kind === 'symlink' || (there.kind === 'symlink' && (rules.removesFirst || rules.backup !== undefined))) {
      return false
    }
    const [from, to] = await Promise.all([source, destination].map((path) => fs.realPath(path).catch(() => undefined)))
    return from !== undefined && from === to
  }

  async function removeIfThere(path: string): Promise<void> {
    if ((await lstatIfThere(fs, path)) !== undefined) await fs.remove(path)
  }

  async function copyLink(source: string, destination: string): Promise<boolean> {
    try {
      const target = await fs.readLink(source)
      if (rules.isForced) await removeIfThere(destination)
      await fs.symlink(target, destination)
      return true
    } catch (error) {
      return fail(`cannot create symbolic link ${quoted(destination)}: ${describeError(error)}`)
    }
  }

  async function makeLink(source: string, destination: string): Promise<boolean> {
    if (!source.startsWith('/') && io.path(destination).replace(/[^/]*$/, '') !== io.path('x').replace(/[^/]*$/, '')) {
      return fail(`${quotedIfNeeded(destination)}: can make relative symbolic links only in current directory`)
    }
    try {
      if (rules.isForced) await removeIfThere(destination)
      await fs.symlink(source, destination)
      return true
    } catch (error) {
      return fail(`cannot create symbolic link ${quoted(destination)} to ${quoted(source)}: ${describeError(error)}`)
    }
  }

  async function isDangling(path: string): Promise<boolean> {
    return (await lstatIfThere(fs, path))?.kind === 'symlink' && (await statIfThere(fs, path)) === undefined
  }

  async function copyFile(source: string, destination: string, stat: Stat): Promise<boolean> {
    if (destination.endsWith('/') && (await lstatIfThere(fs, destination)) === undefined) {
      return fail(`cannot create regular file ${quoted(destination)}: Not a directory`)
    }
    if (await isDangling(destination)) return fail(`not writing through dangling symlink ${quoted(destination)}`)
    try {
      await copyContent(source, destination, stat)
    } catch (error) {
      const reason = describeError(error)
      const isReading = (await readable(source)) === undefined
      if (isReading) return fail(`cannot open ${quoted(source)} for reading: ${reason}`)
      if (rules.isForced && (await lstatIfThere(fs, destination))?.kind === 'file' && !rules.removesFirst) {
        return replaceByForce(source, destination, stat, reason)
      }
      return fail(`cannot create regular file ${quoted(destination)}: ${reason}`)
    }
    return preserve(destination, stat)
  }

  async function readable(path: string): Promise<true | undefined> {
    try {
      ;(await fs.openRead(path)).close()
      return true
    } catch {
      return undefined
    }
  }

  /** `-f`: what can't be written is removed first. */
  async function replaceByForce(source: string, destination: string, stat: Stat, reason: string): Promise<boolean> {
    try {
      await fs.remove(destination)
      await copyContent(source, destination, stat)
    } catch {
      return fail(`cannot create regular file ${quoted(destination)}: ${reason}`)
    }
    return preserve(destination, stat)
  }

  async function copyContent(source: string, destination: string, stat: Stat): Promise<void> {
    const mode = modeOf(stat) & 0o777 & ~io.umask
    if (!rules.attributesOnly && stat.kind === 'file' && (stat.size ?? 0) <= wholeFileBytes) {
      await fs.writeFile(destination, await fs.readFile(source), { mode })
      return
    }
    const isNew = (await lstatIfThere(fs, destination)) === undefined
    if (rules.attributesOnly) await (await fs.openWrite(destination, { append: true })).close()
    else await copyPieces(source, destination)
    if (isNew && stat.kind === 'file' && fs.capabilities.modeBits) await fs.setMode(destination, mode)
  }

  async function copyPieces(source: string, destination: string): Promise<void> {
    const reader = await fs.openRead(source)
    const writer = await fs.openWrite(destination)
    for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) await writer.write(chunk)
    await writer.close()
  }

  async function preserve(destination: string, stat: Stat): Promise<boolean> {
    const { mode, timestamps } = rules.preserves
    try {
      if (mode && fs.capabilities.modeBits) await fs.setMode(destination, modeOf(stat))
    } catch (error) {
      return fail(`preserving permissions for ${quoted(destination)}: ${describeError(error)}`)
    }
    try {
      if (timestamps && stat.modifiedMs !== undefined) await fs.setModified(destination, stat.modifiedMs)
    } catch (error) {
      return fail(`preserving times for ${quoted(destination)}: ${describeError(error)}`)
    }
    return true
  }

  async function copyDirectory(source: string, destination: string, stat: Stat, isOperand: boolean): Promise<boolean> {
    const from = await fs.realPath(source)
    if (isOperand) {
      const real = (await fs.realPath(destination).catch(() => undefined)) ?? (await entryPath(io, destination))
      if (from === real) return fail(`${quoted(source)} and ${quoted(destination)} are the same file`)
      current = { source, destination, real: isWithin(from, real) ? real : '' }
    } else if (from === current.real) {
      const names = `${quoted(current.source)}, into itself, ${quoted(current.destination)}`
      return fail(`cannot copy a directory, ${names}`)
    }
    // A directory is not copied into what a link leads to.
    const there = await lstatIfThere(fs, destination)
    if (there !== undefined && there.kind !== 'directory') {
      return fail(`cannot overwrite non-directory ${quoted(destination)} with directory ${quoted(source)}`)
    }
    if (there === undefined) {
      try {
        await fs.makeDir(destination)
      } catch (error) {
        return fail(`cannot create directory ${quoted(destination)}: ${describeError(error)}`)
      }
      if (rules.isVerbose) await io.stdout.write(`${quoted(source)} -> ${quoted(destination)}\n`)
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
      return fail(`cannot access ${quoted(source)}: ${describeError(error)}`)
    }
    return isFine
  }

  /** What a directory has already that is no file: two copies may be written to the same file behind a link. */
  async function namesInTheWay(directory: string): Promise<ReadonlySet<string>> {
    const entries = await fs.readDir(directory).catch(() => [])
    return new Set(entries.flatMap(({ name, kind }) => (kind === 'file' ? [] : [name])))
  }

  return { copy }
}

/** The question of `-i`. A file that can't be written is named with its mode. */
export async function mayOverwrite(io: ProgramIo, path: string, stat: Stat): Promise<boolean> {
  const mode = modeOf(stat)
  if (stat.kind === 'symlink' || mode & 0o200) return ask(io, `${io.name}: overwrite ${quoted(path)}? `)
  const octal = mode.toString(8).padStart(4, '0')
  if (io.name === 'mv') {
    return ask(io, `${io.name}: replace ${quoted(path)}, overriding mode ${octal} (${rightsText(mode)})? `)
  }
  return ask(io, `${io.name}: unwritable ${quoted(path)} (mode ${octal}, ${rightsText(mode)}); try anyway? `)
}
