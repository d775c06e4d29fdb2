/** Places for locks that can't be in the directory that they lock. */

import fs from 'node:fs'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isErrno } from '../disk/is-errno.js'
import { withDescriptor } from './in-directory.js'
import { type Listener, NoSocketsHere } from './listener.js'
import { type SocketNames, socketNames } from './listening-socket.js'

/** The same for every process of the machine, whatever its environment; containers mostly have their own. */
const commonPlace = '/tmp/polyfs-locks'

/** For file systems without sockets or hard links, and for directories that are not writable. */
export function inCommonPlace(
  listeners: Listener[],
  directory: string = commonPlace,
): { names: SocketNames; directory: string } {
  // Any user can have made it first: a link would let them choose where sockets are made.
  const inDirectory = withDescriptor(directory, { followsLink: false })
  const names = socketNames((act) => {
    makeForAll(directory)
    return process.platform === 'linux' ? inDirectory(act) : act(directory)
  }, listeners)
  return { names, directory }
}

/** Like `/tmp` itself: every user may make entries and remove their own. */
function makeForAll(directory: string): void {
  try {
    fs.mkdirSync(directory)
    fs.chmodSync(directory, 0o1777)
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
    if (!fs.lstatSync(directory).isDirectory()) throw new NoSocketsHere({ cause: error })
  }
}

/** All users must be able to connect, to wait for the holder. */
const forAll = process.platform === 'win32' ? { readableAll: true, writableAll: true } : {}

/** For Windows: only one process can listen on a named pipe, and the pipe ends with the process, so there are no dead names. */
export function pipeNames(key: string, prefix = '\\\\.\\pipe\\polyfs-'): SocketNames {
  const own = new Map<string, net.Server>()
  const waiting = new Set<net.Socket>()
  const onWaiting = new Set<() => void>()
  const pathOf = (name: string) => `${prefix}${key}${name}`

  return {
    async claim(name) {
      const server = net.createServer((socket) => {
        waiting.add(socket)
        for (const tell of onWaiting) tell()
        socket.on('error', () => {}).on('close', () => waiting.delete(socket))
        socket.unref().resume()
      })
      const isOurs = await new Promise<boolean>((tell, fail) => {
        server.on('error', (error) => (isErrno(error, 'EADDRINUSE') ? tell(false) : fail(error)))
        server.listen({ path: pathOf(name), exclusive: true, ...forAll }, () => tell(true))
      })
      if (!isOurs) return false
      own.set(name, server.unref())
      return true
    },
    find: (name) => ({ number: '', isSocket: true, ask: () => askPipe(pathOf(name)), close() {} }),
    isStill: () => false,
    rename: () => false,
    clean() {},
    release(name) {
      own.get(name)?.close()
      own.delete(name)
      for (const socket of waiting) socket.destroy()
    },
    isWanted: () => waiting.size > 0,
    onWanted: (tell) => onWaiting.add(tell),
  }
}

/** Waits until the other side closes the connection. If there is no pipe, the lock is free by now. */
async function askPipe(path: string): Promise<'try again'> {
  await new Promise<void>((tell) => {
    const socket = net.connect({ path })
    socket.setTimeout(1000, () => socket.destroy())
    socket.on('error', () => {}).on('close', () => tell())
    socket.resume()
  })
  await sleep(1)
  return 'try again'
}
