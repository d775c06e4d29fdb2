import { FsError } from '../../errors.js'
import type { FileSystem } from '../types.js'

/** The same tree, in which nothing can be changed. */
export function readonly(fs: FileSystem): FileSystem {
  const refuse = async (path: string): Promise<never> => {
    throw new FsError('READ_ONLY', { path })
  }
  const { setModified: _, transactional: __, ...rest } = fs
  return {
    ...rest,
    capabilities: {
      ...fs.capabilities,
      writable: false,
      modified: fs.capabilities.modified === 'write' ? 'read' : fs.capabilities.modified,
    },
    writeFile: refuse,
    makeDir: refuse,
    remove: refuse,
    rename: refuse,
    ...(fs.symlink && { symlink: (_target: string, path: string) => refuse(path) }),
    ...(fs.setMode && { setMode: refuse }),
  }
}
