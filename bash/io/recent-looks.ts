/**
 * Fewer requests for what programs look at, since each takes far longer than the look itself: what a command has just looked at is not
 * asked for again, and where it looks at one entry of a directory after the other, the next ones are asked for with it.
 */
import { isFsError } from '../../src/errors.js'
import { basename, dirname, join } from '../../src/fs/path.js'
import type { Entry, Stat } from '../../src/fs/types.js'
import type { AppendableFiles } from './command-tree.js'
import { hasOneSpelling } from './one-spelling.js'

export interface RecentLooks extends AppendableFiles {
  /** Until the returned function is called, every look is a request: someone else changes the files. */
  suspend(): () => void
}

/** What others change is seen after this time at the latest. */
const recentMs = 50
const mostLooks = 128
/** Listings that are remembered, and the entries of each. */
const mostListings = 64
const mostListed = 10_000
/** How many entries are looked at ahead, at first and at most. */
const fewAhead = 2
const mostAhead = 64
/** Names that a program may leave out, and is still taken to go from one to the next. */
const mostSkipped = 4

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
    listed?.note(basename(path))
    const known = looks.get(path)
    if (known?.found !== undefined && isRecent(known)) return known.found
    const found = look(path)
    for (const name of listed?.next() ?? []) look(join(directory, name)).catch(() => {})
    return found
  }

  function forget(): void {
    looks.clear()
    realPaths.clear()
  }

  /**
   * The file may have been reached through a link to its directory, so that all of its name may be the same. Directories have a new time.
   * Whether it exists stays known.
   */
  function forgetFile(path: string, isThere: boolean): void {
    const name = basename(path)
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
      const forgetIt = isPlain(path, 'file', 'absent') ? () => forgetFile(path, true) : () => looks.clear()
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
  const { setMode, setModified, symlink } = files
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
      listings.delete(path)
      if (entries.length > mostListed) return entries
      if (listings.size >= mostListings) dropOldest(listings)
      listings.set(path, listing(entries))
      return entries
    },
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

interface Listing {
  /** Takes note that an entry is looked at. */
  note(name: string): void
  /** The names that come next, if entries are looked at in order. */
  next(): readonly string[]
}

interface Order {
  names: readonly string[]
  places: ReadonlyMap<string, number>
}

function listing(entries: readonly Entry[]): Listing {
  const orders: Order[] = []
  let last: string | undefined
  /** The names after the last one, in the order in which they are looked at. */
  let place: { names: readonly string[]; after: number } | undefined
  let ahead = fewAhead
  /** How many were looked at since the last answer of `next`. */
  let used = 0

  /** Programs go through a directory as it is listed, or by name. */
  function ordersOf(): readonly Order[] {
    if (orders.length > 0) return orders
    const names = entries.map(({ name }) => name)
    for (const order of [names, [...names].sort()]) {
      orders.push({ names: order, places: new Map(order.map((name, index) => [name, index])) })
    }
    return orders
  }

  return {
    note(name) {
      const before = last
      last = name
      used += 1
      if (before === undefined || before === name) return
      place = undefined
      for (const { names, places } of ordersOf()) {
        const skipped = (places.get(name) ?? -1) - (places.get(before) ?? entries.length) - 1
        if (skipped < 0 || skipped > mostSkipped) continue
        place = { names, after: places.get(name)! + 1 }
        return
      }
      ahead = fewAhead
    },
    next() {
      if (place === undefined) return []
      const { names, after } = place
      // Those of the last time may have been forgotten before they were needed.
      ahead = used < ahead ? used : Math.min(mostAhead, 2 * ahead)
      used = 0
      return names.slice(after, after + ahead)
    },
  }
}
