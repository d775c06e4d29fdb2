/** A lock between processes: one entry, which names its holder and is taken over when the holder is gone. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locks } from '../src/change/locks.js'

const longestWaitMs = 25

/** Whatever the scopes, one holder at a time: a change takes milliseconds. `path` is the lock's own, in a directory that exists. */
export function fileLock(path: string): Locks {
  return {
    async hold(_scopes, run) {
      const token = JSON.stringify({
        pid: process.pid,
        started: startOf(process.pid),
        id: randomBytes(8).toString('hex'),
      })
      for (let waitMs = 1; !take(path, token); waitMs = Math.min(waitMs * 2, longestWaitMs)) {
        await sleep(waitMs * (0.5 + Math.random()))
      }
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
    },
  }
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
    if (!isErrno(error, 'EEXIST')) throw error
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
    throw error
  }
}

function isGone(holder: string): boolean {
  const { pid, started } = parse(holder)
  try {
    process.kill(pid, 0)
  } catch (error) {
    return isErrno(error, 'ESRCH')
  }
  // The number may have gone to another process since.
  return started !== undefined && startOf(pid) !== started
}

/** A token is written by `hold` alone. */
function parse(token: string): { pid: number; started?: string; id: string } {
  return JSON.parse(token)
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
