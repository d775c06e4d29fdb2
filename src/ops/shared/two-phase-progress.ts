import type { Following } from '../../change/commit.js'
import type { CallContext } from '../operation.js'

/** How far a call is that looks at things and then makes one change of them. Each counts when it was looked at, and when it is there. */
export interface TwoParts {
  /** One more was looked at, out of so many if that is known. */
  lookedAt(total?: number): void
  /** What the request of the change takes. */
  readonly following: Following
}

export function inTwoParts({ signal, onProgress }: CallContext): TwoParts {
  let seen = 0
  let told = 0

  function tell(done: number, total?: number): void {
    if (done <= told) return
    told = done
    onProgress?.({ done, ...(total !== undefined && { total }) })
  }

  function made({ done, total }: { done: number; total: number }): void {
    if (seen === 0) tell(done, total)
    else tell(seen + (total === 0 ? seen : Math.floor((seen * done) / total)), 2 * seen)
  }

  return {
    lookedAt(total) {
      seen += 1
      tell(seen, total && 2 * total)
    },
    following: { ...(signal && { signal }), ...(onProgress && { onProgress: made }) },
  }
}
