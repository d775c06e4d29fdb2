/** Directories held open for a moment: whoever acts in one mostly acts in it again. */
import fs from 'node:fs'

interface Kept {
  readonly descriptor: number
  /** The kernel's own word for where it was when that was certain. Of a directory that is gone it says so. */
  readonly place: string
  users: number
  /** Closed when its last user is done. */
  dropped: boolean
}

/** So short that nobody waits for us to let go of a directory, such as to unmount it; the root is looked for as often. */
const keptMs = 50
const maxKept = 64

export function keptDirectories(how: {
  /** Opens a directory for certain, and tells its place; `virtual` is what errors name. */
  open(virtual: string, directory: string): { descriptor: number; place: string }
  /** Asked at every use: one that was moved, removed or replaced is opened anew, so keeping it takes nothing away. */
  whereIs(descriptor: number): string
}) {
  const kept = new Map<string, Kept>()
  let timer: NodeJS.Timeout | undefined

  function drop(directory: string, one: Kept): void {
    kept.delete(directory)
    one.dropped = true
    if (one.users === 0) fs.closeSync(one.descriptor)
  }

  function forget(): void {
    clearTimeout(timer)
    timer = undefined
    for (const [directory, one] of kept) drop(directory, one)
  }

  function keep(virtual: string, directory: string): Kept {
    const known = kept.get(directory)
    if (known !== undefined) {
      if (how.whereIs(known.descriptor) === known.place) return known
      drop(directory, known)
    }
    const opened: Kept = { ...how.open(virtual, directory), users: 0, dropped: false }
    if (kept.size >= maxKept) forget()
    kept.set(directory, opened)
    timer ??= setTimeout(forget, keptMs).unref()
    return opened
  }

  return {
    /** A descriptor that is good until it is released. */
    use(virtual: string, directory: string): { descriptor: number; release(): void } {
      const one = keep(virtual, directory)
      one.users += 1
      return {
        descriptor: one.descriptor,
        release() {
          one.users -= 1
          if (one.dropped && one.users === 0) fs.closeSync(one.descriptor)
        },
      }
    },
    /** Lets go of all. */
    forget,
  }
}
