import { basename, dirname, isWithin } from '../../src/fs/path.js'
import { isDomException } from './fs-access-errors.js'

/** A cache of directory handles by path. */
export interface DirectoryHandles {
  /** Runs `act` on a directory's handle, and once more on a fresh one after a `NotFoundError`. */
  within<Result>(directory: string, act: (handle: FileSystemDirectoryHandle) => Promise<Result>): Promise<Result>
  remember(directory: string, handle: FileSystemDirectoryHandle): void
  /** Drops the handles at and below a path that was removed or replaced. */
  forget(path: string): void
}

/**
 * The API resolves a path one level at a time, and each level is a message to another process. So the last `limit`
 * handles are cached, and a path is resolved from the nearest cached parent.
 */
export function directoryHandles(root: FileSystemDirectoryHandle, limit = 1024): DirectoryHandles {
  /** Least recently used first. Holds promises, so that concurrent lookups share their steps. */
  const cached = new Map<string, Promise<FileSystemDirectoryHandle>>()

  function cache(directory: string, handle: Promise<FileSystemDirectoryHandle>): void {
    cached.delete(directory)
    cached.set(directory, handle)
    if (cached.size > limit) for (const oldest of cached.keys()) return void cached.delete(oldest)
  }

  function forget(path: string): void {
    for (const directory of cached.keys()) if (isWithin(path, directory)) cached.delete(directory)
  }

  async function within<Result>(
    directory: string,
    act: (handle: FileSystemDirectoryHandle) => Promise<Result>,
  ): Promise<Result> {
    if (directory === '/') return act(root)
    const handle = cached.get(directory)
    if (handle !== undefined) {
      cache(directory, handle)
      try {
        return await act(await handle)
      } catch (error) {
        // Either nothing is there, or the handle belongs to a directory that was replaced. Asking the parent again
        // shows which, and goes further up only if the parent's handle is stale as well.
        if (!isDomException(error, 'NotFoundError')) throw error
        forget(directory)
      }
    }
    return act(await find(directory))
  }

  function find(directory: string): Promise<FileSystemDirectoryHandle> {
    const handle = within(dirname(directory), (parent) => parent.getDirectoryHandle(basename(directory)))
    cache(directory, handle)
    handle.catch(() => {
      if (cached.get(directory) === handle) cached.delete(directory)
    })
    return handle
  }

  return { within, remember: (directory, handle) => cache(directory, Promise.resolve(handle)), forget }
}
