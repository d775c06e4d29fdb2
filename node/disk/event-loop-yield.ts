/** Disk calls are mostly synchronous: many in a row would block the event loop. */

/** How long they may block it. */
const longestTurnMs = 20

/** Returns a promise to await first when the event loop was blocked for too long. */
export function yieldWhenDue(): () => Promise<void> | undefined {
  let begunMs: number | undefined
  return () => {
    if (begunMs === undefined) {
      begunMs = performance.now()
      setImmediate(() => {
        begunMs = undefined
      })
      return undefined
    }
    return performance.now() - begunMs > longestTurnMs ? new Promise((resume) => setImmediate(resume)) : undefined
  }
}
