/** Replacing and removing files without waiting until the disk has taken back what was in them. */
import fs from 'node:fs'
import { O_PATH } from './open-flags.js'

export interface DeferredClose {
  /** Runs what takes an entry its name. What was in it is given back later, by another thread. */
  withoutFreeing<Result>(entry: string, takeName: () => Result): Result
  /** Until all of it is given back; undefined when it is. */
  waiting(): Promise<void> | undefined
}

const { O_NOFOLLOW } = fs.constants

/** Held at once; beyond these the disk is waited for. */
const maxHeld = 512
/** Given back at once, so that some of the pool's threads stay free. */
const maxClosing = 2

/**
 * A disk may take milliseconds to free a file's blocks, and does so when the last name goes, unless someone has the file open: then
 * it does when they close it. Names are taken as ever; a process that dies lets go of everything. With `waits` nothing is held.
 */
export function deferredClose({ waits }: { waits: boolean }): DeferredClose {
  const held: number[] = []
  let closing = 0
  let told: (() => void)[] = []

  function hold(entry: string): number | undefined {
    if (waits || process.platform !== 'linux' || held.length >= maxHeld) return undefined
    try {
      return fs.openSync(entry, O_PATH | O_NOFOLLOW)
    } catch {
      // Mostly nothing is there. Whatever it is, it is told by what takes the name.
      return undefined
    }
  }

  function closeNext(): void {
    const next = closing < maxClosing ? held.shift() : undefined
    if (next === undefined) return
    closing += 1
    // Held only to be closed: nobody is left to hear of a failure.
    fs.close(next, () => {
      closing -= 1
      closeNext()
      if (closing > 0) return
      for (const tell of told) tell()
      told = []
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
          closeNext()
        }
      }
    },
    waiting: () => (closing === 0 ? undefined : new Promise((tell) => told.push(tell))),
  }
}
