/** How long calls that wait for nothing may block the event loop. */
const longestTurnMs = 20

/**
 * For calls that others make many times in a row, each of which waits for nothing. Returns a function to call first: when the event loop was
 * blocked for too long, it returns a promise to await. `later` runs a function in another turn.
 */
export function yieldWhenDue(
  later: (run: () => void) => void = (run) => setTimeout(run, 0),
): () => Promise<void> | undefined {
  let begunMs: number | undefined
  return () => {
    if (begunMs === undefined) {
      begunMs = performance.now()
      later(() => {
        begunMs = undefined
      })
      return undefined
    }
    return performance.now() - begunMs > longestTurnMs ? new Promise((resume) => later(resume)) : undefined
  }
}
