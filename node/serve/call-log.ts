import { closeSync, openSync, writeSync } from 'node:fs'
import type { CallRecord } from '../../src/tools/audit.js'

export interface CallLog {
  record(call: CallRecord): void
  close(): void
}

/**
 * Appends one line of JSON for every call; only the owner may read the file. The line is written before the call is answered. A log that
 * can't be written stops no call: `onFault` is called once.
 */
export function openCallLog(file: string, onFault: (fault: unknown) => void): CallLog {
  const descriptor = openSync(file, 'a', 0o600)
  let isReported = false
  return {
    record(call) {
      try {
        writeSync(descriptor, `${JSON.stringify({ time: new Date().toISOString(), ...call })}\n`)
      } catch (error) {
        if (!isReported) onFault(error)
        isReported = true
      }
    },
    close: () => closeSync(descriptor),
  }
}
