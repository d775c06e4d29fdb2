/** A walker that gives most of a large tree to threads, and reports their listings in walk order. */
import { isWithin } from '../../src/fs/path.js'
import { orWouldBlock, wouldBlock } from '../../src/fs/sync.js'
import type { Tree } from '../../src/fs/types.js'
import { type DividedWalk, type ListedEntries, type Rest, type WalkSummary, withPaths } from '../../src/fs/walk/walk.js'
import { type AbortOrTimeout, abortOrTimeout } from '../../src/search/run/abort-or-timeout.js'
import { type ClosableWalk, type FileWalk, fileWalks, type Walker } from '../../src/search/run/walk-files.js'
import { rootFinder } from '../disk/find-root.js'
import type { SentWalk } from './thread-messages.js'
import type { PoolThreads } from './thread-pool.js'
import { addUp, type Counters, noCounters } from './walk-counters.js'
import { countersAt, incompleteAt, listingAt, type PackedPart } from './walk-packing.js'
import { type WalkParts, walkParts } from './walk-parts.js'

export interface WalkPoolOptions {
  /** The gate. */
  fs: Tree
  /** Where the roots of the threads are mounted in `fs`. */
  points: readonly string[]
  /** Directories inside a root that `fs` hides. A tree that contains one is not given to threads, which list without a gate. */
  hidden?: readonly string[]
  threads: PoolThreads
  /** Fewer directories are listed by the calling thread, which takes less time than handing them out. */
  fewDirectories?: number
  /** Threads are started after this many directories. */
  manyDirectories?: number
}

type Options = Parameters<Walker['walk']>[1]

/** The calling thread walks small trees, and trees that threads can't walk the same way: behind a link, or with several roots. */
export function walkPool(options: WalkPoolOptions): Walker {
  const { fs, points, hidden: hiddenPlaces = [], threads, fewDirectories = 64, manyDirectories = 1000 } = options
  const rootOf = rootFinder(points)

  function sentWalk(directory: string, given: Options): SentWalk | undefined {
    const place = rootOf(directory)
    const holdsRoot = [...points, ...hiddenPlaces].some((point) => point !== directory && isWithin(directory, point))
    if (place === undefined || holdsRoot || !isFreeOfLinks(directory)) return undefined
    const {
      order = 'names',
      maxDepth,
      excludePrunes = true,
      globBase = directory,
      hidden = true,
      alsoReport = {},
    } = given
    const { ignore, include, exclude } = given
    const ignoreCase = ignore?.ignoreCase ?? !fs.capabilities.caseSensitive
    return {
      root: place.root,
      points,
      hidden: hiddenPlaces,
      directory,
      options: {
        ...{ order, excludePrunes, globBase, hidden, alsoReport },
        ...(maxDepth !== undefined && { maxDepth }),
        ...(ignore && { ignore: { ...ignore, ignoreCase } }),
      },
      ...(include && { include: include.source }),
      ...(exclude && { exclude: exclude.source }),
    }
  }

  function isFreeOfLinks(directory: string): boolean {
    const entries = orWouldBlock(() => fs.sync?.readDir(directory) ?? wouldBlock)
    return entries !== wouldBlock
  }

  return {
    walk(directory, given): ClosableWalk {
      const { signal, maxEntries = Infinity, deadlineMs = Infinity } = given
      const walks = fileWalks(fs, directory, given)
      const summary: WalkSummary = noCounters()
      const incompleteIgnoreFiles: string[] = []
      /** The totals before the current walk or part. */
      let before = { counters: noCounters(), incomplete: 0 }
      let parts: WalkParts | undefined
      /** The current walk of this thread, or the current part that another thread has listed. */
      let own: (FileWalk & DividedWalk) | undefined = walks()
      let part: { found: PackedPart; at: number } | undefined
      /** The rests that this thread walks next. */
      const here: Rest[] = []
      let over: AbortOrTimeout | undefined
      let staysHere = false
      let isAtLimit = false

      async function nextListed(): Promise<ListedEntries | undefined> {
        for (;;) {
          signal?.throwIfAborted()
          if (isOver()) return undefined
          if (isLarge()) await divide()
          const listed = own ? await nextOfOwn(own) : part && nextOfPart(part)
          if (listed !== undefined || parts === undefined) return listed
          if (own === undefined && part === undefined && (await take(parts)) === 'end') return undefined
        }
      }

      function isOver(): boolean {
        if (summary.truncated === undefined && Date.now() >= deadlineMs) summary.truncated = 'deadline'
        return summary.truncated !== undefined
      }

      function isLarge(): boolean {
        if (parts !== undefined || staysHere || summary.directories < fewDirectories || !threads.usable) return false
        if (summary.directories >= manyDirectories) threads.start()
        return threads.ready
      }

      async function divide(): Promise<void> {
        const sent = sentWalk(directory, given)
        staysHere = sent === undefined
        if (sent === undefined || own === undefined) return
        const rests = await own.leave()
        see(own.summary, own.incompleteIgnoreFiles)
        goOn()
        over = abortOrTimeout(signal, deadlineMs - Date.now())
        parts = threads.begin((number, post) => walkParts(number, post, { walk: sent, rests, threads: threads.count }))
      }

      async function nextOfOwn(walk: FileWalk): Promise<ListedEntries | undefined> {
        const listed = await walk.nextListed()
        const { truncated } = walk.summary
        if (truncated !== undefined) summary.truncated = truncated
        see(walk.summary, walk.incompleteIgnoreFiles)
        if (listed === undefined && parts !== undefined) goOn()
        return listed
      }

      function nextOfPart(taken: { found: PackedPart; at: number }): ListedEntries | undefined {
        const { found, at } = taken
        const listed = listingAt(found, at)
        see(countersAt(found, at), incompleteAt(found, at))
        taken.at += 1
        if (listed === undefined) goOn()
        return listed
      }

      function see(counters: Counters, incomplete: readonly string[]): void {
        addUp(summary, before.counters, counters)
        incompleteIgnoreFiles.length = before.incomplete
        incompleteIgnoreFiles.push(...incomplete)
      }

      /** Finishes the current walk or part. */
      function goOn(): void {
        before = { counters: { ...summary }, incomplete: incompleteIgnoreFiles.length }
        own = undefined
        part = undefined
      }

      /** Takes the next rest or part, unless time is up first. A part that exceeds `maxEntries` is walked again here, and so is a lost one. */
      async function take(from: WalkParts): Promise<'taken' | 'end'> {
        const rest = here.shift()
        if (rest !== undefined) {
          own = walks({ rest, maxEntries: maxEntries - summary.entries })
          return 'taken'
        }
        // Yields, so that messages of the threads arrive.
        await new Promise<void>((resume) => setImmediate(resume))
        const next = await Promise.race([from.next(), over?.promise])
        // Walked again, the part may have stayed below the limit; the parts after it were dropped all the same.
        if (next === undefined && isAtLimit) summary.truncated = 'entries'
        if (next === undefined) return 'end'
        if (next === 'over') return 'taken'
        const { found, rests } = next
        isAtLimit = typeof found === 'object' && summary.entries + countersAt(found).entries > maxEntries
        if (isAtLimit) from.stop()
        if (typeof found === 'object' && !isAtLimit) part = { found, at: 0 }
        else here.push(...rests)
        return 'taken'
      }

      return {
        nextListed,
        async next() {
          const listed = await nextListed()
          return listed && withPaths(listed)
        },
        summary,
        incompleteIgnoreFiles,
        close() {
          over?.cancel()
          if (parts !== undefined) threads.finish(parts)
        },
      }
    },
  }
}
