import fs from 'node:fs'
import net from 'node:net'
import { basename, dirname } from 'node:path'

/** A lock as a process leaves it that is killed while it holds it: a socket that nobody listens on. */
export function leaveDeadLock(path: string): void {
  // The path of a socket has room for a hundred bytes.
  const directory = fs.openSync(dirname(path), fs.constants.O_DIRECTORY)
  const entry = `/proc/self/fd/${directory}/${basename(path)}`
  try {
    const server = net.createServer()
    server.listen(`${entry}.listening`)
    fs.linkSync(`${entry}.listening`, entry)
    fs.chmodSync(entry, 0o666)
    fs.unlinkSync(`${entry}.listening`)
    server.close()
  } finally {
    fs.closeSync(directory)
  }
}
