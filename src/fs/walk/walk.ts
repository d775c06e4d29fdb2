import { type FsError, isFsError } from '../../errors.js'
import { join } from '../path.js'
import { type DirectoryLister, isPromise, syncOrAsync, wouldBlock } from '../sync.js'
import type { Entry, Kind, Tree } from '../types.js'
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
  /** How deep to go; unlimited unless given. */
  maxDepth?: number
  /** Return false to leave a directory unentered. Asked after the directory itself was told of. */
  enter?: (directory: WalkEntry) => boolean
  /** A directory that can't be read is skipped, and told here. One that vanished meanwhile is skipped silently. */
  onUnreadable?: (path: string, error: FsError) => void
  signal?: AbortSignal
  /** How many entries to look at; past that the walk ends. */
  maxEntries?: number
  /** When to end, as `Date.now()` counts. */
  deadlineMs?: number
  /**
   * Enter links to directories too, asking this where they lead; it fails for what is out of reach. A directory is entered once,
   * and not through a link if the walk comes to it anyway.
   */
  followLinks?: (path: string) => Promise<string>
  filter?: WalkFilter
  /** Other work has its turn now and then; true unless given. */
  pauses?: boolean
  /** Go through this alone, which another walk from the same directory has left. */
  rest?: Rest
}

/** What a walk has not come to in a directory that it has listed, in its order. */
export interface Rest {
  directory: string
  entries: readonly Entry[]
  /** Of the entries. */
  depth: number
}

/** Decides what a walk sees at all. */
export interface WalkFilter {
  /** The listing of a directory the walk has entered; `depth` is that of its entries. */
  opened(path: string, entries: readonly Entry[], depth: number): void | Promise<void>
  /** The same for a directory that another walk has listed. */
  reopened(path: string, depth: number): void | Promise<void>
  /** What becomes of an entry of the directory last opened at this depth. */
  judge(entry: Entry, depth: number): Verdict
}

/** `tell`: it is told of, and entered if it is a directory. `ignore`: it is skipped, and counted. */
export type Verdict = 'tell' | 'tell-only' | 'enter-only' | 'skip' | 'ignore'

export interface WalkSummary {
  /** Entries looked at, kept or not. */
  entries: number
  /** Directories listed. */
  directories: number
  /** Directories that could not be listed. */
  unreadable: number
  /** Links that were told of and not followed. */
  links: number
  /** Directories that lie deeper than asked for. */
  tooDeep: number
  /** Entries that were ignored, as the filter says. */
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
}

/** A walk under way. */
export interface Walk {
  /** The next entries, at least one; undefined at the end. Directories are listed no earlier than needed. */
  next(): Promise<readonly WalkEntry[] | undefined>
  /** The same as they were listed: by name, in their directory. */
  nextListed(): Promise<ListedEntries | undefined>
  /** What was seen so far. */
  readonly summary: Readonly<WalkSummary>
}

/** A walk that others can go on with. */
export interface DividedWalk extends Walk {
  /** Ends the walk here, and tells what it has not come to, in its order. */
  leave(): Promise<Rest[]>
}

/** Every entry below a directory, depth first, names in code-unit order. Links are told of and not followed. */
export async function* walk(fs: Tree, directory: string, options: WalkOptions = {}): AsyncGenerator<WalkEntry> {
  const { next } = openWalk(fs, directory, options)
  const turn = yieldBetweenSteps()
  for (let batch = await next(); batch !== undefined; batch = await next()) {
    for (const entry of batch) {
      options.signal?.throwIfAborted()
      yield entry
      // What is done with each may take long, and a directory may hold any number.
      const pause = options.pauses === false ? undefined : turn()
      if (pause !== undefined) await pause
    }
  }
}

/** How long a walk keeps other work waiting. */
const sliceMs = 20

interface Frame {
  path: string
  entries: readonly Entry[]
  at: number
}

/** Deeper down each directory is listed by its path, which may be too long. */
const maxHeld = { names: 100, pathUnits: 1000 }

/** The same as `walk`, in batches: far cheaper for those who look at many entries. */
export function openWalk(fs: Tree, directory: string, options: WalkOptions = {}): DividedWalk {
  const { maxDepth = Infinity, maxEntries = Infinity, deadlineMs = Infinity, filter, followLinks, signal } = options
  const { order = 'names', pauses = true, rest } = options
  /** Of the entries of the directory that it starts in. */
  const firstDepth = rest?.depth ?? 1
  const summary: WalkSummary = { entries: 0, directories: 0, unreadable: 0, links: 0, tooDeep: 0, ignored: 0 }
  const frames: Frame[] = []
  /** Leads from the start to the innermost directory. */
  const names: string[] = []
  let list: DirectoryLister | undefined
  /** Told of last, and entered next if it may be. */
  let pending: WalkEntry | undefined
  let started = false
  let sliceEnds = Date.now() + sliceMs
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
      if (pauses && Date.now() >= sliceEnds) await pause()
      if (frames.length === 0) return undefined
      const listed = listedFromTop()
      if (listed.entries.length > 0) return listed
    }
  }

  /** Waits only where there is something to wait for. */
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

  /** A lister enters no link. */
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
    if (Date.now() < deadlineMs) return false
    summary.truncated = 'deadline'
    return true
  }

  /** The entries of the innermost directory, up to the next one that may be entered. */
  function listedFromTop(): ListedEntries {
    const told: Entry[] = []
    const frame = frames.at(-1) as Frame
    const depth = firstDepth + frames.length - 1
    const { path, entries } = frame
    const listed = { directory: path, entries: told, depth }
    while (frame.at < entries.length) {
      if (summary.entries >= maxEntries) {
        summary.truncated = 'entries'
        return listed
      }
      const entry = entries[frame.at] as Entry
      frame.at += 1
      summary.entries += 1
      const verdict = filter?.judge(entry, depth) ?? 'tell'
      if (verdict === 'ignore') summary.ignored += 1
      if (verdict === 'skip' || verdict === 'ignore') continue
      if (verdict !== 'enter-only') told.push(entry)
      if (verdict === 'tell-only') continue
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

  /** By the names that lead there; undefined where only `readDir` can tell. */
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
    // What was a directory a moment ago may be gone, or something else by now; what a link led to was never promised.
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

  /** Lets timers, other calls and whoever wants to abort have their turn. */
  async function pause(): Promise<void> {
    await new Promise<void>((resume) => setTimeout(resume, 0))
    signal?.throwIfAborted()
    sliceEnds = Date.now() + sliceMs
  }

  return { next, nextListed, leave, summary }
}

/** Entries as they are told one by one. */
export function withPaths({ directory, entries, depth }: ListedEntries): WalkEntry[] {
  const prefix = directory === '/' ? '/' : `${directory}/`
  return entries.map(({ name, kind }) => ({ path: prefix + name, name, kind, depth }))
}
