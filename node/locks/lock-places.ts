/** Where locks are kept that can't lie in the directory they are about. */
import fs from 'node:fs'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Listener } from './listener.js'
import { type SocketNames, socketNames } from './listening-socket.js'

/** The same for every process of the machine, whatever its environment says; containers mostly have one of their own. */
const commonPlace = '/tmp/polyfs-locks'

/** For file systems without sockets or hard links, and for directories that may not be written. */
export function inCommonPlace(
  listeners: Listener[],
  directory: string = commonPlace,
): { names: SocketNames; directory: string } {
  const names = socketNames((act) => {
    makeForAll(directory)
    return act(directory)
  }, listeners)
  return { names, directory }
}

/** As `/tmp` itself: everybody may make entries, and remove their own. */
function makeForAll(directory: string): void {
  try {
    fs.mkdirSync(directory)
    fs.chmodSync(directory, 0o1777)
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  }
}

/** Whoever may not connect could not wait for the end. */
const forAll = process.platform === 'win32' ? { readableAll: true, writableAll: true } : {}

/** Windows: a named pipe is listened on by one process at a time, and is gone with it. There are no dead names. */
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

/** Waits until the other side closes. Nothing there means that it is free by now. */
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

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
