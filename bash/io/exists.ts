import { isFsError } from '../../src/errors.js'
import type { FileSystem } from '../../src/fs/types.js'

/** True when an entry is visible at the path, whatever its kind. */
export async function exists(fs: Pick<FileSystem, 'stat'>, path: string): Promise<boolean> {
  try {
    await fs.stat(path)
    return true
  } catch (error) {
    if (isFsError(error)) return false
    throw error
  }
}
