/** Most calls of the disk are done at once, and many of them in a row would keep everybody else waiting. */

/** How long they may. */
const longestTurnMs = 20

/** Tells whether others should have their turn first; whoever is told so waits for what is given. */
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
