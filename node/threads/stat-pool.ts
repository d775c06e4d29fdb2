/** Stats many entries in threads, while the caller lists others. */
import type { ListedEntries } from '../../src/fs/walk/walk.js'
import { byDirectory, type ManyStats } from '../../src/search/run/watched-files.js'
import { type PlaceInRoot, rootFinder } from '../disk/find-root.js'
import { statAt } from './stat-packing.js'
import { claimSlots, createControl, isPlain, packGroups, stopAt, type ToWorker } from './thread-messages.js'
import type { Job, PoolThreads } from './thread-pool.js'

/** Entries in one batch at least. */
const batchEntries = 256

export interface StatPoolOptions {
  /** Where the roots of the threads are mounted. */
  points: readonly string[]
  threads: PoolThreads
  /** Fewer entries are left to the calling thread, which takes less time than handing them out. */
  fewEntries?: number
}

export function statPool({ points, threads, fewEntries = 500 }: StatPoolOptions): ManyStats {
  const place = rootFinder(points)
  return {
    begin() {
      /** Not handed out yet. */
      let waiting: ListedEntries[] = []
      let waitingEntries = 0
      let job: StatJob | undefined
      const handed: Promise<ListedEntries[]>[] = []

      function handOut(): void {
        if (!threads.usable) return
        // Threads that are not there yet are of use to the next caller.
        threads.start()
        if (!threads.ready) return
        job ??= threads.begin((number, post) => statJob(number, post, place))
        handed.push(job.read(waiting))
        waiting = []
        waitingEntries = 0
      }

      return {
        add(listed) {
          waiting.push(listed)
          waitingEntries += listed.entries.length
          if (waitingEntries >= (job === undefined ? fewEntries : batchEntries)) handOut()
        },
        async end() {
          if (job !== undefined && waiting.length > 0) handOut()
          const found = (await Promise.all(handed)).flat()
          const others = found.filter(({ stats }) => stats === undefined)
          return [...found.filter(({ stats }) => stats !== undefined), ...byDirectory([...others, ...waiting])]
        },
        close() {
          if (job !== undefined) threads.finish(job)
        },
      }
    },
  }
}

interface StatJob extends Job {
  /** Returns the same listings, with stats unless a directory can't be reached by threads. */
  read(listings: readonly ListedEntries[]): Promise<ListedEntries[]>
}

function statJob(
  number: number,
  post: (message: ToWorker) => void,
  place: (path: string) => PlaceInRoot | undefined,
): StatJob {
  const control = createControl()
  const open = new Map<number, { message: ToWorker; settle(stats: Float64Array | undefined): void }>()
  let lastBatch = -1

  function settle(batch: number, stats: Float64Array | undefined): void {
    open.get(batch)?.settle(stats)
    open.delete(batch)
  }

  function groupsOf(listings: readonly ListedEntries[]): string | undefined {
    const groups = []
    for (const { directory, entries } of listings) {
      const found = place(directory)
      const names = entries.map(({ name }) => name).join('/')
      if (found === undefined || !isPlain(directory) || !isPlain(names)) return undefined
      groups.push({ root: found.root, directory: found.inner, names, listed: true })
    }
    return packGroups(groups)
  }

  return {
    number,
    async read(listings) {
      const groups = groupsOf(listings)
      // A slot must not be claimed again before it is answered.
      if (groups === undefined || open.size >= claimSlots) return [...listings]
      lastBatch += 1
      const message: ToWorker = { kind: 'stats', job: number, batch: lastBatch, groups, control }
      const stats = await new Promise<Float64Array | undefined>((resolve) => {
        open.set(message.batch, { message, settle: resolve })
        post(message)
      })
      if (stats === undefined) return [...listings]
      let at = 0
      return listings.map((listed) => ({ ...listed, stats: listed.entries.map(() => statAt(stats, at++)) }))
    },
    answered(answer) {
      if (answer.kind === 'stated') settle(answer.batch, answer.stats)
    },
    threadLost(batch) {
      if (batch !== undefined) settle(batch, undefined)
    },
    abandoned() {
      for (const batch of [...open.keys()]) settle(batch, undefined)
    },
    unanswered: () => [...open.values()].map(({ message }) => message),
    stop() {
      Atomics.store(control, stopAt, 1)
    },
  }
}
