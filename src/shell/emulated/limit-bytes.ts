import { FsError, isFsError } from '../../errors.js'
import type { FileSystem } from '../../fs/types.js'

/** The same tree, in which files may have so many bytes in all; one more fails with `NO_SPACE`. All of it must be written through this. */
export function limitBytes(fs: FileSystem, maxBytes: number): FileSystem {
  let used = 0

  async function sizeOf(path: string): Promise<number> {
    try {
      return (await fs.stat(path)).size ?? 0
    } catch (error) {
      if (isFsError(error)) return 0
      throw error
    }
  }

  return {
    ...fs,
    async writeFile(path, data, options) {
      const more = data.length - (await sizeOf(path))
      if (used + more > maxBytes) throw new FsError('NO_SPACE', { path })
      await fs.writeFile(path, data, options)
      used += more
    },
    async remove(path) {
      const size = await sizeOf(path)
      await fs.remove(path)
      used -= size
    },
    async rename(from, to) {
      const replaced = from === to ? 0 : await sizeOf(to)
      await fs.rename(from, to)
      used -= replaced
    },
  }
}
