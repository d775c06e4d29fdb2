/** Walks in a thread of the pool: it lists the parts it claims, and leaves to others what would take long. */
import type { Rest } from '../../src/fs/walk/walk.js'
import { compileGlobs, type Glob } from '../../src/search/patterns/glob.js'
import { fileWalks } from '../../src/search/run/walk-files.js'
import type { Anchor } from '../disk/anchor.js'
import { anchoredTree } from '../disk/sync-reads.js'
import { gateOver } from './thread-gate.js'
import { claim, type FromWorker, idleAt, type SentWalk, stopAt, type ToWorker } from './thread-messages.js'
import { addUp, noCounters } from './walk-counters.js'
import { type PackedPart, partPacker, unpackRest } from './walk-packing.js'

interface WalkJob {
  walks: ReturnType<typeof fileWalks>
  control: Int32Array
}

type Message<Kind> = Extract<ToWorker, { kind: Kind }>

/** Directories listed for one part: at most, so that results arrive soon; at least, before the rest is left to an idle thread. */
const mostDirectories = 512
const leastDirectories = 32

export function walksIn(thread: { anchors: readonly Anchor[]; inHand: Int32Array; tell(message: FromWorker): void }) {
  const { anchors, inHand, tell } = thread
  const jobs = new Map<number, WalkJob>()
  /** Runs walks one after the other, although messages arrive while one reads through a link. */
  let last = Promise.resolve()

  async function walk({ job, batch, rests }: Message<'rests'>): Promise<void> {
    const known = jobs.get(job)
    if (known === undefined || isStopped(known) || !claim(known.control, batch)) return
    Atomics.store(inHand, 1, batch)
    Atomics.store(inHand, 0, job)
    const listed = await partOf(known, rests.map(unpackRest))
    Atomics.store(inHand, 0, 0)
    if (!isStopped(known)) tell({ kind: 'listed', job, batch, listed })
  }

  return {
    begin({ job, walk: sent, control }: Message<'walk'>): void {
      const { root, points, directory, options } = sent
      const tree = anchoredTree(anchors[root] as Anchor, points[root] as string, () => gateOver(anchors, sent))
      jobs.set(job, { walks: fileWalks(tree, directory, { ...options, ...globsOf(sent), pauses: false }), control })
    },
    walk(message: Message<'rests'>): void {
      last = last.then(() => walk(message))
    },
    end(job: number): void {
      jobs.delete(job)
    },
  }
}

/** Walks the rests in order until the part is large enough. */
async function partOf(job: WalkJob, rests: Rest[]): Promise<PackedPart> {
  const packer = partPacker()
  const total = noCounters()
  const isEnough = () => {
    if (total.directories < leastDirectories) return isStopped(job)
    return total.directories >= mostDirectories || isStopped(job) || Atomics.load(job.control, idleAt) === 1
  }
  for (let rest = rests.shift(); rest !== undefined; rest = rests.shift()) {
    const walk = job.walks({ rest })
    const before = { ...total }
    let incomplete = 0
    let isEnd = false
    const count = () => {
      addUp(total, before, walk.summary)
      if (walk.incompleteIgnoreFiles.length === incomplete) return
      packer.addIncomplete(walk.incompleteIgnoreFiles.slice(incomplete))
      incomplete = walk.incompleteIgnoreFiles.length
    }
    // Evaluated once for each listing: the result may change back when the idle thread gets other work.
    while (!isEnd) {
      const listed = await walk.nextListed()
      if (listed === undefined) break
      count()
      packer.add(listed, total)
      isEnd = isEnough()
    }
    const left = await walk.leave()
    count()
    if (isEnd) return packer.take(total, [...left, ...rests])
  }
  return packer.take(total, [])
}

function globsOf({ include, exclude }: SentWalk): { include?: Glob; exclude?: Glob } {
  return {
    ...(include && { include: compileGlobs(include.patterns, include.rules) }),
    ...(exclude && { exclude: compileGlobs(exclude.patterns, exclude.rules) }),
  }
}

function isStopped({ control }: WalkJob): boolean {
  return Atomics.load(control, stopAt) === 1
}
