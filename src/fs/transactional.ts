import { gather } from './pieces.js'
import type { TransactionalFileSystem } from './transactional-types.js'
import type { FileSystem } from './types.js'

/** The unit of trees and journals in memory: they are lost together. */
export const processMemory: object = {}

/** The transactional facet of any file system, composed of its plain methods if it has none of its own. */
export function transactional(fs: FileSystem): TransactionalFileSystem {
  if (fs.transactional !== undefined) return fs.transactional
  return {
    statAndRead: async (path) => ({ stat: await fs.stat(path) }),
    async stageFile(path, content, { replaces, mode }) {
      const bytes = content instanceof Uint8Array ? content : await gather(content)
      const replaced = mode === undefined && replaces !== undefined ? await fs.stat(replaces) : undefined
      const given = mode ?? replaced?.mode
      await fs.writeFile(path, bytes, given === undefined ? {} : { mode: given })
    },
    rename: fs.rename,
    remove: fs.remove,
  }
}
