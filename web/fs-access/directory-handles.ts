import { basename, dirname, isWithin } from '../../src/fs/path.js'
import { isDomException } from './fs-access-errors.js'

/** Handles of directories by path. */
export interface DirectoryHandles {
  /** Runs `act` on a directory's handle. It is run again with a fresh one when it meets a `NotFoundError`. */
  within<Result>(directory: string, act: (handle: FileSystemDirectoryHandle) => Promise<Result>): Promise<Result>
  remember(directory: string, handle: FileSystemDirectoryHandle): void
  /** Forgets the handles at and below a path that is no longer what it was. */
  forget(path: string): void
}

/**
 * A look-up in the API goes one level at a time, and each level is a message to another process. So the last `limit`
 * handles are kept, and a path is walked from the nearest one that is known.
 */
export function directoryHandles(root: FileSystemDirectoryHandle, limit = 1024): DirectoryHandles {
  /** Least recently used first. Promises, so that look-ups begun together share their steps. */
  const known = new Map<string, Promise<FileSystemDirectoryHandle>>()

  function keep(directory: string, handle: Promise<FileSystemDirectoryHandle>): void {
    known.delete(directory)
    known.set(directory, handle)
    if (known.size > limit) for (const oldest of known.keys()) return void known.delete(oldest)
  }

  function forget(path: string): void {
    for (const directory of known.keys()) if (isWithin(path, directory)) known.delete(directory)
  }

  async function within<Result>(
    directory: string,
    act: (handle: FileSystemDirectoryHandle) => Promise<Result>,
  ): Promise<Result> {
    if (directory === '/') return act(root)
    const handle = known.get(directory)
    if (handle !== undefined) {
      keep(directory, handle)
      try {
        return await act(await handle)
      } catch (error) {
        // Either nothing is there, or the handle is of a directory that someone else has replaced. Asking the parent again
        // tells which, and goes further up only if that one is stale as well.
        if (!isDomException(error, 'NotFoundError')) throw error
        forget(directory)
      }
    }
    return act(await find(directory))
  }

  function find(directory: string): Promise<FileSystemDirectoryHandle> {
    const handle = within(dirname(directory), (parent) => parent.getDirectoryHandle(basename(directory)))
    keep(directory, handle)
    handle.catch(() => {
      if (known.get(directory) === handle) known.delete(directory)
    })
    return handle
  }

  return { within, remember: (directory, handle) => keep(directory, Promise.resolve(handle)), forget }
}
