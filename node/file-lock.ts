/** A lock between processes under one path, which the kernel drops with its holder. */
import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locks } from '../src/change/locks.js'
import { FsError } from '../src/errors.js'
import { fromErrno } from '../src/fs/errno.js'
import { takeFrom } from './directory-locks.js'
import { type InDirectory, NoSocketsHere, socketNames } from './listening-socket.js'
import { inCommonPlace, pipeNames } from './lock-places.js'
import { NameInTheWay } from './lock-protocol.js'
import { type Held, sharedHold } from './shared-hold.js'

export interface FileLockOptions {
  /** So many calls of this process hold it at the same time, where other locks keep them apart. One after the other unless given. */
  together?: number
  /** How long a holder that lives is waited for. */
  maxWaitMs?: number
}

/**
 * Whatever the scopes, one process at a time. Calls of this process get it in the order they came, unless another process waits. `path` is
 * the lock's own, whose directory is made when someone has removed it.
 */
export function fileLock(path: string, { together = 1, maxWaitMs = 120_000 }: FileLockOptions = {}): Locks {
  const shared = sharedHold()
  let room = together
  const waiting: Array<() => void> = []
  let isFirst = true

  async function holdNow<Result>(changed: string, run: () => Promise<Result>): Promise<Result> {
    const untilMs = performance.now() + maxWaitMs
    const goOn = () => {
      if (performance.now() > untilMs) throw new FsError('BUSY', { path: changed })
    }
    // Nobody who changes a file knows the lock's.
    const leave = await shared
      .join(async () => {
        const held = await takeAt(path, { goOn, isFirst })
        isFirst = false
        return held
      })
      .catch((error) => {
        throw error instanceof NameInTheWay
          ? new FsError('BUSY', { path: changed, lock: error.lockName }, { cause: error })
          : fromErrno(error, changed)
      })
    const begunMs = Date.now()
    try {
      return await run()
    } finally {
      // Whoever comes next comes in a later millisecond, so that what is named by time sorts by turn.
      while (Date.now() === begunMs) await sleep(1)
      leave()
    }
  }

  return {
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

const { O_DIRECTORY } = fs.constants
/** Linux's value on every architecture; Node has no name for it. */
const O_PATH = 0o10000000

/** The first time, it is cleaned up after those who died before they had it. */
async function takeAt(path: string, { goOn, isFirst }: { goOn(): void; isFirst: boolean }): Promise<Held> {
  const directory = dirname(path)
  try {
    if (process.platform === 'linux') {
      const names = socketNames(withDescriptor(directory), [])
      const held = await takeFrom(names, basename(path), { goOn })
      if (isFirst) names.clean(basename(path))
      return held
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
    throw error instanceof NameInTheWay
      ? new NameInTheWay(`${place.directory}/${error.lockName}`, { cause: error })
      : error
  })
}

/** By a short path: that of a socket has room for a hundred bytes. */
function withDescriptor(directory: string): InDirectory {
  return (act) => {
    const descriptor = openOrMake(directory)
    try {
      return act(`/proc/self/fd/${descriptor}`)
    } finally {
      fs.closeSync(descriptor)
    }
  }
}

function openOrMake(directory: string): number {
  try {
    return fs.openSync(directory, O_PATH | O_DIRECTORY)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
    return fs.openSync(directory, O_PATH | O_DIRECTORY)
  }
}
