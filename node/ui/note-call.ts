import type { CallSeen } from '../../src/engine/ui-protocol.js'

/** Notes the outcome of a call, and forgets the oldest that have ended when there are more than `most`. */
export function noteCall(calls: Map<string, CallSeen>, call: CallSeen, most: number): void {
  calls.set(call.id, call)
  for (const [id, { state }] of calls) {
    if (calls.size <= most) break
    if (state !== 'waiting' && state !== 'running') calls.delete(id)
  }
}
