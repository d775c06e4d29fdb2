/**
 * Work that may have to wait. A generator yields the promises it waits for; as long as there are none it runs without
 * the event loop, so loops of builtins are fast and still everything can wait anywhere.
 */
export type Steps<Result> = Generator<Promise<unknown>, Result, unknown>

export function* wait<Result>(promise: Promise<Result>): Steps<Result> {
  return (yield promise) as Result
}

/** Waits if there is something to wait for. */
export function* settle(promise: Promise<unknown> | undefined): Steps<void> {
  if (promise !== undefined) yield promise
}

/** Runs work: the result, or a promise of it when it had to wait. */
export function drive<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const first = steps.next()
  return first.done ? first.value : driveOn(steps, first.value)
}

async function driveOn<Result>(steps: Steps<Result>, first: Promise<unknown>): Promise<Result> {
  let waiting = first
  for (;;) {
    // A failure of the generator itself leaves this loop; only what it waited for is thrown into it.
    const outcome = await waiting.then(succeeded, failed)
    const turn: IteratorResult<Promise<unknown>, Result> = outcome.failed
      ? steps.throw(outcome.value)
      : steps.next(outcome.value)
    if (turn.done) return turn.value
    waiting = turn.value
  }
}

/** As `drive`, always a promise, on an empty stack: nested calls do not pile up. */
export async function driveLater<Result>(start: () => Steps<Result>): Promise<Result> {
  await undefined
  return drive(start())
}

interface Outcome {
  failed: boolean
  value: unknown
}

function succeeded(value: unknown): Outcome {
  return { failed: false, value }
}

function failed(value: unknown): Outcome {
  return { failed: true, value }
}
