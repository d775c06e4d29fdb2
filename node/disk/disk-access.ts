/** How the calls of a disk reach the places of their paths. */
import { fromErrno } from '../../src/fs/errno.js'
import { type WouldBlock, wouldBlock } from '../../src/fs/sync.js'
import { yieldWhenDue } from '../../src/fs/yield-when-due.js'
import { type Anchor, checkVirtual, type Place } from './anchor.js'
import type { SyncReads } from './sync-reads.js'

export type DiskAccess = ReturnType<typeof diskAccess>

export function diskAccess(anchor: Anchor, { atSync }: Pick<SyncReads, 'atSync'>) {
  // Disk calls are mostly synchronous.
  const othersFirst = yieldWhenDue(setImmediate)

  /** Runs `act` at the place that the anchor resolves, and translates errors. */
  async function at<Result>(
    virtual: string,
    act: (place: Place) => Result | Promise<Result>,
    to?: string,
  ): Promise<Result> {
    const others = othersFirst()
    if (others !== undefined) await others
    try {
      checkVirtual(virtual)
      return await anchor.at(virtual, act)
    } catch (error) {
      throw fromErrno(error, virtual, to)
    }
  }

  /** The same for one of many synchronous calls: it would block when other work is due. */
  function atUnlessDue<Result>(virtual: string, act: (place: Place) => Result): Result | WouldBlock {
    return othersFirst() === undefined ? atSync(virtual, act) : wouldBlock
  }

  /** Calls `act` with the host path of a directory to which no link leads. */
  function inside<Result>(virtual: string, act: (host: string) => Result): Result {
    try {
      checkVirtual(virtual)
      const directory = anchor.directory(virtual)
      try {
        return act(directory.host)
      } finally {
        directory.close()
      }
    } catch (error) {
      throw fromErrno(error, virtual)
    }
  }

  return { at, atSync, atUnlessDue, inside }
}
