import { FsError, isFsError } from '../errors.js'
import type { Call, ReadDir, ReadFile, WriteFile } from './types.js'

/** A call of a backend that never has to wait. */
export function immediate<Given extends unknown[], Result>(now: (...given: Given) => Result): Call<Given, Result> {
  return Object.assign(async (...given: Given) => now(...given), { now })
}

/** A call with the one that does not wait, where there is one. */
export function withNow<Given extends unknown[], Result>(
  call: (...given: Given) => Promise<Result>,
  now: ((...given: Given) => Result) | undefined,
): Call<Given, Result> {
  return now === undefined ? call : Object.assign(call, { now })
}

/** Listings with the way to list many of them, where there is one. */
export function withLister(readDir: ReadDir, lister: ReadDir['lister']): ReadDir {
  return lister === undefined ? readDir : Object.assign(readDir, { lister })
}

/** Reads with the way to read many files of a directory, where there is one. */
export function withReader(readFile: ReadFile, reader: ReadFile['reader']): ReadFile {
  return reader === undefined ? readFile : Object.assign(readFile, { reader })
}

/** Writes with the way to write a file in pieces, where there is one. */
export function withPieces(writeFile: WriteFile, pieces: WriteFile['pieces']): WriteFile {
  return pieces === undefined ? writeFile : Object.assign(writeFile, { pieces })
}

/** The same call, which first has to pass a check. */
export function checked<Given extends unknown[], Result>(
  call: Call<Given, Result>,
  check: (...given: Given) => void,
): Call<Given, Result> {
  const { now } = call
  return withNow(
    async (...given) => {
      check(...given)
      return call(...given)
    },
    now &&
      ((...given) => {
        check(...given)
        return now(...given)
      }),
  )
}

/** Does without waiting what can be done so; `IS_LINK` may also say that it can't just now. */
export function soonest<Given extends unknown[], Result>(
  call: Call<Given, Result>,
  ...given: Given
): Result | Promise<Result> {
  if (call.now === undefined) return call(...given)
  try {
    return call.now(...given)
  } catch (error) {
    if (!isFsError(error, 'IS_LINK')) throw error
    return call(...given)
  }
}

/** True for what `soonest` could not give at once. Awaiting what is there already would let others in between. */
export function isWaiting<Result>(given: Result | Promise<Result>): given is Promise<Result> {
  return typeof given === 'object' && given !== null && 'then' in given
}

/** What a `now` fails with that has to wait. */
export function notNow(path: string): FsError {
  return new FsError('IS_LINK', { path })
}
