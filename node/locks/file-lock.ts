/** A lock file between processes, which is free as soon as its holder ends, even by a crash. */
import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locks } from '../../src/change/locks/locks.js'
import { FsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'
import { takeFrom } from './directory-locks.js'
import { withDescriptor } from './in-directory.js'
import { type Listener, lstat, NoSocketsHere } from './listener.js'
import { socketNames } from './listening-socket.js'
import { inCommonPlace, pipeNames } from './lock-places.js'
import { NameInTheWay } from './lock-protocol.js'
import { type Holdable, sharedHold } from './shared-lock.js'

export interface FileLockOptions {
  /** How many calls of this process may hold it concurrently, if other locks separate them; 1 by default. */
  together?: number
  /** The longest wait for a live holder. */
  maxWaitMs?: number
  /** How long it is held after use, unless another process waits, so that a series of changes takes it once; 0 by default. */
  idleMs?: number
}

export interface FileLock extends Locks {
  /** The sockets that hold the lock; empty while it is not held. */
  readonly listeners: readonly Listener[]
  /** Releases it, now if it is idle, and from now on right after use. */
  close(): void
}

/**
 * One process at a time, whatever the scopes. Calls of this process get it in the order in which they were made, unless another process
 * waits. `path` is that of the lock file, whose directory is made if it is missing.
 */
export function fileLock(path: string, options: FileLockOptions = {}): FileLock {
  const { together = 1, maxWaitMs = 120_000, idleMs = 0 } = options
  const shared = sharedHold({ idleMs })
  const listeners: Listener[] = []
  let room = together
  const waiting: Array<() => void> = []
  let isFirst = true
  let usedMs = 0

  async function takeNow(goOn: () => void): Promise<Holdable> {
    const held = await takeAt(path, { goOn, isFirst, listeners })
    isFirst = false
    // The next holder starts in a later millisecond, so that ids made from the time sort in order.
    const release = () => void (Date.now() !== usedMs ? held.release() : setTimeout(release, 1))
    return { ...held, release }
  }

  async function holdNow<Result>(changed: string, run: () => Promise<Result>): Promise<Result> {
    const untilMs = performance.now() + maxWaitMs
    const goOn = () => {
      if (performance.now() > untilMs) throw new FsError('BUSY', { path: changed })
    }
    // Report the changed path: callers do not know the lock file.
    const leave = await shared
      .join(() => takeNow(goOn))
      .catch((error) => {
        throw error instanceof NameInTheWay
          ? new FsError('BUSY', { path: changed, lock: error.lockName }, { cause: error })
          : fromErrno(error, changed)
      })
    try {
      return await run()
    } finally {
      usedMs = Date.now()
      // Without `idleMs`, wait for the next millisecond here instead of in `release`.
      if (idleMs === 0) while (Date.now() === usedMs) await sleep(1)
      leave()
    }
  }

  return {
    listeners,
    close: shared.close,
    async hold(scopes, run) {
      if (room > 0) room -= 1
      else await new Promise<void>((start) => waiting.push(start))
      try {
        return await holdNow(scopes[0]?.path ?? '/', run)
      } finally {
        const next = waiting.shift()
        if (next === undefined) room += 1
        else next()
      }
    },
  }
}

/** Takes the lock. The first time, also removes the temporary names that crashed processes left. */
async function takeAt(
  path: string,
  { goOn, isFirst, listeners }: { goOn(): void; isFirst: boolean; listeners: Listener[] },
): Promise<Holdable> {
  const directory = dirname(path)
  if (!fs.existsSync(directory)) fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    if (process.platform === 'linux') {
      const names = socketNames(withDescriptor(directory, { followsLink: true }), listeners)
      const held = await takeFrom(names, basename(path), { goOn })
      if (isFirst) void names.clean(basename(path))
      const number = inodeOf(path)
      return { ...held, isStill: () => number !== undefined && inodeOf(path) === number }
    }
  } catch (error) {
    if (error instanceof NameInTheWay) throw new NameInTheWay(`${directory}/${error.lockName}`, { cause: error })
    if (!(error instanceof NoSocketsHere)) throw error
  }
  const { dev, ino } = fs.statSync(directory, { bigint: true })
  const key = `${dev}-${ino}-${basename(path)}`
  if (process.platform === 'win32') return takeFrom(pipeNames(key), '', { goOn })
  const place = inCommonPlace([])
  return takeFrom(place.names, key, { goOn }).catch((error) => {
    if (error instanceof NameInTheWay) throw new NameInTheWay(`${place.directory}/${error.lockName}`, { cause: error })
    throw error instanceof NoSocketsHere ? new NameInTheWay(place.directory, { cause: error }) : error
  })
}

/** Undefined if the file is missing or can't be read. */
function inodeOf(path: string): bigint | undefined {
  try {
    return lstat(path)?.ino
  } catch {
    return undefined
  }
}
