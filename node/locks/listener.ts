/** A socket that this process listens on, under names in one or several directories. */

import fs from 'node:fs'
import net from 'node:net'
import { isErrno } from '../disk/is-errno.js'
import { O_PATH } from '../disk/open-flags.js'
import { noteOwnSocket, temporaryName } from '../disk/own-sockets.js'
import type { InDirectory } from './in-directory.js'

/** The file system has no sockets or no hard links, or the directory is not writable. */
export class NoSocketsHere extends Error {
  constructor(options: { cause: unknown }) {
    super('no sockets here', options)
  }
}

/** Error codes for missing support of sockets or hard links, or missing write permission. */
const noSockets = new Set(['EPERM', 'EACCES', 'EROFS', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'EAFNOSUPPORT'])

/** A listening socket and the names that it holds. */
export interface Listener {
  readonly number: string
  /** Its names, from which further hard links can be made. */
  readonly names: Set<NameOf>
  /** A released name of it could not be removed: it must be closed soon, and gets no further names. */
  isStuck: boolean
  /** Those who hold it without using it know that it is stuck. */
  isAnnounced: boolean
  readonly waiting: Set<net.Socket>
  /** Called for every process that starts to wait. */
  readonly onWaiting: Set<() => void>
  close(): void
}

export interface NameOf {
  readonly inDirectory: InDirectory
  readonly name: string
}

/** Makes a socket that listens before it gets its public name, so that a name without a listener is always a dead one. */
export async function listenIn(
  inDirectory: InDirectory,
  name: string,
  giveName: (directory: string, unnamed: string) => boolean,
): Promise<Listener | undefined> {
  const waiting = new Set<net.Socket>()
  const onWaiting = new Set<() => void>()
  const server = net.createServer((socket) => {
    waiting.add(socket)
    for (const tell of onWaiting) tell()
    // No data is exchanged; both sides only wait for the connection to end.
    socket.on('error', () => {}).on('close', () => waiting.delete(socket))
    socket.unref().resume()
  })
  const failed = new Promise<unknown>((tell) => server.on('error', tell))
  const unnamed = temporaryName(name)
  let forget = () => {}
  const close = () => {
    forget()
    server.close()
    for (const socket of waiting) socket.destroy()
  }
  const made = inDirectory((directory) => {
    const entry = `${directory}/${unnamed}`
    server.listen({ path: entry, exclusive: true }).unref()
    if (!server.listening) return 'failed'
    try {
      const socket = letAllConnect(entry)
      forget = noteOwnSocket(socket)
      const isNamed = giveName(directory, unnamed)
      fs.unlinkSync(entry)
      return isNamed ? `${socket.ino}` : undefined
    } catch (error) {
      // Closing also removes the entry at which it was made.
      close()
      // The holder of the lock has removed the temporary name, or another program has replaced it.
      if (isErrno(error, 'ENOENT') || error instanceof Replaced) return undefined
      throw error
    }
  })
  if (made === 'failed') throw asNoSockets(await failed)
  if (made === undefined) {
    close()
    return undefined
  }
  return { number: made, names: new Set(), isStuck: false, isAnnounced: false, waiting, onWaiting, close }
}

/** Another program has put something else where the socket was made. */
class Replaced extends Error {}

/**
 * All users must be able to connect, to find out whether the holder lives. Who may write to the directory could put a link in place of the
 * socket, so the mode is set through a descriptor, which leads to the socket itself.
 */
function letAllConnect(entry: string): fs.BigIntStats {
  if (process.platform !== 'linux') {
    // Only macOS has this one; no other system comes here.
    ;(fs.lchmodSync ?? fs.chmodSync)(entry, 0o666)
    return fs.lstatSync(entry, { bigint: true })
  }
  const descriptor = fs.openSync(entry, O_PATH | fs.constants.O_NOFOLLOW)
  try {
    const stats = fs.fstatSync(descriptor, { bigint: true })
    if (!stats.isSocket()) throw new Replaced(entry)
    fs.chmodSync(`/proc/self/fd/${descriptor}`, 0o666)
    return stats
  } finally {
    fs.closeSync(descriptor)
  }
}

export function lstat(entry: string): fs.BigIntStats | undefined {
  return fs.lstatSync(entry, { bigint: true, throwIfNoEntry: false })
}

export function numberOf(stats: fs.BigIntStats | undefined): string | undefined {
  return stats && `${stats.ino}`
}

export function asNoSockets(error: unknown): unknown {
  return error instanceof Error && 'code' in error && noSockets.has(String(error.code))
    ? new NoSocketsHere({ cause: error })
    : error
}
