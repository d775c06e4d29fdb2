import { cpus, loadavg } from 'node:os'

/** Whether every processor has had something to do in the last minute. Never on Windows, which has no such figure. */
export function isMachineBusy({ load = loadavg()[0] ?? 0, processors = cpus().length } = {}): boolean {
  return load >= processors
}
