/** Long work that lets other calls have their turn. */

/** Longer than this nobody waits. */
const sliceMs = 20

/** A function to call between steps that don't wait for anything: now and then it gives a promise, which has to be awaited. */
export function yieldBetweenSteps(check: () => void = () => {}): () => Promise<void> | undefined {
  let sliceEnds = performance.now() + sliceMs
  const pause = async () => {
    await new Promise<void>((resume) => setTimeout(resume, 0))
    check()
    sliceEnds = performance.now() + sliceMs
  }
  return () => (performance.now() < sliceEnds ? undefined : pause())
}
