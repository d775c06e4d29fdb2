/** Replaces and removes files without waiting until the disk has freed their blocks. */
import fs from 'node:fs'
import { lstat } from './host-stat.js'
import { O_PATH } from './open-flags.js'

export interface DeferredClose {
  /** Runs the unlink or rename that takes an entry's name; its blocks are freed later, by another thread. */
  withoutFreeing<Result>(entry: string, takeName: () => Result): Result
  /** Resolves when all blocks are freed; undefined if none are pending. */
  waiting(): Promise<void> | undefined
}

const { O_NOFOLLOW } = fs.constants

/** Files held open at most; beyond that, the call itself waits for the disk. */
const maxHeld = 512
/** Closed concurrently; few, so that some threads of the pool stay free. */
const maxClosing = 2
/** Files are held so long at least: a disk that frees blocks flushes nothing meanwhile, and the change is about to be flushed. */
const heldMs = 50

/**
 * A disk may take milliseconds to free a file's blocks. It does so when the last name is removed or, if the file is open, when it is
 * closed. So the file is opened before its name is removed, and closed off-thread. The kernel closes it when the process dies.
 * With `waits` nothing is deferred.
 */
export function deferredClose({ waits }: { waits: boolean }): DeferredClose {
  const held: number[] = []
  let closing = 0
  let waiters: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined

  function hold(entry: string): number | undefined {
    if (waits || process.platform !== 'linux' || held.length >= maxHeld) return undefined
    // A new file replaces nothing, and a directory has few blocks. To ask takes a tenth of the time of an error.
    if (lstat(entry)?.isDirectory() !== false) return undefined
    try {
      return fs.openSync(entry, O_PATH | O_NOFOLLOW)
    } catch {
      // Thrown again by `takeName`, unless it was for a moment only.
      return undefined
    }
  }

  function closeSoon(): void {
    timer ??= setTimeout(closeAll, heldMs).unref()
  }

  function closeAll(): void {
    clearTimeout(timer)
    timer = undefined
    while (closing < maxClosing && held.length > 0) closeNext()
  }

  function closeNext(): void {
    const next = closing < maxClosing ? held.shift() : undefined
    if (next === undefined) return
    closing += 1
    // No caller is left to report a failure to.
    fs.close(next, () => {
      closing -= 1
      closeNext()
      if (closing > 0) return
      for (const resolve of waiters) resolve()
      waiters = []
    })
  }

  return {
    withoutFreeing(entry, takeName) {
      const descriptor = hold(entry)
      try {
        return takeName()
      } finally {
        if (descriptor !== undefined) {
          held.push(descriptor)
          closeSoon()
        }
      }
    },
    waiting() {
      closeAll()
      return closing === 0 ? undefined : new Promise((resolve) => waiters.push(resolve))
    },
  }
}
