/** A directory of our own for output that is too long for an answer, outside every tree that tools may change. */
import { isFsError } from '../errors.js'
import { join } from './path.js'
import type { Bytes, FileSystem } from './types.js'

export interface OutputPlace {
  /** Where tools find the files; they can be read there, and not changed. */
  readonly path: string
  /** Keeps a file and returns its path. What is too old, or too much, goes then, the oldest first. */
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
  /** Its `/` is the directory. Nobody else may write there: all that has a name of ours was written by us. */
  store: FileSystem
  path: string
  bounds?: OutputBounds
  now?: () => number
}

/** The names that are given to output, and the only ones that are ever removed. */
const ownName = /^(stdout|stderr)-[0-9a-f]{16}\.log$/

export function outputPlace({ store, path, bounds = outputBounds, now = Date.now }: OutputPlaceOptions): OutputPlace {
  /** Oldest first. What is no file, such as a link, is none of ours. */
  async function files(): Promise<Array<{ name: string; size: number; modifiedMs: number }>> {
    const found = []
    for (const { name, kind } of await store.readDir('/')) {
      if (kind !== 'file' || !ownName.test(name)) continue
      const stat = await store.stat(`/${name}`).catch(ignoreMissing)
      if (stat?.kind === 'file') found.push({ name, size: stat.size ?? 0, modifiedMs: stat.modifiedMs ?? 0 })
    }
    return found.sort((a, b) => a.modifiedMs - b.modifiedMs)
  }

  async function makeRoom(kept: string): Promise<void> {
    const all = await files()
    let total = all.reduce((sum, { size }) => sum + size, 0)
    for (const { name, size, modifiedMs } of all) {
      const isTooOld = modifiedMs < now() - bounds.maxAgeMs
      if (name === kept || (!isTooOld && total <= bounds.maxBytes)) continue
      await store.remove(`/${name}`).catch(ignoreMissing)
      total -= size
    }
  }

  return {
    path,
    async keep(name, content) {
      if (!ownName.test(name)) throw new TypeError(`not a name for output: ${name}`)
      // Written anew where it is there already, so that it is as young as its last use.
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
