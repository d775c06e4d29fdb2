import { dirname } from '../../src/fs/path.js'
import type { FileSystem } from '../../src/fs/types.js'

export interface NotedChanges {
  files: FileSystem
  /** Whether an entry, or a directory above it, was created, changed or removed. What is in a directory is not the entry itself. */
  isTouched(path: string): boolean
}

/** The same tree, which knows what was changed through it, by paths without links. */
export function notedChanges(fs: FileSystem, comparable: (path: string) => string): NotedChanges {
  const touched = new Set<string>()

  function noting<Given extends unknown[]>(change: (path: string, ...given: Given) => Promise<void>) {
    return (path: string, ...given: Given): Promise<void> => {
      touched.add(comparable(path))
      return change(path, ...given)
    }
  }

  const { symlink, setMode, setModified } = fs
  return {
    files: {
      ...fs,
      writeFile: noting(fs.writeFile),
      makeDir: noting(fs.makeDir),
      remove: noting(fs.remove),
      rename(from, to) {
        touched.add(comparable(from))
        touched.add(comparable(to))
        return fs.rename(from, to)
      },
      ...(symlink && {
        symlink(target, path, options) {
          touched.add(comparable(path))
          return symlink(target, path, options)
        },
      }),
      ...(setMode && { setMode: noting(setMode) }),
      ...(setModified && { setModified: noting(setModified) }),
    },
    isTouched(path) {
      if (touched.size === 0) return false
      for (let at = comparable(path); ; at = dirname(at)) {
        if (touched.has(at)) return true
        if (at === '/') return false
      }
    },
  }
}
