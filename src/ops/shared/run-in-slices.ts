import { FsError } from '../../errors.js'

/** Other calls wait no longer than about this. */
const turnMs = 20

/** Takes steps to their end, and lets other work of the program have its turn now and then. An abort ends it with `ABORTED`. */
export async function inTurns<Result>(
  steps: Generator<undefined, Result>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Result> {
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - since < turnMs) continue
    await new Promise<void>((resolve) => setTimeout(resolve, 0))
    if (signal?.aborted) throw new FsError('ABORTED', {})
    since = performance.now()
  }
}
