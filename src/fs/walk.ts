import { type FsError, isFsError } from '../errors.js'
import { join } from './path.js'
import type { Entry, FileSystem, Kind } from './types.js'

export interface WalkEntry {
  path: string
  name: string
  kind: Kind
  /** 1 for the entries of the start directory. */
  depth: number
}

export interface WalkOptions {
  /** How deep to go; unlimited unless given. */
  maxDepth?: number
  /** Return false to leave a directory unentered. */
  enter?: (directory: WalkEntry) => boolean
  /** A directory that can't be read is skipped, and told here. One that vanished meanwhile is skipped silently. */
  onUnreadable?: (path: string, error: FsError) => void
  signal?: AbortSignal
}

/** Every entry below a directory, depth first, names in code-unit order. Links are told of and not followed. */
export async function* walk(fs: FileSystem, directory: string, options: WalkOptions = {}): AsyncGenerator<WalkEntry> {
  yield* below(await fs.readDir(directory), directory, 1)

  async function* below(entries: Entry[], parent: string, depth: number): AsyncGenerator<WalkEntry> {
    for (const { name, kind } of entries.sort(byName)) {
      options.signal?.throwIfAborted()
      const entry: WalkEntry = { path: join(parent, name), name, kind, depth }
      yield entry
      const enters = kind === 'directory' && depth < (options.maxDepth ?? Infinity) && (options.enter?.(entry) ?? true)
      if (enters) yield* below(await read(entry.path), entry.path, depth + 1)
    }
  }

  async function read(path: string): Promise<Entry[]> {
    try {
      return await fs.readDir(path)
    } catch (error) {
      // What was a directory a moment ago may be gone, or something else by now.
      if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'OUTSIDE', 'IS_LINK')) return []
      if (!isFsError(error)) throw error
      options.onUnreadable?.(path, error)
      return []
    }
  }
}

function byName(a: Entry, b: Entry): number {
  return a.name < b.name ? -1 : 1
}
