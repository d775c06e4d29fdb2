/** A directory for records that can't be read or have a wrong seal. They stay there for inspection until they are pruned. */
import { basename, join } from '../../fs/path.js'
import { transactional } from '../../fs/transactional.js'
import type { FileSystem } from '../../fs/types.js'
import { ignoreMissing, makeOwnDirectory, namesIn } from './record-store.js'

const directory = '/corrupt'

export function quarantine(store: FileSystem) {
  function names(): Promise<string[]> {
    return namesIn(store, directory, 'file').catch((error) => ignoreMissing(error) ?? [])
  }

  return {
    names,

    async add(path: string): Promise<void> {
      await makeOwnDirectory(store, directory)
      await store.rename(path, join(directory, basename(path))).catch(ignoreMissing)
    },

    /** Removes records that are too old, then the oldest beyond `maxBytes`. */
    async prune({ maxBytes, oldestMs }: { maxBytes: number; oldestMs: number }): Promise<void> {
      const found: Array<{ path: string; size: number; modifiedMs: number }> = []
      for (const name of await names()) {
        const path = join(directory, name)
        const { size = 0, modifiedMs = Infinity } = (await store.stat(path).catch(ignoreMissing)) ?? {}
        found.push({ path, size, modifiedMs })
      }
      let room = maxBytes
      for (const { path, size, modifiedMs } of found.sort((a, b) => b.modifiedMs - a.modifiedMs)) {
        room -= size
        if (room < 0 || modifiedMs < oldestMs) await transactional(store).remove(path).catch(ignoreMissing)
      }
    },

    async clear(): Promise<void> {
      for (const name of await names()) await store.remove(join(directory, name)).catch(ignoreMissing)
    },
  }
}
