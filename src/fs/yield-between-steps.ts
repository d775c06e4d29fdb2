/** The longest time that other calls are blocked. */
const sliceMs = 20

/** Returns a function to call between synchronous steps: when a pause is due, it returns a promise to await. */
export function yieldBetweenSteps(check: () => void = () => {}): () => Promise<void> | undefined {
  let sliceEnds = performance.now() + sliceMs
  const pause = async () => {
    await new Promise<void>((resume) => setTimeout(resume, 0))
    check()
    sliceEnds = performance.now() + sliceMs
  }
  return () => (performance.now() < sliceEnds ? undefined : pause())
}
