import type { ProgressOptions } from '../../change/commit-context.js'
import type { CallContext } from '../operation.js'

/**
 * Progress of a call that prepares entries and then commits them as one change. Each entry counts twice: when it is prepared, and when it
 * is committed.
 */
export interface TwoPhaseProgress {
  /** Counts one more prepared entry, out of `total` if that is known. */
  prepared(total?: number): void
  /** Options for the request of the change. */
  readonly changeOptions: ProgressOptions
}

export function twoPhaseProgress({ signal, onProgress }: CallContext): TwoPhaseProgress {
  let count = 0
  let reported = 0

  function report(done: number, total?: number): void {
    if (done <= reported) return
    reported = done
    onProgress?.({ done, ...(total !== undefined && { total }) })
  }

  function committed({ done, total }: { done: number; total: number }): void {
    if (count === 0) report(done, total)
    else report(count + (total === 0 ? count : Math.floor((count * done) / total)), 2 * count)
  }

  return {
    prepared(total) {
      count += 1
      report(count, total && 2 * total)
    },
    changeOptions: { ...(signal && { signal }), ...(onProgress && { onProgress: committed }) },
  }
}

/** Progress of a call that searches first and works on what it has found then: the count goes on where the search has ended. */
export function progressInParts({ onProgress, ...context }: CallContext): {
  first: CallContext
  second(): CallContext
} {
  if (onProgress === undefined) return { first: context, second: () => context }
  let searched = 0
  return {
    first: {
      ...context,
      onProgress({ done }) {
        searched = Math.max(searched, done)
        onProgress({ done })
      },
    },
    second: () => ({
      ...context,
      onProgress({ done, total }) {
        onProgress({ done: searched + done, ...(total !== undefined && { total: searched + total }) })
      },
    }),
  }
}
