/** Locks of directories on the disk, by inode and not by path: see docs/decisions/locks-belong-to-directories.md. */
import fs from 'node:fs'
import type { DirectoryLocks, Holding } from '../../src/change/locks/directory-locks.js'
import { FsError, isFsError } from '../../src/errors.js'
import { fromErrno } from '../../src/fs/errno.js'
import { lockName } from '../../src/fs/staged-name.js'
import { yieldBetweenSteps } from '../../src/fs/yield-between-steps.js'
import type { InDirectory } from './in-directory.js'
import { type Listener, NoSocketsHere } from './listener.js'
import { type SocketNames, socketNames } from './listening-socket.js'
import { inCommonPlace, pipeNames } from './lock-places.js'
import { NameInTheWay, type Patience, take } from './lock-protocol.js'
import { type Held, type SharedHold, sharedHold } from './shared-lock.js'

export interface DirectoryLocksOptions {
  /** Runs `act` synchronously with the host path of a directory. Undefined for a read-only directory. */
  inDirectory<Result>(path: string, act: (host: string) => Result): Result | undefined
  /** The host path, for error messages. */
  hostPath(path: string): string
  /** The longest wait for a live holder. */
  maxWaitMs?: number
  /** The same for a lock that is taken while others are held: short, because two changes may then wait for each other. */
  maxLateWaitMs?: number
  /** Sockets that this process listens on for other locks; those on the same disk are reused for directories. */
  listeners?(): readonly Listener[]
}

/** A directory with its device and inode numbers. */
interface Known {
  path: string
  dev: bigint
  ino: bigint
}

/** How often a path may lead to another directory before a change gives up. */
const maxAttempts = 20

export function directoryLocks(options: DirectoryLocksOptions): DirectoryLocks {
  const { inDirectory, hostPath, maxWaitMs = 120_000, maxLateWaitMs = 5_000 } = options
  const { listeners: others = () => [] } = options
  const shared = new Map<string, SharedHold>()

  /** Undefined if there is no directory, or it is read-only. */
  function know(path: string): Known | undefined {
    try {
      return inDirectory(path, (host) => {
        const { dev, ino } = fs.statSync(`${host}/.`, { bigint: true })
        return { path, dev, ino }
      })
    } catch (error) {
      if (isNoDirectory(error)) return undefined
      throw fromErrno(error, path)
    }
  }

  async function knowAll(paths: readonly string[]): Promise<Known[]> {
    const known: Known[] = []
    const turn = yieldBetweenSteps()
    for (const path of paths) {
      const one = know(path)
      if (one !== undefined) known.push(one)
      const pause = turn()
      if (pause !== undefined) await pause
    }
    return known
  }

  function holdOf(key: string): SharedHold {
    const hold = shared.get(key) ?? sharedHold({ onFree: () => shared.delete(key) })
    shared.set(key, hold)
    return hold
  }

  async function takeNow(one: Known, listeners: Listener[], patience: Patience): Promise<Held> {
    if (process.platform === 'win32') return takeFrom(pipeNames(keyOf(one)), lockName, patience)
    const within: InDirectory = (act) => {
      const done = inDirectory(one.path, (host) => {
        const { dev, ino } = fs.statSync(`${host}/.`, { bigint: true })
        if (dev !== one.dev || ino !== one.ino) throw new FsError('NOT_FOUND', { path: one.path })
        return { result: act(host) }
      })
      if (done === undefined) throw new FsError('READ_ONLY', { path: one.path })
      return done.result
    }
    try {
      // On other platforms the path may be too long for a socket.
      if (process.platform === 'linux') return await takeFrom(socketNames(within, listeners), lockName, patience)
    } catch (error) {
      if (error instanceof NameInTheWay) throw inTheWay(one.path, `${hostPath(one.path)}/${error.lockName}`, error)
      if (!(error instanceof NoSocketsHere)) throw error
    }
    const { names, directory } = inCommonPlace(listeners)
    try {
      return await takeFrom(names, keyOf(one), patience)
    } catch (error) {
      if (error instanceof NameInTheWay) throw inTheWay(one.path, `${directory}/${error.lockName}`, error)
      throw error instanceof NoSocketsHere ? inTheWay(one.path, directory, error) : error
    }
  }

  /** Adds each taken lock to `held`, so that the caller can release them if a later one fails. */
  async function takeAll(wanted: readonly Known[], held: Map<string, () => void>, waitMs: number): Promise<void> {
    const listeners = [...others()]
    const untilMs = performance.now() + waitMs
    for (const one of wanted) {
      const goOn = () => {
        if (performance.now() > untilMs) throw new FsError('BUSY', { path: one.path })
      }
      try {
        const leave = await holdOf(keyOf(one)).join(() => takeNow(one, listeners, { goOn }))
        held.set(keyOf(one), leave)
      } catch (error) {
        // The directory was removed. `cover` finds out whether there is another at its path.
        if (!isNoDirectory(error)) throw fromErrno(error, one.path)
      }
    }
  }

  async function cover(paths: readonly string[], held: Map<string, () => void>): Promise<string[]> {
    const late = new Set<string>()
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const missing = (await knowAll(paths)).filter((one) => !held.has(keyOf(one)))
      if (missing.length === 0) return [...late]
      for (const { path } of missing) late.add(path)
      const waitMs = maxLateWaitMs * (0.5 + Math.random())
      await takeAll(inOrder(missing), held, waitMs)
    }
    throw new FsError('CONFLICT', { path: paths[0] ?? '/' })
  }

  return {
    async hold(directories, run) {
      const held = new Map<string, () => void>()
      const holding: Holding = { cover: (paths) => cover(paths, held) }
      try {
        await takeAll(inOrder(await knowAll(directories)), held, maxWaitMs)
        return await run(holding)
      } finally {
        for (const leave of held.values()) leave()
      }
    },
  }
}

export async function takeFrom(names: SocketNames, name: string, patience: Patience): Promise<Held> {
  await take(names, name, patience)
  const { isWanted, onWanted } = names
  return { release: () => void names.release(name), isWanted, onWanted }
}

/** Nobody holds the lock, yet it can't be taken: a person has to remove it. */
function inTheWay(path: string, lock: string, cause: Error): FsError {
  return new FsError('BUSY', { path, lock }, { cause })
}

/** The directories without duplicates, in the order in which all processes lock them, so that there is no deadlock. */
function inOrder(directories: readonly Known[]): Known[] {
  const known = new Map(directories.map((one) => [keyOf(one), one]))
  return [...known.values()].sort((a, b) => compare(a.dev, b.dev) || compare(a.ino, b.ino))
}

function keyOf({ dev, ino }: Known): string {
  return `${dev}-${ino}`
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function isNoDirectory(error: unknown): boolean {
  if (isFsError(error)) return isFsError(error, 'NOT_FOUND', 'IS_LINK', 'NOT_A_DIRECTORY')
  return error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(error.code))
}
