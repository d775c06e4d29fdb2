import { FsError } from '../../errors.js'

/** Other calls are delayed by about this at most. */
const sliceMs = 20

/** Runs a generator to its end, and yields to the event loop now and then. Fails with `ABORTED` when the signal aborts. */
export async function runInSlices<Result>(
  steps: Generator<undefined, Result>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Result> {
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - since < sliceMs) continue
    await new Promise<void>((resolve) => setTimeout(resolve, 0))
    if (signal?.aborted) throw new FsError('ABORTED', {})
    since = performance.now()
  }
}
