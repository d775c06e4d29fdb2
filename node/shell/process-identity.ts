/** Identifies a process: ids alone are reused. Linux only. */
import fs from 'node:fs'

export interface ProcessIdentity {
  pid: number
  /** In the kernel's clock ticks since boot. */
  startTime: string
}

/** Undefined when the process has ended. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid)
  return startTime === undefined ? undefined : { pid, startTime }
}

export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  return startTimeOf(pid) === startTime
}

/** Ends a process namespace by its first process: the kernel ends all others with it. */
export function endNamespace(first: ProcessIdentity): void {
  if (!isRunning(first)) return
  try {
    process.kill(first.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Field 22 of `stat`, counted after the program's name, which is the second. Undefined for a process that has ended. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[22 - 3]
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}
