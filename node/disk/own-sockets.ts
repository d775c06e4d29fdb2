/** The sockets that this process listens on: the locks that it holds. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'

type SocketNumbers = Pick<fs.BigIntStats, 'dev' | 'ino'>

/** Device and inode numbers of the sockets that this process listens on. */
const listenedOn = new Set<string>()

/** Notes a socket as one of this process, until the returned function is called. */
export function noteOwnSocket(socket: SocketNumbers): () => void {
  const key = keyOf(socket)
  listenedOn.add(key)
  return () => void listenedOn.delete(key)
}

/** True for a name of a socket that this process listens on. */
export function isOwnSocket(entry: string): boolean {
  const stats = fs.lstatSync(entry, { bigint: true, throwIfNoEntry: false })
  return stats !== undefined && listenedOn.has(keyOf(stats))
}

function keyOf({ dev, ino }: SocketNumbers): string {
  return `${dev}-${ino}`
}

/** A temporary name for a socket, before it gets its public one or after it lost that. */
export function temporaryName(name: string): string {
  return `${name}-${randomBytes(12).toString('hex')}`
}
