import type { Workspace } from './workspace.js'

/**
 * True with a clock of its own: what shows in results and in the tree then depends only on the calls, that clock and
 * `random`, not on the machine, its time zone or its load.
 */
export function isReproducible({ now }: Pick<Workspace, 'now'>): boolean {
  return now !== Date.now
}
