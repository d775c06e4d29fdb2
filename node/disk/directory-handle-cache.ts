/** Caches open directories for a moment: the next call mostly acts in the same one. */
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

/** Short, so that an open handle blocks nobody, such as an unmount. */
const keptMs = 50
const maxKept = 64

export function directoryHandleCache(how: {
  /** Opens a directory to which no link leads, and returns its path; errors name `virtual`. */
  open(virtual: string, directory: string): { descriptor: number; place: string }
  /**
   * Stale handles are reopened. Validity is checked once per synchronous run: within one, nobody can tell whether what another process
   * did came before or after.
   */
  whereIs(descriptor: number): string
}) {
  const kept = new Map<string, CachedDirectory>()
  let timer: NodeJS.Timeout | undefined
  /** The number of the current synchronous run. */
  let stretch = 0
  let isCounted = false

  function currentStretch(): number {
    if (!isCounted) {
      isCounted = true
      queueMicrotask(() => {
        isCounted = false
        stretch += 1
      })
    }
    return stretch
  }

  function drop(directory: string, one: CachedDirectory): void {
    kept.delete(directory)
    one.dropped = true
    if (one.users === 0) fs.closeSync(one.descriptor)
  }

  function forget(): void {
    clearTimeout(timer)
    timer = undefined
    for (const [directory, one] of kept) drop(directory, one)
  }

  function keep(virtual: string, directory: string): CachedDirectory {
    const known = kept.get(directory)
    if (known !== undefined) {
      const now = currentStretch()
      if (known.asked === now || how.whereIs(known.descriptor) === known.place) {
        known.asked = now
        return known
      }
      drop(directory, known)
    }
    const { descriptor, place } = how.open(virtual, directory)
    const opened: CachedDirectory = { descriptor, place, asked: currentStretch(), users: 0, dropped: false }
    if (kept.size >= maxKept) forget()
    kept.set(directory, opened)
    timer ??= setTimeout(forget, keptMs).unref()
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
      stretch += 1
    },
    /** Closes all. */
    forget,
  }
}
