import { type FsError, isFsError } from '../../errors.js'
import { join } from '../path.js'
import { type DirectoryLister, isPromise, syncOrAsync, wouldBlock } from '../sync.js'
import type { Entry, Kind, Stat, Tree } from '../types.js'
import { yieldBetweenSteps } from '../yield-between-steps.js'
import { type LinkFollower, linkFollower } from './link-follower.js'
import { inOrder } from './listing-order.js'

export interface WalkEntry {
  path: string
  name: string
  kind: Kind
  /** 1 for the entries of the start directory. */
  depth: number
}

export interface WalkOptions {
  /** `names` (default): each directory's entries by name. `paths`: as whole paths sort, in which `a.ts` comes before `a/b`. */
  order?: 'names' | 'paths'
  /** The depth of the deepest entries; unlimited unless given. */
  maxDepth?: number
  /** Return false to skip the entries of a directory. Called after the directory itself was reported. */
  enter?: (directory: WalkEntry) => boolean
  /** Called for a directory that can't be read, which is skipped. One that vanished meanwhile is skipped silently. */
  onUnreadable?: (path: string, error: FsError) => void
  signal?: AbortSignal
  /** The walk ends after this many entries. */
  maxEntries?: number
  /** When the walk ends, by `now`. */
  deadlineMs?: number
  /** The clock for the deadline. Default: `Date.now`. */
  now?: () => number
  /**
   * If given, links to directories are entered too. Returns the real path of a path, and throws if that is out of reach. A directory
   * is entered once, and not through a link if it is below the start directory anyway.
   */
  followLinks?: (path: string) => Promise<string>
  filter?: WalkFilter
  /** Whether the walk yields to the event loop now and then; true unless given. */
  pauses?: boolean
  /** Walks only this rest of another walk from the same directory. */
  rest?: Rest
}

/** The entries of a listed directory that a walk has not visited yet, in walk order. */
export interface Rest {
  directory: string
  entries: readonly Entry[]
  /** The depth of the entries. */
  depth: number
}

/** Decides which entries a walk reports and enters. */
export interface WalkFilter {
  /** Called with the listing of each directory that the walk enters; `depth` is that of its entries. */
  opened(path: string, entries: readonly Entry[], depth: number): void | Promise<void>
  /** The same for a directory that another walk has listed. */
  reopened(path: string, depth: number): void | Promise<void>
  /** The verdict on an entry of the directory last opened at this depth. */
  judge(entry: Entry, depth: number): Verdict
}

/** `report`: the entry is reported, and entered if it is a directory. `ignore`: it is skipped, and counted. */
export type Verdict = 'report' | 'report-only' | 'enter-only' | 'skip' | 'ignore'

export interface WalkSummary {
  /** Entries visited, reported or not. */
  entries: number
  /** Directories listed. */
  directories: number
  /** Directories that could not be listed. */
  unreadable: number
  /** Links that were reported and not followed. */
  links: number
  /** Directories that were not entered because of `maxDepth`. */
  tooDeep: number
  /** Entries that the filter ignored. */
  ignored: number
  /** Why the walk ended early; absent when it saw everything. */
  truncated?: 'entries' | 'deadline'
}

/** Entries of one directory. */
export interface ListedEntries {
  directory: string
  entries: readonly Entry[]
  /** 1 for the entries of the start directory. */
  depth: number
  /** One for each entry, if the walk reads them; undefined for an entry that is gone. */
  stats?: readonly (Stat | undefined)[]
}

/** A running walk. */
export interface Walk {
  /** The next entries, at least one; undefined at the end. Directories are listed no earlier than needed. */
  next(): Promise<readonly WalkEntry[] | undefined>
  /** The same by name, with their directory. */
  nextListed(): Promise<ListedEntries | undefined>
  /** The counts so far. */
  readonly summary: Readonly<WalkSummary>
}

/** A walk that other walks can continue. */
export interface DividedWalk extends Walk {
  /** Ends the walk, and returns what it has not visited, in walk order. */
  leave(): Promise<Rest[]>
}

/** Every entry below a directory, depth first, names in code-unit order. Links are reported and not followed. */
export async function* walk(fs: Tree, directory: string, options: WalkOptions = {}): AsyncGenerator<WalkEntry> {
  const { next } = openWalk(fs, directory, options)
  const turn = yieldBetweenSteps()
  for (let batch = await next(); batch !== undefined; batch = await next()) {
    for (const entry of batch) {
      options.signal?.throwIfAborted()
      yield entry
      // The caller may take long for each entry, and a directory may have any number of them.
      const pause = options.pauses === false ? undefined : turn()
      if (pause !== undefined) await pause
    }
  }
}

/** How long a walk may block the event loop. */
const sliceMs = 20

interface Frame {
  path: string
  entries: readonly Entry[]
  at: number
}

/** Directories deeper than this are listed by path instead of by a lister. */
const maxHeld = { names: 100, pathUnits: 1000 }

/** The same as `walk`, in batches: much cheaper for many entries. */
export function openWalk(fs: Tree, directory: string, options: WalkOptions = {}): DividedWalk {
  const { maxDepth = Infinity, maxEntries = Infinity, deadlineMs = Infinity, filter, followLinks, signal } = options
  const { now = Date.now } = options
  const { order = 'names', pauses = true, rest } = options
  /** The depth of the entries of the first directory. */
  const firstDepth = rest?.depth ?? 1
  const summary: WalkSummary = { entries: 0, directories: 0, unreadable: 0, links: 0, tooDeep: 0, ignored: 0 }
  const frames: Frame[] = []
  /** The names that lead from the start to the innermost directory. */
  const names: string[] = []
  let list: DirectoryLister | undefined
  /** The directory to enter next, if `enter` allows it. */
  let pending: WalkEntry | undefined
  let started = false
  let sliceEnds = performance.now() + sliceMs
  const links = followLinks && linkFollower(fs, directory, followLinks)

  async function next(): Promise<readonly WalkEntry[] | undefined> {
    const listed = await nextListed()
    return listed && withPaths(listed)
  }

  async function nextListed(): Promise<ListedEntries | undefined> {
    for (;;) {
      signal?.throwIfAborted()
      if (isOver()) return undefined
      const proceeding = proceed()
      if (proceeding !== undefined) await proceeding
      if (pauses && performance.now() >= sliceEnds) await pause()
      if (frames.length === 0) return undefined
      const listed = listedFromTop()
      if (listed.entries.length > 0) return listed
    }
  }

  /** Returns a promise only if there is something to await. */
  function proceed(): void | Promise<void> {
    if (!started) return start()
    const entered = pending
    pending = undefined
    if (entered !== undefined && options.enter?.(entered) !== false) return enter(entered)
  }

  async function start(): Promise<void> {
    started = true
    if (rest !== undefined) return resume(rest)
    const listed = readDir(directory)
    await open(directory, isPromise(listed) ? await listed : listed)
    if (!isPromise(listed)) useLister(directory)
  }

  function readDir(path: string): Entry[] | Promise<Entry[]> {
    return syncOrAsync(fs.sync?.readDir(path), () => fs.readDir(path))
  }

  /** A lister never enters links, so it is not used when these are followed. */
  function useLister(path: string): void {
    const lister = links === undefined ? fs.sync?.directoryLister?.(path) : undefined
    list = lister === wouldBlock ? undefined : lister
  }

  async function resume({ directory: path, entries, depth }: Rest): Promise<void> {
    frames.push({ path, entries, at: 0 })
    await filter?.reopened(path, depth)
    useLister(path)
  }

  async function leave(): Promise<Rest[]> {
    await proceed()
    const left = frames.map(({ path, entries, at }, i) => {
      return { directory: path, entries: entries.slice(at), depth: firstDepth + i }
    })
    frames.length = 0
    return left.filter(({ entries }) => entries.length > 0).reverse()
  }

  function isOver(): boolean {
    if (summary.truncated !== undefined) return true
    if (deadlineMs === Infinity || now() < deadlineMs) return false
    summary.truncated = 'deadline'
    return true
  }

  /** The entries of the innermost directory, up to the next one that may be entered. */
  function listedFromTop(): ListedEntries {
    const reported: Entry[] = []
    const frame = frames.at(-1) as Frame
    const depth = firstDepth + frames.length - 1
    const { path, entries } = frame
    const listed = { directory: path, entries: reported, depth }
    while (frame.at < entries.length) {
      if (summary.entries >= maxEntries) {
        summary.truncated = 'entries'
        return listed
      }
      const entry = entries[frame.at] as Entry
      frame.at += 1
      summary.entries += 1
      const verdict = filter?.judge(entry, depth) ?? 'report'
      if (verdict === 'ignore') summary.ignored += 1
      if (verdict === 'skip' || verdict === 'ignore') continue
      if (verdict !== 'enter-only') reported.push(entry)
      if (verdict === 'report-only') continue
      const { name, kind } = entry
      const leadsOn = kind === 'directory' || (kind === 'symlink' && links !== undefined)
      if (leadsOn && depth < maxDepth) {
        pending = { path: join(path, name), name, kind, depth }
        return listed
      }
      if (kind === 'directory') summary.tooDeep += 1
      else if (kind === 'symlink') summary.links += 1
    }
    frames.pop()
    return listed
  }

  function enter({ path, name, kind }: WalkEntry): void | Promise<void> {
    if (links !== undefined) return enterWith(links, path, kind)
    try {
      const listed = listBelow(path, name) ?? readDir(path)
      return isPromise(listed) ? whenListed(path, listed) : open(path, listed)
    } catch (error) {
      leaveOut(path, error)
    }
  }

  /** Lists a directory by the names that lead there; undefined if `readDir` has to be used. */
  function listBelow(path: string, name: string): Entry[] | undefined {
    names.length = frames.length - 1
    names.push(name)
    const isDeep = names.length > maxHeld.names || path.length > maxHeld.pathUnits
    if (list === undefined || isDeep) return undefined
    const listed = list(names)
    return listed === wouldBlock ? undefined : listed
  }

  async function enterWith({ mayEnter }: LinkFollower, path: string, kind: Kind): Promise<void> {
    try {
      if (await mayEnter(path, kind)) await open(path, await readDir(path))
      else if (kind === 'symlink') summary.links += 1
    } catch (error) {
      leaveOut(path, error)
    }
  }

  async function whenListed(path: string, listing: Promise<Entry[]>): Promise<void> {
    try {
      await open(path, await listing)
    } catch (error) {
      leaveOut(path, error)
    }
  }

  function leaveOut(path: string, error: unknown): void {
    // The directory may have been removed or replaced meanwhile; a link may lead anywhere.
    if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'OUTSIDE', 'IS_LINK', 'LINK_LOOP')) return
    if (!isFsError(error)) throw error
    summary.unreadable += 1
    options.onUnreadable?.(path, error)
  }

  function open(path: string, entries: Entry[]): void | Promise<void> {
    summary.directories += 1
    const ordered = inOrder(entries, order)
    frames.push({ path, entries: ordered, at: 0 })
    return filter?.opened(path, ordered, firstDepth + frames.length - 1)
  }

  /** Yields to timers and other calls, and checks for an abort. */
  async function pause(): Promise<void> {
    await new Promise<void>((resume) => setTimeout(resume, 0))
    signal?.throwIfAborted()
    sliceEnds = performance.now() + sliceMs
  }

  return { next, nextListed, leave, summary }
}

/** Adds path and depth to each entry. */
export function withPaths({ directory, entries, depth }: ListedEntries): WalkEntry[] {
  const prefix = directory === '/' ? '/' : `${directory}/`
  return entries.map(({ name, kind }) => ({ path: prefix + name, name, kind, depth }))
}
