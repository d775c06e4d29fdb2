/** Long searches run in slices of time, so that the rest of the program is not blocked. */
export interface TimeSlices {
  /** The current slice is used up. */
  isOver(): boolean
  /** Lets other work run, then starts a new slice. */
  pause(): Promise<void>
}

const sliceMs = 40

export function timeSlices(): TimeSlices {
  let since = performance.now()
  return {
    isOver: () => performance.now() - since >= sliceMs,
    async pause() {
      await new Promise<void>((resolve) => setTimeout(resolve, 0))
      since = performance.now()
    },
  }
}

/** Runs a generator to its end, with a pause whenever a slice is over. */
export async function runInSlices<Result>(steps: Generator<undefined, Result>, slices: TimeSlices): Promise<Result> {
  for (;;) {
    if (slices.isOver()) await slices.pause()
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
