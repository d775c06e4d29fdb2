import type { Read } from './types.js'

/** A read of a backend that never has to wait. */
export function immediate<Given extends unknown[], Result>(now: (...given: Given) => Result): Read<Given, Result> {
  return Object.assign(async (...given: Given) => now(...given), { now })
}

/** A read with the one that does not wait, where there is one. */
export function withNow<Given extends unknown[], Result>(
  read: (...given: Given) => Promise<Result>,
  now: ((...given: Given) => Result) | undefined,
): Read<Given, Result> {
  return now === undefined ? read : Object.assign(read, { now })
}
