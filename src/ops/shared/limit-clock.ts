import { isReproducible } from '../../workspace/reproducible.js'
import type { Workspace } from '../../workspace/workspace.js'

/** What looking at the clock counts as; walks and searches look at it for each directory, file or part of a large file. */
const msPerLook = 0.05

/**
 * The clock for the time limits of one call. In a reproducible workspace a limit must not depend on how fast the machine
 * is: there the time is the work that was done, by the number of looks at this clock.
 */
export function limitClock(workspace: Workspace): () => number {
  if (!isReproducible(workspace)) return workspace.now
  let looks = 0
  return () => {
    looks += 1
    return looks * msPerLook
  }
}
