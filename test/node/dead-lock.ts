import fs from 'node:fs'
import net from 'node:net'

/** A lock as a process leaves it that is killed while it holds it: a socket that nobody listens on. */
export function leaveDeadLock(path: string): void {
  const server = net.createServer()
  server.listen(`${path}.listening`)
  fs.linkSync(`${path}.listening`, path)
  fs.chmodSync(path, 0o666)
  server.close()
}
