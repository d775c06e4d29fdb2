import type { CallContext } from '../../workspace/workspace.js'

/** The part of a call's context that both versions of the SDK have. */
export interface ProgressedCall {
  mcpReq: {
    _meta?: { progressToken?: string | number | undefined } | undefined
    notify(notification: {
      method: 'notifications/progress'
      params: { progressToken: string | number; progress: number; total?: number }
    }): Promise<void>
  }
}

/** Between two notifications. */
const minPauseMs = 100

/**
 * Sends progress notifications to clients that asked for them. The protocol requires progress to increase, so a call whose second part counts
 * from zero again sends none until it exceeds the last value.
 */
export function progressOf({ mcpReq }: ProgressedCall): Pick<CallContext, 'onProgress'> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return {}
  let lastSent = -1
  let sentAtMs = -Infinity
  return {
    onProgress({ done, total }) {
      const now = Date.now()
      const isLast = done === total
      if (done <= lastSent || (now - sentAtMs < minPauseMs && !isLast)) return
      lastSent = done
      sentAtMs = now
      const params = { progressToken, progress: done, ...(total !== undefined && { total }) }
      // A client that disconnected gets none; the call's signal aborts.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
    },
  }
}
