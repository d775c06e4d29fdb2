/** Ends all processes that a command has started, however they detached themselves. */
import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'

/** In the environment of every process that a command starts. */
export const markName = 'POLYFS_COMMAND'

/** What forks while it is being ended is looked for again, so many times. */
const maxSweeps = 50

/** A process group, which is what a command runs in. */
export function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/**
 * Ends what left its group: the mark stays in the environment of every descendant, unless that is cleared on purpose. Only Linux shows
 * environments.
 */
export function sweep(mark: string): void {
  if (process.platform !== 'linux') return
  for (let sweeps = 0; sweeps < maxSweeps && signalMarked(mark, 'SIGKILL') > 0; sweeps += 1);
}

/** Sends a signal to every marked process, but for those of one program; tells how many there were. */
export function signalMarked(mark: string, signal: NodeJS.Signals, except?: string): number {
  const marked = Buffer.from(`${markName}=${mark}`)
  let found = 0
  for (const pid of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    try {
      if (!fs.readFileSync(`/proc/${pid}/environ`).includes(marked)) continue
      if (except !== undefined && fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === except) continue
      process.kill(Number(pid), signal)
      found += 1
    } catch (error) {
      // Gone, or another user's.
      if (!isGone(error)) throw error
    }
  }
  return found
}

function isGone(error: unknown): boolean {
  const codes = ['ESRCH', 'ENOENT', 'EACCES', 'EPERM']
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
