import type { Locks } from '../../src/change/locks/locks.js'

/** Changes of one tree happen one after another in all tabs and workers of the origin. Whatever the scopes, one holder at a time. */
export function webLocks(name: string): Locks {
  return {
    // Requested in the order of the calls, and released by the browser when a tab or worker goes.
    hold: (_scopes, run) => navigator.locks.request(`polyfs:${name}`, run),
  }
}
