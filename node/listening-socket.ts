/** Names in a directory that are held by listening sockets; see `lock-protocol.ts`. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Found, type LockNames, NameInTheWay } from './lock-protocol.js'

/** Runs `act` with a path of the directory on the host, which may be good only until `act` returns. Does not wait. */
export type InDirectory = <Result>(act: (directory: string) => Result) => Result

const { O_NOFOLLOW } = fs.constants
/** Linux's value on every architecture; Node has no name for it. */
const O_PATH = 0o10000000

/** A socket may hold several names, and those who wait for one that is free by now have to find out by themselves. */
const lookAgainMs = 50

/** Whoever waits is asked this often whether to go on. */
const askAgainMs = 1000

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
  names: number
  /** A name that it has, to make others from. */
  source: { inDirectory: InDirectory; name: string } | undefined
  readonly waiting: Set<net.Socket>
  close(): void
}

export interface SocketNames extends LockNames {
  /** Who waits for a name that was claimed here. */
  waiting(): number
}

/** Names of one directory. Sockets that listen already serve for it too, where a hard link can be made from where they are. */
export function socketNames(inDirectory: InDirectory, listeners: Listener[]): SocketNames {
  const own = new Map<string, Listener>()

  function claim(name: string): boolean | Promise<boolean> {
    const isTaken = inDirectory((directory) => lstat(`${directory}/${name}`) !== undefined)
    if (isTaken) return false
    const known = listeners.at(-1)
    const linked = known === undefined ? 'elsewhere' : linkFrom(known, name)
    return linked === 'elsewhere' ? claimAnew(name) : linked
  }

  /** A hard link from a name that the socket has already. */
  function linkFrom(listener: Listener, name: string): boolean | 'elsewhere' {
    const { source } = listener
    if (source === undefined) return 'elsewhere'
    try {
      source.inDirectory((from) => inDirectory((to) => fs.linkSync(`${from}/${source.name}`, `${to}/${name}`)))
    } catch (error) {
      // Another file system or mount, too many links, or someone has moved what it was to be made from.
      if (!isErrno(error, 'EEXIST')) return 'elsewhere'
      return false
    }
    keep(name, listener)
    return true
  }

  async function claimAnew(name: string): Promise<boolean> {
    const listener = await listenIn(inDirectory, name, (directory, unnamed) => {
      try {
        fs.linkSync(`${directory}/${unnamed}`, `${directory}/${name}`)
        return true
      } catch (error) {
        if (isErrno(error, 'EEXIST')) return false
        throw asNoSockets(error)
      }
    })
    if (listener === undefined) return false
    listeners.push(listener)
    keep(name, listener)
    return true
  }

  function keep(name: string, listener: Listener): void {
    own.set(name, listener)
    listener.names += 1
    listener.source = { inDirectory, name }
  }

  return {
    claim,
    find: (name) => openEntry(inDirectory, name),
    isStill: (name, { number }) => inDirectory((directory) => numberOf(lstat(`${directory}/${name}`)) === number),

    rename(from, to) {
      try {
        inDirectory((directory) => fs.renameSync(`${directory}/${from}`, `${directory}/${to}`))
      } catch (error) {
        // Whoever got the lock meanwhile has cleaned up.
        if (isErrno(error, 'ENOENT')) return false
        throw new NameInTheWay(to, { cause: error })
      }
      const listener = own.get(from)
      if (listener === undefined) return false
      own.delete(from)
      own.set(to, listener)
      listener.source = { inDirectory, name: to }
      return true
    },

    release(name) {
      const listener = own.get(name)
      if (listener === undefined) return
      own.delete(name)
      try {
        inDirectory((directory) => {
          const entry = `${directory}/${name}`
          if (numberOf(lstat(entry)) === listener.number) fs.unlinkSync(entry)
        })
      } catch {
        // Whatever keeps us from it, the name is free for others once nobody listens.
      }
      listener.names -= 1
      if (listener.source?.name === name && listener.source.inDirectory === inDirectory) listener.source = undefined
      for (const socket of listener.waiting) socket.destroy()
      if (listener.names > 0) return
      listeners.splice(listeners.indexOf(listener), 1)
      listener.close()
    },

    clean(name) {
      inDirectory((directory) => {
        for (const other of fs.readdirSync(directory)) {
          if (!other.startsWith(`${name}-`)) continue
          const entry = `${directory}/${other}`
          if (lstat(entry)?.isSocket()) fs.rmSync(entry, { force: true })
        }
      })
    },

    waiting: () => [...own.values()].reduce((sum, { waiting }) => sum + waiting.size, 0),
  }
}

/** A socket that listens before it gets a name that others know: whoever finds that name finds someone listening. */
async function listenIn(
  inDirectory: InDirectory,
  name: string,
  giveName: (directory: string, unnamed: string) => boolean,
): Promise<Listener | undefined> {
  const waiting = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    waiting.add(socket)
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
      fs.rmSync(entry, { force: true })
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
  return { number: made, names: 0, source: undefined, waiting, close }
}

/** For what is about to get the name. */
export function temporaryName(name: string): string {
  return `${name}-${randomBytes(12).toString('hex')}`
}

function openEntry(inDirectory: InDirectory, name: string): Found | undefined {
  const isStill = () => inDirectory((directory) => numberOf(lstat(`${directory}/${name}`)) === number)
  const opened = inDirectory((directory) => {
    const entry = `${directory}/${name}`
    if (process.platform !== 'linux') return { stats: lstat(entry), path: entry, close() {} }
    const descriptor = openPath(entry)
    if (descriptor === undefined) return undefined
    return {
      stats: fs.fstatSync(descriptor, { bigint: true }),
      // Through the descriptor it is asked itself, whatever has its name by now.
      path: `/proc/self/fd/${descriptor}`,
      close: () => fs.closeSync(descriptor),
    }
  })
  const number = numberOf(opened?.stats)
  if (opened?.stats === undefined || number === undefined) return undefined
  const { stats, path, close } = opened
  return { number, isSocket: stats.isSocket(), ask: () => ask(path, isStill), close }
}

function openPath(entry: string): number | undefined {
  try {
    return fs.openSync(entry, O_PATH | O_NOFOLLOW)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Connects, and waits until the other side closes or has given up the name. */
async function ask(path: string, isStill: () => boolean): Promise<'dead' | 'try again'> {
  const answer = await new Promise<string>((tell) => {
    const socket = net.connect({ path })
    let outcome = 'ended'
    const begunMs = performance.now()
    const again = setInterval(() => {
      if (!seesStill(isStill) || performance.now() - begunMs > askAgainMs) socket.destroy()
    }, lookAgainMs)
    socket.on('connect', () => {
      if (!seesStill(isStill)) socket.destroy()
    })
    socket.on('error', (error) => {
      outcome = 'code' in error ? String(error.code) : 'failed'
    })
    socket.on('close', () => {
      clearInterval(again)
      tell(outcome)
    })
    socket.resume()
  })
  if (answer === 'ECONNREFUSED') return 'dead'
  // Too many wait already, or we may not connect.
  if (answer !== 'ended') await sleep(5 + 10 * Math.random())
  return 'try again'
}

/** A directory that is gone has no lock. */
function seesStill(isStill: () => boolean): boolean {
  try {
    return isStill()
  } catch {
    return false
  }
}

function lstat(entry: string): fs.BigIntStats | undefined {
  return fs.lstatSync(entry, { bigint: true, throwIfNoEntry: false })
}

function numberOf(stats: fs.BigIntStats | undefined): string | undefined {
  return stats && `${stats.ino}`
}

function asNoSockets(error: unknown): unknown {
  return error instanceof Error && 'code' in error && noSockets.has(String(error.code))
    ? new NoSocketsHere({ cause: error })
    : error
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
