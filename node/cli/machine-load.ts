import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'

/**
 * Whether all processors have other things to do than this thread: now or, where the system does not say, in the last minute. Never on
 * Windows, which says neither.
 */
export function isMachineBusy({
  running = runningThreads(),
  load = loadavg()[0] ?? 0,
  processors = cpus().length,
} = {}): boolean {
  return Number.isNaN(running) ? load >= processors : running > processors
}

/** Threads of all programs that have a processor or wait for one, this one included. Not a number except on Linux. */
function runningThreads(): number {
  try {
    // Three averages, `running/all`, and the last process.
    return Number(readFileSync('/proc/loadavg', 'utf8').split(/[ /]/)[3])
  } catch {
    return Number.NaN
  }
}
