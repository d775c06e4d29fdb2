/** What the commands of `polyfs eval` that run until they are stopped share. */
import { UsageError } from '../cli/arguments.js'

/** What a command needs of the program it is part of. */
export interface EvalHost {
  /** The module that the workers of the emulated shell load. */
  commandWorker: string
  write(text: string): void
  /** Reports one line. */
  warn(line: string): void
}

/** A whole number from 1. */
export function countIn(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new UsageError(`--${flag} takes a whole number from 1, not '${given}'`)
  return Number(given)
}

/** `8080`, `localhost:8080`, `[::1]:8080`. */
export function addressIn(given: string): { host?: string; port: number } {
  const match = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(given)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) throw new UsageError(`--http takes [HOST:]PORT, not '${given}'`)
  const host = match[1]?.replace(/^\[|\]$/g, '')
  return host === undefined ? { port } : { host, port }
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Resolves with the first signal; a second one ends the process as usual. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of stopSignals) process.off(signal, stop)
      resolve()
    }
    for (const signal of stopSignals) process.on(signal, stop)
  })
}
