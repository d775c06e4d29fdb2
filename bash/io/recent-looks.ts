/**
 * Fewer requests for what programs look at, since each takes far longer than the look itself: what a command has just looked at is not
 * asked for again, and where it looks at one entry of a directory after the other, or reads them, the next ones are asked for with it.
 */
import { isFsError } from '../../src/errors.js'
import { basename, dirname, join } from '../../src/fs/path.js'
import type { Entry, Stat } from '../../src/fs/types.js'
import type { AppendableFiles } from './command-tree.js'
import { type ListingOrder, listingOrder } from './listing-order.js'
import { hasOneSpelling } from './one-spelling.js'
import { startsAhead } from './starts-ahead.js'

export interface RecentLooks extends AppendableFiles {
  /** Until the returned function is called, every look is a request: someone else changes the files. */
  suspend(): () => void
}

/** What others change is seen after this time at the latest. */
const recentMs = 50
const mostLooks = 128
/** Listings that are remembered, and all of their entries. */
const mostListings = 1000
const mostListed = 50_000

interface Listing {
  entries: readonly Entry[]
  order: ListingOrder
}

interface Look {
  atMs: number
  /** Absent when only the kind is still known. */
  found?: Promise<Stat>
  /** Set when the answer is known; `absent` when the path does not exist. */
  kind?: Stat['kind'] | 'absent'
}

interface RealPath {
  atMs: number
  found: Promise<string>
  /** Set when the answer is known. */
  real?: string
}

/** `elapsed` is the time of the command, in milliseconds; reading it must not move it. */
export function recentLooks(files: AppendableFiles, elapsed: () => number): RecentLooks {
  const looks = new Map<string, Look>()
  const realPaths = new Map<string, RealPath>()
  const listings = new Map<string, Listing>()
  let listedEntries = 0
  let suspended = 0

  const isRecent = ({ atMs }: { atMs: number }) => elapsed() - atMs <= recentMs

  function look(path: string): Promise<Stat> {
    const found = files.stat(path)
    const one: Look = { atMs: elapsed(), found }
    if (looks.size >= mostLooks) dropOldest(looks)
    looks.set(path, one)
    found.then(
      ({ kind }) => {
        one.kind = kind
      },
      (error) => {
        if (isFsError(error, 'NOT_FOUND')) one.kind = 'absent'
        else if (looks.get(path) === one) looks.delete(path)
      },
    )
    return found
  }

  async function stat(path: string): Promise<Stat> {
    if (suspended > 0) return files.stat(path)
    const directory = dirname(path)
    const listed = listings.get(directory)
    listed?.order.note(basename(path))
    const known = looks.get(path)
    if (known?.found !== undefined && isRecent(known)) return known.found
    const found = look(path)
    for (const name of listed?.order.next() ?? []) look(join(directory, name)).catch(() => {})
    return found
  }

  function forget(): void {
    forgetLooks()
    realPaths.clear()
  }

  function forgetLooks(): void {
    looks.clear()
    starts?.forget()
  }

  /** The oldest listings make room. */
  function remember(directory: string, entries: readonly Entry[]): void {
    drop(directory)
    if (entries.length > mostListed) return
    listings.set(directory, { entries, order: listingOrder(entries) })
    listedEntries += entries.length
    for (const oldest of listings.keys()) {
      if (listedEntries <= mostListed && listings.size <= mostListings) break
      drop(oldest)
    }
  }

  function drop(directory: string): void {
    listedEntries -= listings.get(directory)?.entries.length ?? 0
    listings.delete(directory)
  }

  /**
   * The file may have been reached through a link to its directory, so that all of its name may be the same. Directories have a new time.
   * Whether it exists stays known.
   */
  function forgetFile(path: string, isThere: boolean): void {
    const name = basename(path)
    starts?.forgetName(name)
    for (const [other, { kind }] of looks) {
      if (kind === undefined || kind === 'directory' || basename(other) === name) looks.delete(other)
    }
    looks.set(path, { atMs: -Infinity, kind: isThere ? 'file' : 'absent' })
  }

  /** Only a path that leads to a file of this name leads elsewhere without it. */
  function forgetPathsTo(file: string): void {
    for (const [path, { real }] of realPaths) {
      if (real === undefined || basename(real) === basename(file)) realPaths.delete(path)
    }
  }

  /** Whether a path is that of a file, or of nothing, and no other name can be the same. */
  function isPlain(path: string, ...kinds: Look['kind'][]): boolean {
    const { kind } = looks.get(path) ?? {}
    return kind !== undefined && kinds.includes(kind) && hasOneSpelling(files, path)
  }

  /** Runs what changes one file and no names. A link leads to a file of another name. */
  function changing<Given extends unknown[]>(change: (path: string, ...given: Given) => Promise<void>) {
    return async (path: string, ...given: Given): Promise<void> => {
      const forgetIt = isPlain(path, 'file', 'absent') ? () => forgetFile(path, true) : forgetLooks
      try {
        await change(path, ...given)
      } finally {
        forgetIt()
      }
    }
  }

  /** Runs what changes names. */
  function renaming<Given extends unknown[]>(change: (...given: Given) => Promise<void>) {
    return async (...given: Given): Promise<void> => {
      try {
        await change(...given)
      } finally {
        forget()
      }
    }
  }

  function forgetAndThrow(error: unknown): never {
    forget()
    throw error
  }

  const removeAnything = renaming(files.remove)
  const renameAnything = renaming(files.rename)
  const { setMode, setModified, symlink, readStart, readStarts } = files
  const starts =
    readStart &&
    readStarts &&
    startsAhead(
      { readStart, readStarts },
      { listing: (directory) => listings.get(directory)?.entries, elapsed, recentMs },
    )
  return {
    ...files,
    stat,
    async realPath(path) {
      const known = realPaths.get(path)
      if (suspended === 0 && known !== undefined && isRecent(known)) return known.found
      const found = files.realPath(path)
      if (suspended > 0) return found
      if (realPaths.size >= mostLooks) dropOldest(realPaths)
      const one: RealPath = { atMs: elapsed(), found }
      realPaths.set(path, one)
      found.then(
        (real) => {
          one.real = real
        },
        () => realPaths.delete(path),
      )
      return found
    },
    async readDir(path) {
      const entries = await files.readDir(path)
      remember(path, entries)
      return entries
    },
    ...(readStart && {
      readStart: (path: string, length: number) =>
        starts === undefined || suspended > 0 ? readStart(path, length) : starts.readStart(path, length),
    }),
    writeFile: changing(files.writeFile),
    append: changing(files.append),
    ...(setMode && { setMode: changing(setMode) }),
    ...(setModified && { setModified: changing(setModified) }),
    makeDir: renaming(files.makeDir),
    async remove(path) {
      if (!isPlain(path, 'file')) return removeAnything(path)
      await files.remove(path).catch(forgetAndThrow)
      forgetFile(path, false)
      forgetPathsTo(path)
    },
    async rename(from, to) {
      if (!isPlain(from, 'file') || !isPlain(to, 'file', 'absent')) return renameAnything(from, to)
      await files.rename(from, to).catch(forgetAndThrow)
      forgetFile(from, false)
      forgetFile(to, true)
      forgetPathsTo(from)
      forgetPathsTo(to)
    },
    ...(symlink && { symlink: renaming(symlink) }),
    suspend() {
      suspended += 1
      forget()
      return () => {
        suspended -= 1
        forget()
      }
    },
  }
}

function dropOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
