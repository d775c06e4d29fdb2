import type { Locks } from '../../src/change/locks/locks.js'

/** Serializes changes of one tree across all tabs and workers of the origin. It ignores scopes: there is one holder at a time. */
export function webLocks(name: string): Locks {
  return {
    // Granted in the order of the calls; the browser releases it when a tab or worker ends.
    hold: (_scopes, run) => navigator.locks.request(`polyfs:${name}`, run),
  }
}
