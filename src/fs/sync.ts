/**
 * Reads that need no promise. A small read from memory or from a cached file costs less than the turns of the event loop that a promise
 * takes. Walks, searches, transactions, listings with metadata and reads of small
 * files use this; everything else awaits the methods of `FileSystem`.
 */
import { isFsError } from '../errors.js'
import type { ByteRange, Bytes, Entry, Stat } from './values.js'

/** Returned in place of a result: nothing was done, and the asynchronous method has to be called. */
export const wouldBlock: unique symbol = Symbol('would block')

export type WouldBlock = typeof wouldBlock

/**
 * The synchronous facet of a file system: same results and same errors as the methods of the same name. Returned bytes and entries
 * may be shared and must not be changed. A gate follows links asynchronously, so it returns `wouldBlock` for a path that leads through one.
 */
export interface SyncFileSystem {
  stat(path: string): Stat | WouldBlock
  /** The same, which may return undefined in place of a failure with `NOT_FOUND`; absent where this is not faster. */
  find?(path: string): Stat | undefined | WouldBlock
  readFile(path: string, range?: ByteRange): Bytes | WouldBlock
  readDir(path: string): Entry[] | WouldBlock
  /** Lists many directories below one; absent where this is not faster than `readDir`. Never throws. */
  directoryLister?(directory: string): DirectoryLister | WouldBlock
  /** Reads many files of one directory; absent where this is not faster than `readFile`. Never throws. */
  fileReader?(directory: string): FileReader | WouldBlock
}

/**
 * Lists a directory by the names that lead to it from the one the lister was made for. Meant for a depth-first walk: it may hold parent
 * directories open for a moment, and then also lists one that was moved meanwhile. Returns `wouldBlock` for everything but a listing, also
 * for links and errors: the caller then uses `readDir`.
 */
export type DirectoryLister = (names: readonly string[]) => Entry[] | WouldBlock

/** Reads a whole file by its name. Returns `wouldBlock` for links and errors: the caller then uses `readFile`. */
export type FileReader = (name: string) => Bytes | WouldBlock

/** Returns a synchronous result if there is one, otherwise makes the asynchronous call. Awaiting a synchronous result would cost a turn. */
export function syncOrAsync<Result>(
  result: Result | WouldBlock | undefined,
  call: () => Promise<Result>,
): Result | Promise<Result> {
  return result === undefined || result === wouldBlock ? call() : result
}

/** Returns `wouldBlock` when `read` fails: the asynchronous method then reports the error. */
export function orWouldBlock<Result>(read: () => Result | WouldBlock): Result | WouldBlock {
  try {
    return read()
  } catch (error) {
    if (!isFsError(error)) throw error
    return wouldBlock
  }
}

export function isPromise<Result>(value: Result | Promise<Result>): value is Promise<Result> {
  return typeof value === 'object' && value !== null && 'then' in value
}
