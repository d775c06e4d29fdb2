/** Names in a directory, held by listening sockets; see `lock-protocol.ts`. */

import fs from 'node:fs'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isErrno } from '../disk/is-errno.js'
import { O_PATH } from '../disk/open-flags.js'
import type { InDirectory } from './in-directory.js'
import { asNoSockets, type Listener, listenIn, lstat, type NameOf, numberOf } from './listener.js'
import { type Found, type LockNames, NameInTheWay } from './lock-protocol.js'

const { O_NOFOLLOW } = fs.constants

/** How often a waiting process checks the name: a socket may hold several, and releasing one may not end the connection. */
const lookAgainMs = 50

/** How often a waiting caller is asked whether to continue. */
const askAgainMs = 1000

export interface SocketNames extends LockNames {
  /** True while another process waits for a name that was claimed here, or its socket has a name that could not be removed. */
  isWanted(): boolean
  /** Calls `tell` for every process that starts to wait for a name that was claimed here. */
  onWanted(tell: () => void): void
}

/** The names of one directory. Sockets that already listen are reused if a hard link can be made from one of their names. */
export function socketNames(inDirectory: InDirectory, listeners: Listener[]): SocketNames {
  const own = new Map<string, { listener: Listener; as: NameOf }>()

  function claim(name: string): boolean | Promise<boolean> {
    // The newest listener is most likely on the same disk.
    for (const listener of [...listeners].reverse()) {
      const linked = linkFrom(listener, name)
      if (linked !== 'elsewhere') return linked
    }
    const isTaken = inDirectory((directory) => lstat(`${directory}/${name}`) !== undefined)
    return isTaken ? false : claimAnew(name)
  }

  /** Claims a name by a hard link from another name of the socket. */
  function linkFrom(listener: Listener, name: string): boolean | 'elsewhere' {
    const [source] = listener.names
    if (source === undefined || listener.isStuck) return 'elsewhere'
    let isLinked = false
    try {
      const isOurs = source.inDirectory((from) =>
        inDirectory((to) => {
          fs.linkSync(`${from}/${source.name}`, `${to}/${name}`)
          isLinked = true
          if (numberOf(lstat(`${to}/${name}`)) === listener.number) return true
          // Someone has replaced the source of the link.
          fs.unlinkSync(`${to}/${name}`)
          return false
        }),
      )
      if (!isOurs) return 'elsewhere'
    } catch (error) {
      // The new name may remain; it is free once the socket is closed.
      if (isLinked) listener.isStuck = true
      // Another file system or mount, too many links, or someone has moved the source.
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
    const as = { inDirectory, name }
    own.set(name, { listener, as })
    listener.names.add(as)
  }

  return {
    claim,
    find: (name) => openEntry(inDirectory, name),
    isStill: (name, { number }) => inDirectory((directory) => numberOf(lstat(`${directory}/${name}`)) === number),

    rename(from, to) {
      try {
        inDirectory((directory) => fs.renameSync(`${directory}/${from}`, `${directory}/${to}`))
      } catch (error) {
        // Another process took the lock meanwhile and removed the name.
        if (isErrno(error, 'ENOENT')) return false
        throw new NameInTheWay(to, { cause: error })
      }
      const renamed = own.get(from)
      if (renamed === undefined) return false
      own.delete(from)
      renamed.listener.names.delete(renamed.as)
      keep(to, renamed.listener)
      return true
    },

    release(name) {
      const released = own.get(name)
      if (released === undefined) return
      own.delete(name)
      const { listener, as } = released
      listener.names.delete(as)
      try {
        inDirectory((directory) => {
          const entry = `${directory}/${name}`
          if (numberOf(lstat(entry)) === listener.number) fs.unlinkSync(entry)
        })
      } catch {
        // A name that can't be removed is free for others once nobody listens.
        listener.isStuck = true
      }
      for (const socket of listener.waiting) socket.destroy()
      if (listener.names.size > 0) {
        if (listener.isStuck && !listener.isAnnounced) {
          // Once: whoever stops using it later finds out by itself.
          listener.isAnnounced = true
          for (const tell of listener.onWaiting) tell()
        }
        return
      }
      const at = listeners.indexOf(listener)
      if (at !== -1) listeners.splice(at, 1)
      listener.close()
    },

    clean(name) {
      try {
        inDirectory((directory) => {
          for (const other of fs.readdirSync(directory)) {
            if (!other.startsWith(`${name}-`)) continue
            const entry = `${directory}/${other}`
            if (lstat(entry)?.isSocket()) fs.rmSync(entry, { force: true })
          }
        })
      } catch {
        // The directory may be writable but not readable. Remaining names do no harm.
      }
    },

    isWanted: () => [...own.values()].some(({ listener }) => listener.isStuck || listener.waiting.size > 0),
    onWanted(tell) {
      for (const { listener } of own.values()) listener.onWaiting.add(tell)
    },
  }
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
      // The descriptor leads to this very socket, even if its name is taken by another now.
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

/** Connects, and waits until the other side closes the connection or releases the name. */
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
  // Too many processes wait already, or the connection was denied.
  if (answer !== 'ended') await sleep(5 + 10 * Math.random())
  return 'try again'
}

/** False in a directory that was removed. */
function seesStill(isStill: () => boolean): boolean {
  try {
    return isStill()
  } catch {
    return false
  }
}
