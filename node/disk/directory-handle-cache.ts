/** Caches open directories for a moment: the next call usually acts in the same one. */
import fs from 'node:fs'

export interface CachedDirectory {
  readonly descriptor: number
  /** The path that the kernel reported when the directory was opened and checked. */
  readonly place: string
  /** The synchronous run in which its path was last checked. */
  asked: number
  users: number
  /** Closed when its last user is done. */
  dropped: boolean
}

/** Short, so that an open handle does not block others, such as an unmount. */
const cacheMs = 50
const maxCached = 64

export function directoryHandleCache(how: {
  /** Opens a directory to which no link leads, and returns its path; errors name `virtual`. */
  open(virtual: string, directory: string): { descriptor: number; place: string }
  /**
   * The current path of an open directory; a handle whose path has changed is reopened. Checked once per synchronous run: within one, a
   * change by another process counts as made after it.
   */
  whereIs(descriptor: number): string
}) {
  const cached = new Map<string, CachedDirectory>()
  let timer: NodeJS.Timeout | undefined
  /** The number of the current synchronous run. */
  let run = 0
  let isCounted = false

  function currentRun(): number {
    if (!isCounted) {
      isCounted = true
      queueMicrotask(() => {
        isCounted = false
        run += 1
      })
    }
    return run
  }

  function drop(directory: string, one: CachedDirectory): void {
    cached.delete(directory)
    one.dropped = true
    if (one.users === 0) fs.closeSync(one.descriptor)
  }

  function forget(): void {
    clearTimeout(timer)
    timer = undefined
    for (const [directory, one] of cached) drop(directory, one)
  }

  function keep(virtual: string, directory: string): CachedDirectory {
    const known = cached.get(directory)
    if (known !== undefined) {
      const now = currentRun()
      if (known.asked === now || how.whereIs(known.descriptor) === known.place) {
        known.asked = now
        return known
      }
      drop(directory, known)
    }
    const { descriptor, place } = how.open(virtual, directory)
    const opened: CachedDirectory = { descriptor, place, asked: currentRun(), users: 0, dropped: false }
    if (cached.size >= maxCached) forget()
    cached.set(directory, opened)
    timer ??= setTimeout(forget, cacheMs).unref()
    return opened
  }

  return {
    /** A directory whose descriptor is valid until it is released. */
    use(virtual: string, directory: string): CachedDirectory {
      const one = keep(virtual, directory)
      one.users += 1
      return one
    },
    release(one: CachedDirectory): void {
      one.users -= 1
      if (one.dropped && one.users === 0) fs.closeSync(one.descriptor)
    },
    /** Makes the next use check again: a directory may have been moved within this run. */
    doubt() {
      run += 1
    },
    /** Closes all. */
    forget,
  }
}
