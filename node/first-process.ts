/**
 * The first process of a process namespace: the kernel ends all others in it when that one ends, whatever they did to get away. Its id alone
 * would not do, since ids are given again.
 */
import fs from 'node:fs'

export interface FirstProcess {
  pid: number
  /** In the kernel's own count since the machine was started. */
  startTime: string
}

/** As of now; undefined when it is gone. */
export function firstProcess(pid: number): FirstProcess | undefined {
  const startTime = startTimeOf(pid)
  return startTime === undefined ? undefined : { pid, startTime }
}

export function isRunning({ pid, startTime }: FirstProcess): boolean {
  return startTimeOf(pid) === startTime
}

/** With all that are in its namespace. */
export function endNamespace(first: FirstProcess): void {
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
