/** Which process is meant: an id alone is given again. Linux only. */
import fs from 'node:fs'

export interface ProcessIdentity {
  pid: number
  /** In the kernel's own count since the machine was started. */
  startTime: string
}

/** As of now; undefined when it is gone. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid)
  return startTime === undefined ? undefined : { pid, startTime }
}

export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  return startTimeOf(pid) === startTime
}

/** Of the first process of a process namespace: the kernel ends all others with it, whatever they did to get away. */
export function endNamespace(first: ProcessIdentity): void {
  if (!isRunning(first)) return
  try {
    process.kill(first.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Field 22 of `stat`, counted behind the name of the program, which is the second; a process that has ended has none. */
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
