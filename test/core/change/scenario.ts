/** A change that faults are tried on. */
import type { Changes, ChangesOptions } from '../../../src/change/changes.js'
import type { History } from '../../../src/change/history/history.js'
import type { MemoryTree } from '../../../src/fs/backends/memory.js'
import type { ConfinedFileSystem } from '../../../src/fs/gate/confine.js'
import type { FileSystem } from '../../../src/fs/types.js'

export interface Engine {
  fs: ConfinedFileSystem
  changes: Changes
  history: History
}

export type EngineOptions = Pick<ChangesOptions, 'limits' | 'storeWhileStagingBytes'>

export interface Scenario {
  name: string
  files: MemoryTree
  options?: EngineOptions
  /** Given the tree in memory, the one that the change is made on. */
  on?(tree: FileSystem): FileSystem
  /** Done without faults. */
  prepare?(engine: Engine, tree: FileSystem): Promise<unknown>
  /** One change, done with faults. */
  act(engine: Engine): Promise<unknown>
}
