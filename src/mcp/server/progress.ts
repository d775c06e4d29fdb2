import type { CallContext } from '../../tools/dialect.js'

/** What both lines of the SDK tell of a call. */
export interface ProgressedCall {
  mcpReq: {
    _meta?: { progressToken?: string | number | undefined } | undefined
    notify(notification: {
      method: 'notifications/progress'
      params: { progressToken: string | number; progress: number; total?: number }
    }): Promise<void>
  }
}

/** Between two notifications; what a person watches needs no more. */
const leastPauseMs = 100

/**
 * Tells the client how far its call is, if it has asked for that. Progress only ever grows, as the protocol demands; a call of several parts
 * that each count anew is told of while it goes beyond what was told before.
 */
export function progressOf({ mcpReq }: ProgressedCall): Pick<CallContext, 'onProgress'> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return {}
  let told = -1
  let toldAtMs = -Infinity
  return {
    onProgress({ done, total }) {
      const now = Date.now()
      const isLast = done === total
      if (done <= told || (now - toldAtMs < leastPauseMs && !isLast)) return
      told = done
      toldAtMs = now
      const params = { progressToken, progress: done, ...(total !== undefined && { total }) }
      // Whoever hung up is not told; the call hears of it by its signal.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
    },
  }
}
