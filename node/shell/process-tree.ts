/** Ends all processes that a command has started, even detached ones. */
import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'

/** The variable that marks every process that a command starts. */
export const markName = 'POLYFS_COMMAND'

/** Sweeps repeat, because processes may fork while they are being ended. */
const maxSweeps = 50

/** Signals the process group of a command. */
export function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  if (process.platform === 'win32') {
    endTree(pid)
    return
  }
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

/** Whether a process of the group is left. Windows has no groups: false there. */
export function isGroupLeft({ pid }: ChildProcess): boolean {
  if (pid === undefined || process.platform === 'win32') return false
  try {
    process.kill(-pid, 0)
    return true
  } catch (error) {
    if (!isGone(error)) throw error
    return false
  }
}

/** Windows has neither groups nor signals, and a process does not end with its parent. */
function endTree(pid: number): void {
  process.getBuiltinModule('node:child_process').spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], {
    stdio: 'ignore',
    windowsHide: true,
  })
}

/**
 * Ends processes that left the group: the mark stays in the environment of every descendant that does not clear it.
 * Linux only: other systems do not show environments.
 */
export function sweep(mark: string): void {
  if (process.platform !== 'linux') return
  for (let sweeps = 0; sweeps < maxSweeps && signalMarked(mark, 'SIGKILL') > 0; sweeps += 1);
}

/** Signals every marked process, except those of one program; returns how many there were. */
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
      // The process has ended, or belongs to another user.
      if (!isGone(error)) throw error
    }
  }
  return found
}

function isGone(error: unknown): boolean {
  const codes = ['ESRCH', 'ENOENT', 'EACCES', 'EPERM']
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
