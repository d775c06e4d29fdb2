/** A lock between processes: one entry, which names its holder and is taken over when the holder is gone. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locks } from '../src/change/locks.js'
import { fromErrno } from '../src/fs/errno.js'

const longestWaitMs = 25

/**
 * Whatever the scopes, one holder at a time: a change takes milliseconds. Calls of this process get it in the order they came, one right
 * after another, unless another process waits. `path` is the lock's own, whose directory is made when someone has removed it.
 */
export function fileLock(path: string): Locks {
  const own = { pid: process.pid, started: startOf(process.pid) }
  let last: Promise<unknown> = Promise.resolve()
  return {
    hold(scopes, run) {
      const token = JSON.stringify({ ...own, id: randomBytes(8).toString('hex') })
      const turn = last.then(async () => {
        await waitFor(path, token).catch((error) => {
          // Nobody who changes a file knows the lock's.
          throw fromErrno(error, scopes[0]?.path ?? '/')
        })
        return holdAlone(path, token, run)
      })
      last = turn.catch(() => {})
      return turn
    },
  }
}

async function waitFor(path: string, token: string): Promise<void> {
  await letPass(path)
  let isNext = false
  try {
    for (let waitMs = 1; !take(path, token); waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      isNext ||= claimNext(path, token)
      await sleep(isNext ? 1 : waitMs * (0.5 + Math.random()))
    }
  } finally {
    if (isNext) fs.rmSync(nextOf(path), { force: true })
  }
}

async function holdAlone<Result>(path: string, token: string, run: () => Promise<Result>): Promise<Result> {
  try {
    const running = run()
    const begunMs = Date.now()
    try {
      return await running
    } finally {
      // Whoever comes next comes in a later millisecond, so that what is named by time sorts by turn.
      while (Date.now() === begunMs) await sleep(1)
    }
  } finally {
    if (contentOf(path) === token) fs.rmSync(path, { force: true })
  }
}

/** Where one of those that wait says so. Nothing but the order depends on it. */
function nextOf(path: string): string {
  return `${path}.next`
}

function claimNext(path: string, token: string): boolean {
  const next = contentOf(nextOf(path))
  if (next !== undefined && !isGone(next)) return false
  fs.rmSync(nextOf(path), { force: true })
  return claim(nextOf(path), token)
}

/** Whoever is quick to come back, as a process with many changes to make is, would keep all others from it. */
async function letPass(path: string): Promise<void> {
  // To fail to read one takes ten times as long as to see that there is none.
  if (fs.lstatSync(nextOf(path), { throwIfNoEntry: false }) === undefined) return
  const next = contentOf(nextOf(path))
  if (next === undefined) return
  if (isGone(next)) return fs.rmSync(nextOf(path), { force: true })
  const untilMs = Date.now() + 2 * longestWaitMs
  while (Date.now() < untilMs && contentOf(nextOf(path)) === next) await sleep(1)
}

function take(path: string, token: string): boolean {
  if (claim(path, token)) return true
  const holder = contentOf(path)
  return holder !== undefined && isGone(holder) && takeOver(path, path, holder, token)
}

/**
 * Puts our token in place of a dead one's. The right to do so is itself claimed under a name made from the dead token, which
 * never comes back: only one process has it, and if that one dies too, its right is taken over in the same way.
 */
function takeOver(lock: string, entry: string, dead: string, token: string): boolean {
  const right = `${lock}.${parse(dead).id}`
  if (!claim(right, token)) {
    const other = contentOf(right)
    if (other === undefined || !isGone(other) || !takeOver(lock, right, other, token)) return false
  }
  if (contentOf(entry) !== dead) {
    fs.rmSync(right, { force: true })
    return false
  }
  fs.renameSync(right, entry)
  return true
}

/** A link is made together with its text, so a lock always names its holder, whenever that dies. */
function claim(path: string, token: string): boolean {
  try {
    if (process.platform !== 'win32') fs.symlinkSync(token, path)
    else claimByFile(path, token)
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    if (!isErrno(error, 'ENOENT')) throw error
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return false
  }
}

/** Where making links is a privilege: a file that is written first and gets its name then. */
function claimByFile(path: string, token: string): void {
  const own = `${path}.${randomBytes(8).toString('hex')}.tmp`
  fs.writeFileSync(own, token, { flag: 'wx' })
  try {
    fs.linkSync(own, path)
  } finally {
    fs.rmSync(own, { force: true })
  }
}

function contentOf(path: string): string | undefined {
  try {
    return process.platform !== 'win32' ? fs.readlinkSync(path) : fs.readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    // No link, and so not one of ours.
    if (isErrno(error, 'EINVAL')) return ''
    throw error
  }
}

function isGone(holder: string): boolean {
  const { pid, started } = parse(holder)
  if (pid === undefined) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    return isErrno(error, 'ESRCH')
  }
  // The number may have gone to another process since.
  return started !== undefined && startOf(pid) !== started
}

/** A token is written by `hold` alone, and still a disk may give back something else, which nobody holds. */
function parse(token: string): { pid?: number; started?: string; id: string } {
  try {
    const { pid, started, id } = JSON.parse(token)
    if (Number.isInteger(pid) && pid > 0 && /^\w+$/.test(id)) return { pid, started, id }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  return { id: 'unreadable' }
}

/** When a process began, in the kernel's own count; undefined where that can't be told, and for one that has ended. */
function startOf(pid: number): string | undefined {
  try {
    // The name in brackets may hold anything, so fields count from its end.
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    // Dead, and waiting for its parent to hear of it.
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
