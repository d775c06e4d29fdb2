/** A directory for output that is too long for a response, outside every tree that tools may change. */
import { isFsError } from '../errors.js'
import { join } from './path.js'
import type { Bytes, FileSystem } from './types.js'

export interface OutputPlace {
  /** Where tools can read the files, but not change them. */
  readonly path: string
  /** Stores a file and returns its path. Then deletes files that are too old, and the oldest ones while the total is too large. */
  keep(name: string, content: Bytes): Promise<string>
  /** Removes every file. */
  clear(): Promise<void>
}

export interface OutputBounds {
  maxBytes: number
  maxAgeMs: number
}

export const outputBounds: OutputBounds = { maxBytes: 64 * 1024 * 1024, maxAgeMs: 24 * 60 * 60 * 1000 }

export interface OutputPlaceOptions {
  /** Its `/` is the directory. Nobody else may write there: every file with a name of ours is treated as ours. */
  store: FileSystem
  path: string
  bounds?: OutputBounds
  now?: () => number
}

/** Names of output files; no other file is ever removed. */
const ownName = /^(stdout|stderr|output)-[0-9a-f]{16}\.log$/

export function outputPlace({ store, path, bounds = outputBounds, now = Date.now }: OutputPlaceOptions): OutputPlace {
  /** Our files, oldest first. Ignores everything else, such as links. */
  async function files(): Promise<Array<{ name: string; size: number; modifiedMs: number }>> {
    const found = []
    for (const { name, kind } of await store.readDir('/')) {
      if (kind !== 'file' || !ownName.test(name)) continue
      const stat = await store.stat(`/${name}`).catch(ignoreMissing)
      if (stat?.kind === 'file') found.push({ name, size: stat.size ?? 0, modifiedMs: stat.modifiedMs ?? 0 })
    }
    return found.sort((a, b) => a.modifiedMs - b.modifiedMs)
  }

  async function makeRoom(stored: string): Promise<void> {
    const all = await files()
    let total = all.reduce((sum, { size }) => sum + size, 0)
    for (const { name, size, modifiedMs } of all) {
      const isTooOld = modifiedMs < now() - bounds.maxAgeMs
      if (name === stored || (!isTooOld && total <= bounds.maxBytes)) continue
      await store.remove(`/${name}`).catch(ignoreMissing)
      total -= size
    }
  }

  return {
    path,
    async keep(name, content) {
      if (!ownName.test(name)) throw new TypeError(`not a name for output: ${name}`)
      // An existing file is rewritten, so that its age counts from its last use.
      await store.writeFile(`/${name}`, content, { mode: 0o600 })
      await makeRoom(name)
      return join(path, name)
    },
    async clear() {
      for (const { name } of await files()) await store.remove(`/${name}`).catch(ignoreMissing)
    },
  }
}

/** Servers share the directory: another may have removed it first. */
function ignoreMissing(error: unknown): undefined {
  if (!isFsError(error, 'NOT_FOUND')) throw error
  return undefined
}
