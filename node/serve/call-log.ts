import { closeSync, openSync, writeSync } from 'node:fs'
import type { CallRecord } from '../../src/tools/audit.js'

export interface CallLog {
  record(call: CallRecord): void
  close(): void
}

/**
 * Appends one line of JSON for every call, readable by its owner alone. A line is with the system when the call is answered. A log
 * that can't be written stops no call: `onFault` hears of it once.
 */
export function openCallLog(file: string, onFault: (fault: unknown) => void): CallLog {
  const descriptor = openSync(file, 'a', 0o600)
  let told = false
  return {
    record(call) {
      try {
        writeSync(descriptor, `${JSON.stringify({ time: new Date().toISOString(), ...call })}\n`)
      } catch (error) {
        if (!told) onFault(error)
        told = true
      }
    },
    close: () => closeSync(descriptor),
  }
}
