import { FsError, isFsError } from '../../errors.js'
import type { FileSystem } from '../types.js'

/** What one tree, or several together, may take. */
export interface Room {
  /** What a file, directory or link takes beside its bytes. */
  readonly entryBytes: number
  readonly usedBytes: number
  /** False when there is not as much left. Less than nothing gives back. */
  take(bytes: number): boolean
}

export function roomFor(maxBytes: number, { entryBytes = 0 } = {}): Room {
  let usedBytes = 0
  return {
    entryBytes,
    get usedBytes() {
      return usedBytes
    },
    take(bytes) {
      if (bytes > 0 && usedBytes + bytes > maxBytes) return false
      usedBytes += bytes
      return true
    },
  }
}

/** The same tree, in which entries may take so much room in all; one more fails with `NO_SPACE`. All of it must be written through this. */
export function limitBytes(fs: FileSystem, room: Room): FileSystem {
  const { entryBytes } = room

  async function usedBy(path: string): Promise<number> {
    try {
      return ((await fs.stat(path)).size ?? 0) + entryBytes
    } catch (error) {
      if (isFsError(error)) return 0
      throw error
    }
  }

  /** Taken before it is used: others write meanwhile. */
  async function taking(bytes: number, path: string, write: () => Promise<void>): Promise<void> {
    if (!room.take(bytes)) throw new FsError('NO_SPACE', { path })
    try {
      await write()
    } catch (error) {
      room.take(-bytes)
      throw error
    }
  }

  const { symlink, transactional: _, ...rest } = fs
  return {
    ...rest,
    async writeFile(path, data, options) {
      const more = data.length + entryBytes - (await usedBy(path))
      await taking(more, path, () => fs.writeFile(path, data, options))
    },
    makeDir: (path) => taking(entryBytes, path, () => fs.makeDir(path)),
    ...(symlink && {
      symlink: (target, path, options) => taking(entryBytes, path, () => symlink(target, path, options)),
    }),
    async remove(path) {
      const used = await usedBy(path)
      await fs.remove(path)
      room.take(-used)
    },
    async rename(from, to) {
      const replaced = from === to ? 0 : await usedBy(to)
      await fs.rename(from, to)
      room.take(-replaced)
    },
  }
}
