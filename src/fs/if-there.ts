/** Asks for entries that may be missing. To throw and catch an error takes longer than most lookups. */
import { isFsError } from '../errors.js'
import { isPromise, syncOrAsync, wouldBlock } from './sync.js'
import type { FileSystem, Stat } from './types.js'

type Looking = Stat | undefined | Promise<Stat | undefined>

/** The stat of an entry, undefined if there is none; a promise only where the file system would block. Other failures are thrown. */
export function find(fs: Pick<FileSystem, 'stat' | 'sync'>, path: string): Looking {
  return lookUnless(ignoreMissing, fs, path)
}

/** The same; an entry behind a link, or below a file, counts as absent too. */
export function statIfThere(fs: Pick<FileSystem, 'stat' | 'sync'>, path: string): Looking {
  return lookUnless(ignoreAbsent, fs, path)
}

export function ignoreAbsent(error: unknown): undefined {
  if (!isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'IS_LINK')) throw error
}

function ignoreMissing(error: unknown): undefined {
  if (!isFsError(error, 'NOT_FOUND')) throw error
}

function lookUnless(
  ignore: (error: unknown) => undefined,
  fs: Pick<FileSystem, 'stat' | 'sync'>,
  path: string,
): Looking {
  const { sync } = fs
  try {
    const found = sync?.find === undefined ? wouldBlock : sync.find(path)
    if (found !== wouldBlock) return found
    const made = syncOrAsync(sync?.stat(path), () => fs.stat(path))
    return isPromise(made) ? made.catch(ignore) : made
  } catch (error) {
    return ignore(error)
  }
}
