/** The entries that are known from before a command, with the content of as many files as fit. */
import { isFsError } from '../../errors.js'
import { basename, dirname, isWithin, join, relative } from '../../fs/path.js'
import { isPromise, syncOrAsync, wouldBlock } from '../../fs/sync.js'
import type { Bytes, FileSystem } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import { PathMap } from '../path-map.js'
import { runConcurrently } from '../run-concurrently.js'
import type { Seen } from './seen.js'

export interface KnownEntries extends Pick<PathMap<Seen>, 'isEmpty' | 'in' | 'get' | 'pathsWhere'> {
  /** Replaces what is known of an entry; forgets it without `seen`. */
  remember(path: string, seen: Seen | undefined): void
  /** Adds the content of a file if it fits into the cache. */
  withContent(path: string, seen: Seen): Promise<Seen>
  /** Remembers what is new or has changed, with its content; small files first, so that as many as possible fit. */
  rememberAll(changed: readonly Change[]): Promise<void>
  /** Renames the known entries of a moved directory. */
  follow(from: string, to: string): void
  clear(): void
}

/** Undefined for an entry that is gone. */
export type Change = readonly [path: string, seen: Seen | undefined]

type SeenAt = readonly [path: string, seen: Seen]

export interface KnownEntriesOptions {
  fs: FileSystem
  readsOf?: ReadsOf | undefined
  limits: CommandWatcherLimits
}

/** Returns the bytes of each of these files of a directory, undefined for one that can't be read; may fail as listing it would. */
export type ReadsOf = (directory: string, names: readonly string[]) => readonly (Bytes | undefined)[]

export interface CommandWatcherLimits {
  /** The content of a larger file is not cached. */
  maxFileBytes: number
  /** The most content that is cached in memory. */
  maxTotalBytes: number
}

/** Files up to this size are read synchronously where possible, and so many at once. */
const quickBytes = 64 * 1024
const filesAtOnce = 64

export function knownEntries({ fs, readsOf, limits }: KnownEntriesOptions): KnownEntries {
  const known = new PathMap<Seen>()
  let cachedBytes = 0
  /** Of files that are being read for the cache. */
  let readingBytes = 0

  async function rememberAll(changed: readonly Change[]): Promise<void> {
    const small = new Map<string, SeenAt[]>()
    const others: SeenAt[] = []
    for (const [path, seen] of changed) {
      remember(path, undefined)
      if (seen === undefined) continue
      const isSmall = seen.stat.kind === 'file' && (seen.stat.size ?? 0) <= Math.min(quickBytes, limits.maxFileBytes)
      const directory = dirname(path)
      const within = small.get(directory)
      if (!isSmall || readsOf === undefined) others.push([path, seen])
      else if (within === undefined) small.set(directory, [[path, seen]])
      else within.push([path, seen])
    }
    const turn = yieldBetweenSteps()
    for (const [directory, files] of small) {
      for (let at = 0; at < files.length; at += filesAtOnce) {
        others.push(...keepTogether(directory, files.slice(at, at + filesAtOnce)))
        const pause = turn()
        if (pause !== undefined) await pause
      }
    }
    await runConcurrently(others, async ([path, seen]) => remember(path, await withContent(path, seen)))
  }

  /** Remembers files of one directory; returns those that have to be read one by one. */
  function keepTogether(directory: string, files: SeenAt[]): SeenAt[] {
    const size = files.reduce((sum, [, { stat }]) => sum + (stat.size ?? 0), 0)
    const contents = fits(size) ? readsIn(directory, files) : undefined
    return files.filter(([path, seen], at) => {
      const bytes = contents?.[at]
      if (bytes !== undefined) remember(path, { ...seen, bytes })
      return bytes === undefined
    })
  }

  function fits(bytes: number): boolean {
    return cachedBytes + readingBytes + bytes <= limits.maxTotalBytes
  }

  function readsIn(directory: string, files: readonly SeenAt[]): ReturnType<ReadsOf> | undefined {
    try {
      return readsOf?.(
        directory,
        files.map(([path]) => basename(path)),
      )
    } catch (error) {
      if (isFsError(error)) return undefined
      throw error
    }
  }

  async function withContent(path: string, seen: Seen): Promise<Seen> {
    const { kind, size = 0 } = seen.stat
    if (kind !== 'file' || size > limits.maxFileBytes || !fits(size)) return seen
    readingBytes += size
    try {
      const read = syncOrAsync(size <= quickBytes ? fs.sync?.readFile(path) : wouldBlock, () => fs.readFile(path))
      const bytes = isPromise(read) ? await read : read
      return { ...seen, bytes }
    } catch (error) {
      if (!isFsError(error)) throw error
      return seen
    } finally {
      readingBytes -= size
    }
  }

  function remember(path: string, seen: Seen | undefined): void {
    cachedBytes -= known.get(path)?.bytes?.length ?? 0
    if (seen === undefined) known.delete(path)
    else {
      known.set(path, seen)
      cachedBytes += seen.bytes?.length ?? 0
    }
  }

  function follow(from: string, to: string): void {
    for (const path of known.pathsWhere(() => true)) {
      if (path === from || !isWithin(from, path)) continue
      const seen = known.get(path)
      remember(path, undefined)
      remember(join(to, relative(from, path)), seen)
    }
  }

  return {
    get isEmpty() {
      return known.isEmpty
    },
    in: (directory) => known.in(directory),
    get: (path) => known.get(path),
    pathsWhere: (test) => known.pathsWhere(test),
    remember,
    withContent,
    rememberAll,
    follow,
    clear() {
      known.clear()
      cachedBytes = 0
    },
  }
}
