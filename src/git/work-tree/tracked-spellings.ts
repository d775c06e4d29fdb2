/** Paths as git has them, where the file system takes several spellings for one name. */
import { isFsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import type { Repository } from '../repository.js'
import type { IndexEntry } from './index-file.js'

/**
 * Returns the spelling of a path of the working tree that the index has, for the path itself or the directories above it. Names that the
 * index does not have are composed, as git does on macOS, if they are found so.
 */
export function trackedSpellings(
  { fs, root }: Pick<Repository, 'fs' | 'root'>,
  entries: readonly IndexEntry[],
): (path: string) => Promise<string> {
  if (fs.capabilities.caseSensitive) return async (path) => path
  const tracked = new Map<string, string>()
  for (const { path } of entries) {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const key = fs.comparable(path.slice(0, end))
      if (tracked.has(key)) break
      tracked.set(key, path.slice(0, end))
    }
  }

  function spelled(path: string): string {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const known = tracked.get(fs.comparable(path.slice(0, end)))
      if (known !== undefined) return known + path.slice(end).normalize('NFC')
    }
    return path.normalize('NFC')
  }

  return async (path) => {
    const other = spelled(path)
    return other === path || (await isMissing(other)) ? path : other
  }

  async function isMissing(path: string): Promise<boolean> {
    try {
      await fs.stat(join(root, path))
      return false
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'IS_LINK')) return true
      throw error
    }
  }
}
