/** Copies one entry that is not a directory: content, links, and what is preserved of it. */
import type { Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import { isPipe } from '../../../io/named-pipes.js'
import type { ProgramIo } from '../../../io/program.js'
import { quotedName, shownName } from '../../quoting.js'
import { lstatIfThere, modeOf, statIfThere } from '../shared/facts.js'
import type { CopyRules } from './copy-rules.js'

/** Above this files are streamed. */
const wholeFileBytes = 1024 * 1024

export interface EntryCopier {
  /** Puts a copy, or a link to the source, where nothing is in the way. */
  put(source: string, destination: string, stat: Stat): Promise<boolean>
  /** Gives a copy what is preserved of this. */
  preserve(destination: string, stat: Stat): Promise<boolean>
}

/** What fails is said. */
export function entryCopier(io: ProgramIo, rules: CopyRules): EntryCopier {
  const { fs } = io
  return { put, preserve }

  function put(source: string, destination: string, stat: Stat): Promise<boolean> {
    if (rules.makesLinks) return makeLink(source, destination)
    if (rules.isRecursive && isPipe(stat)) return copyPipe(destination, stat)
    return stat.kind === 'symlink' ? copyLink(source, destination) : copyFile(source, destination, stat)
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
      return fail(`cannot create symbolic link ${quotedName(destination)}: ${describeError(error)}`)
    }
  }

  async function copyPipe(destination: string, stat: Stat): Promise<boolean> {
    try {
      await removeIfThere(destination)
      await fs.makePipe(destination)
    } catch (error) {
      return fail(`cannot create fifo ${quotedName(destination)}: ${describeError(error)}`)
    }
    return preserve(destination, stat)
  }

  async function makeLink(source: string, destination: string): Promise<boolean> {
    if (!source.startsWith('/') && io.path(destination).replace(/[^/]*$/, '') !== io.path('x').replace(/[^/]*$/, '')) {
      return fail(`${shownName(destination)}: can make relative symbolic links only in current directory`)
    }
    try {
      if (rules.isForced) await removeIfThere(destination)
      await fs.symlink(source, destination)
      return true
    } catch (error) {
      return fail(
        `cannot create symbolic link ${quotedName(destination)} to ${quotedName(source)}: ${describeError(error)}`,
      )
    }
  }

  async function isDangling(path: string): Promise<boolean> {
    return (await lstatIfThere(fs, path))?.kind === 'symlink' && (await statIfThere(fs, path)) === undefined
  }

  async function copyFile(source: string, destination: string, stat: Stat): Promise<boolean> {
    if (destination.endsWith('/') && (await lstatIfThere(fs, destination)) === undefined) {
      return fail(`cannot create regular file ${quotedName(destination)}: Not a directory`)
    }
    if (await isDangling(destination)) return fail(`not writing through dangling symlink ${quotedName(destination)}`)
    try {
      await copyContent(source, destination, stat)
    } catch (error) {
      const reason = describeError(error)
      const isReading = (await readable(source)) === undefined
      if (isReading) return fail(`cannot open ${quotedName(source)} for reading: ${reason}`)
      if (rules.isForced && (await lstatIfThere(fs, destination))?.kind === 'file' && !rules.removesFirst) {
        return replaceByForce(source, destination, stat, reason)
      }
      return fail(`cannot create regular file ${quotedName(destination)}: ${reason}`)
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
      return fail(`cannot create regular file ${quotedName(destination)}: ${reason}`)
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
      return fail(`preserving permissions for ${quotedName(destination)}: ${describeError(error)}`)
    }
    try {
      if (timestamps && stat.modifiedMs !== undefined) await fs.setModified(destination, stat.modifiedMs)
    } catch (error) {
      return fail(`preserving times for ${quotedName(destination)}: ${describeError(error)}`)
    }
    return true
  }

  async function fail(message: string): Promise<false> {
    await io.error(message)
    return false
  }
}
