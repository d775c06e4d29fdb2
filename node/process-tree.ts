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
  const marked = Buffer.from(`${markName}=${mark}`)
  for (let sweeps = 0; sweeps < maxSweeps && sweepOnce(marked) > 0; sweeps += 1);
}

/** How many were there to end. */
function sweepOnce(marked: Buffer): number {
  let found = 0
  for (const pid of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    try {
      if (!fs.readFileSync(`/proc/${pid}/environ`).includes(marked)) continue
      process.kill(Number(pid), 'SIGKILL')
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
