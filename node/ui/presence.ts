/** How servers on the same files find a page: a file in the state directory, which only this user can read. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FromMember, ToMember } from '../../src/engine/ui-protocol.js'
import type { Workspace } from '../../src/workspace.js'
import { pagesFolder } from '../serve/page-watch.js'
import { makeOwn } from '../state/state-directory.js'
import type { Member } from './member.js'
import { connectSocket } from './sockets.js'

interface Presence {
  /** The address for servers, such as `ws://127.0.0.1:4100/ui/member`. */
  url: string
  secret: string
  pid: number
}

/** Announces a page, until the returned function is called. */
export function announcePage(stateDirectories: readonly string[], page: Omit<Presence, 'pid'>): () => void {
  const name = `${process.pid}-${randomBytes(6).toString('hex')}.json`
  const files: string[] = []
  for (const folder of stateDirectories.map(pagesFolder)) {
    makeOwn(folder)
    const file = path.join(folder, name)
    // Renamed when it is complete, so that nobody reads half of it.
    const temporary = `${file}.new`
    fs.writeFileSync(temporary, JSON.stringify({ ...page, pid: process.pid } satisfies Presence), {
      mode: 0o600,
      flag: 'wx',
    })
    fs.renameSync(temporary, file)
    files.push(file)
  }
  return () => {
    for (const file of files) fs.rmSync(file, { force: true })
  }
}

const retries = 3
const retryMs = 300

/** Reports to the page that the file describes, until its server ends. */
export async function joinPage(member: Member, { changes }: Workspace, file: string): Promise<void> {
  for (let attempt = 0; attempt < retries && fs.existsSync(file); attempt += 1) {
    const presence = read(file)
    if (presence === undefined) return
    if (!isRunning(presence.pid)) {
      fs.rmSync(file, { force: true })
      return
    }
    const socket = await connectSocket(presence.url, presence.secret).catch(() => undefined)
    if (socket !== undefined) {
      attempt = 0
      const send = (message: FromMember) => socket.send(JSON.stringify(message))
      const link = member.join(send)
      const unsubscribe = changes.subscribe((changed) => send({ changed }))
      socket.onMessage((data) => link.receive(JSON.parse(Buffer.from(data).toString('utf8')) as ToMember))
      await new Promise<void>((resolve) => socket.onClose(resolve))
      unsubscribe()
      link.leave()
    }
    await sleep(retryMs, undefined, { ref: false })
  }
}

function read(file: string): Presence | undefined {
  const { url, secret, pid } = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<Presence>
  const isOurs = typeof url === 'string' && /^ws:\/\/[^/]+\/ui\/member$/.test(url)
  return isOurs && typeof secret === 'string' && typeof pid === 'number' ? { url, secret, pid } : undefined
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
