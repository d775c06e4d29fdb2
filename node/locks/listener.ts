/** A socket that this process listens on, under names in one or several directories. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'

/** Runs `act` with a path of the directory on the host, which may be good only until `act` returns. Does not wait. */
export type InDirectory = <Result>(act: (directory: string) => Result) => Result

/** Numbers of the sockets that this process listens on, with those of their file systems. */
const listenedOn = new Set<string>()

/** True for a name of a socket that this process listens on. */
export function isOwnSocket(entry: string): boolean {
  const stats = lstat(entry)
  return stats !== undefined && listenedOn.has(`${stats.dev}-${stats.ino}`)
}

/** The directory's file system has no sockets or no hard links, or we may not make an entry there. */
export class NoSocketsHere extends Error {
  constructor(options: { cause: unknown }) {
    super('no sockets here', options)
  }
}

/** What a file system that lacks sockets or hard links says, or one that may not be written. */
const noSockets = new Set(['EPERM', 'EACCES', 'EROFS', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'EAFNOSUPPORT'])

/** A socket that listens, under the names that were claimed with it. */
export interface Listener {
  readonly number: string
  /** The names that it has, of which others can be made. */
  readonly names: Set<NameOf>
  /** It has a name that could not be removed, and that nobody holds: it is to be closed soon, and gets no other name. */
  isStuck: boolean
  readonly waiting: Set<net.Socket>
  /** Told of everybody who comes to wait. */
  readonly onWaiting: Set<() => void>
  close(): void
}

export interface NameOf {
  readonly inDirectory: InDirectory
  readonly name: string
}

/** A socket that listens before it gets a name that others know: whoever finds that name finds someone listening. */
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
    // Nobody has anything to say; only the end is of interest, on either side.
    socket.on('error', () => {}).on('close', () => waiting.delete(socket))
    socket.unref().resume()
  })
  const failed = new Promise<unknown>((tell) => server.on('error', tell))
  const unnamed = temporaryName(name)
  let key = ''
  const close = () => {
    listenedOn.delete(key)
    server.close()
    for (const socket of waiting) socket.destroy()
  }
  const made = inDirectory((directory) => {
    const entry = `${directory}/${unnamed}`
    server.listen({ path: entry, exclusive: true }).unref()
    if (!server.listening) return 'failed'
    try {
      // Whoever may not connect could not tell whether the holder lives.
      fs.chmodSync(entry, 0o666)
      const { dev, ino } = fs.lstatSync(entry, { bigint: true })
      key = `${dev}-${ino}`
      listenedOn.add(key)
      const isNamed = giveName(directory, unnamed)
      fs.unlinkSync(entry)
      return isNamed ? `${ino}` : undefined
    } catch (error) {
      // That removes the entry it was made at, too.
      close()
      // Whoever holds the lock has cleaned up.
      if (isErrno(error, 'ENOENT')) return undefined
      throw error
    }
  })
  if (made === 'failed') throw asNoSockets(await failed)
  if (made === undefined) {
    close()
    return undefined
  }
  return { number: made, names: new Set(), isStuck: false, waiting, onWaiting, close }
}

/** For what is about to get the name. */
export function temporaryName(name: string): string {
  return `${name}-${randomBytes(12).toString('hex')}`
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

export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
