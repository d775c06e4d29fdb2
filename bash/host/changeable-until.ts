import { FsError } from '../../src/errors.js'
import type { FileSystem } from '../../src/fs/types.js'

/** The same tree, which refuses every change once `isOver` says so. What was asked for before is still done. */
export function changeableUntil(fs: FileSystem, isOver: () => boolean): FileSystem {
  function until<Given extends unknown[]>(change: (...given: Given) => Promise<void>) {
    return async (...given: Given): Promise<void> => {
      if (isOver()) throw new FsError('ABORTED', {})
      await change(...given)
    }
  }

  const { symlink, setMode, setModified } = fs
  return {
    ...fs,
    writeFile: until(fs.writeFile),
    makeDir: until(fs.makeDir),
    remove: until(fs.remove),
    rename: until(fs.rename),
    ...(symlink && { symlink: until(symlink) }),
    ...(setMode && { setMode: until(setMode) }),
    ...(setModified && { setModified: until(setModified) }),
  }
}
