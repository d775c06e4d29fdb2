/** Where a program reads one file of a directory after the other, the next small ones are asked for with it, at most twice as many as were read. */
import type { FsError } from '../../src/errors.js'
import { basename, dirname, join } from '../../src/fs/path.js'
import type { Entry } from '../../src/fs/types.js'
import type { AppendableFiles, FileStart } from './command-tree.js'
import { type ListingOrder, listingOrder, newPace } from './listing-order.js'

export interface StartsAhead {
  readStart(path: string, length: number): Promise<FileStart>
  /** A file of this name was changed. */
  forgetName(name: string): void
  forget(): void
}

/** Larger files are read when they are needed. */
const smallBytes = 32 << 10
const mostStarts = 256

interface Start {
  atMs: number
  /** It is one of these. */
  all: Promise<Array<FileStart | FsError>>
  index: number
}

export interface StartsAheadOptions {
  /** What is known of a directory. */
  listing(directory: string): readonly Entry[] | undefined
  elapsed(): number
  /** What was read is not used after this time. */
  recentMs: number
}

export function startsAhead(
  read: Required<Pick<AppendableFiles, 'readStart' | 'readStarts'>>,
  { listing, elapsed, recentMs }: StartsAheadOptions,
): StartsAhead {
  const starts = new Map<string, Start>()
  const orders = new WeakMap<readonly Entry[], ListingOrder>()
  const pace = newPace()

  function orderOf(directory: string): ListingOrder | undefined {
    const entries = listing(directory)
    if (entries === undefined) return undefined
    const known = orders.get(entries)
    if (known !== undefined) return known
    const files = entries.filter(({ kind }) => kind === 'file')
    const order = listingOrder(files, { pace, ofOneEnding: true })
    orders.set(entries, order)
    return order
  }

  /** A failure, and what is larger, is left to the read that needs the file. */
  function readAhead(directory: string, following: readonly string[]): void {
    const names = following.filter((name) => !starts.has(join(directory, name)))
    if (names.length === 0) return
    const all = read.readStarts(directory, names, { length: smallBytes + 1, maxSize: smallBytes }).catch(() => [])
    const atMs = elapsed()
    for (const [index, name] of names.entries()) {
      const [oldest] = starts.size < mostStarts ? [] : starts.keys()
      if (oldest !== undefined) starts.delete(oldest)
      starts.set(join(directory, name), { atMs, all, index })
    }
  }

  async function known(path: string): Promise<FileStart | undefined> {
    const start = starts.get(path)
    starts.delete(path)
    if (start === undefined || elapsed() - start.atMs > recentMs) return undefined
    const found = (await start.all)[start.index]
    return found !== undefined && 'bytes' in found ? found : undefined
  }

  return {
    async readStart(path, length) {
      const directory = dirname(path)
      const order = orderOf(directory)
      order?.note(basename(path))
      const start = starts.has(path) && length > smallBytes ? await known(path) : undefined
      if (start !== undefined) return start
      const found = read.readStart(path, length)
      readAhead(directory, order?.next() ?? [])
      return found
    },
    forgetName(name) {
      for (const path of starts.keys()) if (basename(path) === name) starts.delete(path)
    },
    forget: () => starts.clear(),
  }
}
