import { FsError } from '../../errors.js'
import { statIfThere } from '../if-there.js'
import type { FileSystem } from '../types.js'

/** A byte budget for one tree, or for several together. */
export interface Room {
  /** Counted for each file, directory or link in addition to its bytes. */
  readonly entryBytes: number
  readonly usedBytes: number
  /** Returns false if too little is left. A negative number gives bytes back. */
  take(bytes: number): boolean
}

/** What an entry without content takes in memory, about. */
export const entryBytesInMemory = 1024

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

/** A share of `all` that counts its own bytes, and may have a limit of its own. Gives back no more than it took: others hold the rest. */
export function roomWithin(
  all: Room | undefined,
  { maxBytes = Infinity, entryBytes = all?.entryBytes ?? 0 } = {},
): Room {
  const own = roomFor(maxBytes, { entryBytes })
  return {
    entryBytes,
    get usedBytes() {
      return own.usedBytes
    },
    take(given) {
      const bytes = Math.max(given, -own.usedBytes)
      if (!own.take(bytes)) return false
      if (all === undefined || all.take(bytes)) return true
      own.take(-bytes)
      return false
    },
  }
}

/** The same tree with a byte budget: a write that exceeds it fails with `NO_SPACE`. All writes must use this wrapper. */
export function limitBytes(fs: FileSystem, room: Room): FileSystem {
  const { entryBytes } = room

  async function usedBy(path: string): Promise<number> {
    const stat = await statIfThere(fs, path)
    return stat === undefined ? 0 : (stat.size ?? 0) + entryBytes
  }

  /** Takes the bytes before writing, because other writes may run concurrently. */
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
  const limited: FileSystem = {
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
  // It has the same tree.
  return fs.moment === undefined ? limited : Object.defineProperty(limited, 'moment', { value: fs.moment })
}
