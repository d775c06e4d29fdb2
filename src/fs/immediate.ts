import { isFsError } from '../errors.js'
import type { Read, ReadDir } from './types.js'

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

/** Listings with the way to list many of them, where there is one. */
export function withLister(readDir: ReadDir, lister: ReadDir['lister']): ReadDir {
  return lister === undefined ? readDir : Object.assign(readDir, { lister })
}

/** Reads without waiting where that can be; `IS_LINK` may also say that it can't just now. */
export function soonest<Given extends unknown[], Result>(
  read: Read<Given, Result>,
  ...given: Given
): Result | Promise<Result> {
  if (read.now === undefined) return read(...given)
  try {
    return read.now(...given)
  } catch (error) {
    if (!isFsError(error, 'IS_LINK')) throw error
    return read(...given)
  }
}
