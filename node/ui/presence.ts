/** How servers on the same files find a page: a file in the state directory, which only this user can read. */
import fs from 'node:fs'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import type { Asking } from '../../src/engine/ui-protocol.js'
import { isLoopback } from '../serve/http-guard.js'
import { isPageFile, pagesFolder } from '../serve/page-watch.js'
import { identify } from '../shell/process-identity.js'
import { readOwnFile } from '../state/own-file.js'
import { makeOwn } from '../state/state-directory.js'
import { connectSocket, Refused, type Socket } from './sockets.js'

export interface Presence {
  /** The address for servers, such as `ws://127.0.0.1:4100/ui/member`. */
  url: string
  secret: string
  pid: number
  /** When that process was started, where the system says it: ids of processes are reused. */
  startTime?: string
  /** So that a server knows whom it has to ask before it has joined, and when the page's server was killed. */
  asking: Asking
}

export interface Announcement {
  update(asking: Asking): void
  withdraw(): void
}

/** Larger than any of ours. */
const maxPresenceBytes = 4096

/** Announces a page under this name to servers that have not joined yet. */
export function announcePage(
  stateDirectories: readonly string[],
  name: string,
  page: Pick<Presence, 'url' | 'secret' | 'asking'>,
): Announcement {
  const files = stateDirectories.map((directory) => path.join(pagesFolder(directory), name))

  const { startTime } = identify(process.pid) ?? {}
  const announced = { ...page, pid: process.pid, ...(startTime !== undefined && { startTime }) }

  function update(asking: Asking): void {
    for (const file of files) replace(file, JSON.stringify({ ...announced, asking } satisfies Presence))
  }

  for (const file of files) makeOwn(path.dirname(file))
  update(page.asking)
  return {
    update,
    withdraw() {
      for (const file of files) fs.rmSync(file, { force: true })
    },
  }
}

/** Renamed when it is complete, so that nobody reads half of it. */
function replace(file: string, text: string): void {
  const temporary = `${file}.new`
  fs.writeFileSync(temporary, text, { mode: 0o600 })
  fs.renameSync(temporary, file)
}

/** Undefined for a page that was withdrawn. One whose file is damaged asks, and can't be reached. */
export function readPresence(file: string): Presence | 'damaged' | undefined {
  try {
    const bytes = readOwnFile(file, { maxBytes: maxPresenceBytes })
    if (bytes === undefined) return undefined
    const given = JSON.parse(bytes.toString('utf8')) as Partial<Presence> | null
    const { url, secret, pid, startTime, asking } = given ?? {}
    const isOurs = typeof url === 'string' && /^ws:\/\/[^/]+\/ui\/member$/.test(url)
    const isWhole = isOurs && typeof secret === 'string' && Number.isSafeInteger(pid)
    if (!isWhole || !(asking === null || Number.isSafeInteger(asking))) return 'damaged'
    if (startTime !== undefined && typeof startTime !== 'string') return 'damaged'
    return { url, secret, pid: pid as number, ...(startTime !== undefined && { startTime }), asking: asking as Asking }
  } catch {
    return 'damaged'
  }
}

/** Answers of a server that is a page's and can't let anybody in now. */
const busy = [403, 429, 500, 503]

/** The connection to a page's server; `gone` when there certainly is none any more, and `silent` when it does not answer. */
export type ReachPage = (page: Presence, timeoutMs: number) => Promise<Socket | 'gone' | 'silent'>

export const reachPage: ReachPage = async ({ url, secret, pid, startTime }, timeoutMs) => {
  // Whoever listens at the address learns the secret and what clients do: only the page's own process may, on this machine.
  if (!isHere(url) || !isRunning({ pid, startTime })) return 'gone'
  try {
    return await connectSocket(url, secret, timeoutMs)
  } catch (error) {
    // The process may be another one with the same number, and so may the server.
    if (error instanceof Refused) return busy.includes(error.status) ? 'silent' : 'gone'
    const { code = '' } = error as NodeJS.ErrnoException
    return code === 'ECONNREFUSED' || code.startsWith('HPE_') ? 'gone' : 'silent'
  }
}

function isHere(url: string): boolean {
  if (!URL.canParse(url)) return false
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return (
    isLoopback(host) || Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === host))
  )
}

/** A process of another user has only taken the id: the files of pages are read by those who own them. */
function isRunning({ pid, startTime }: { pid: number; startTime: string | undefined }): boolean {
  if (startTime !== undefined) return identify(pid)?.startTime === startTime
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** How long the server of another page may take to answer before it counts as running. */
const lookMs = 1000

/** Forgets pages that were killed: the user has opened another one, which says now who has to ask. */
export async function removeGonePages(stateDirectories: readonly string[]): Promise<void> {
  const files = stateDirectories.map(pagesFolder).flatMap((folder) => {
    return fs.readdirSync(folder).flatMap((name) => (isPageFile(name) ? path.join(folder, name) : []))
  })
  await Promise.all(files.map(removeIfGone))
}

async function removeIfGone(file: string): Promise<void> {
  const presence = readPresence(file)
  if (presence === undefined) return
  const reached = presence === 'damaged' ? 'gone' : await reachPage(presence, lookMs)
  if (reached === 'gone') fs.rmSync(file, { recursive: true, force: true })
  else if (reached !== 'silent') reached.close()
}
