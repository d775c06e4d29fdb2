/** Directories held open for a moment: whoever acts in one mostly acts in it again. */
import fs from 'node:fs'

export interface CachedDirectory {
  readonly descriptor: number
  /** The kernel's own word for where it was when that was certain. Of a directory that is gone it says so. */
  readonly place: string
  /** In which stretch of work its place was last asked for. */
  asked: number
  users: number
  /** Closed when its last user is done. */
  dropped: boolean
}

/** So short that nobody waits for us to let go of a directory, such as to unmount it; the root is looked for as often. */
const keptMs = 50
const maxKept = 64

export function directoryHandleCache(how: {
  /** Opens a directory for certain, and tells its place; `virtual` is what errors name. */
  open(virtual: string, directory: string): { descriptor: number; place: string }
  /**
   * One that was moved, removed or replaced is opened anew, so keeping it takes nothing away. Asked for at every use, but for those that
   * follow with no wait in between: nobody can tell whether what another process did in that time came before them or after.
   */
  whereIs(descriptor: number): string
}) {
  const kept = new Map<string, CachedDirectory>()
  let timer: NodeJS.Timeout | undefined
  /** Counts how often whoever was at work has waited for something. */
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
    /** A directory whose descriptor is good until it is released. */
    use(virtual: string, directory: string): CachedDirectory {
      const one = keep(virtual, directory)
      one.users += 1
      return one
    },
    release(one: CachedDirectory): void {
      one.users -= 1
      if (one.dropped && one.users === 0) fs.closeSync(one.descriptor)
    },
    /** One may have been moved without a wait. */
    doubt() {
      stretch += 1
    },
    /** Lets go of all. */
    forget,
  }
}
