/** Stats entries in a thread of the pool. */
import type { Stat } from '../../src/fs/types.js'
import { type Anchor, checkVirtual, type Directories } from '../disk/anchor.js'
import { statBeneath } from '../disk/host-stat.js'
import { packStats } from './stat-packing.js'
import { claim, type FileGroup, type FromWorker, stopAt, type ToWorker, unpackGroups } from './thread-messages.js'

export function statsIn(thread: {
  anchors: readonly Anchor[]
  inHand: Int32Array
  tell(message: FromWorker, transferred: ArrayBuffer[]): void
}) {
  const { anchors, inHand, tell } = thread
  /** By job and root. */
  const open = new Map<number, Map<number, Directories>>()

  function directoriesOf(job: number, root: number): Directories {
    const ofJob = open.get(job) ?? new Map<number, Directories>()
    const known = ofJob.get(root) ?? (anchors[root] as Anchor).directories()
    open.set(job, ofJob.set(root, known))
    return known
  }

  function statsOf(job: number, { root, directory, names }: FileGroup): (Stat | undefined)[] {
    const each = names.split('/')
    try {
      checkVirtual(directory)
      const host = directoriesOf(job, root).host(directory)
      return each.map((name) => statBeneath(host, name))
    } catch {
      // The main thread looks again, and reports the error.
      return each.map(() => undefined)
    }
  }

  return {
    read({ job, batch, groups, control }: Extract<ToWorker, { kind: 'stats' }>): void {
      if (Atomics.load(control, stopAt) === 1 || !claim(control, batch)) return
      Atomics.store(inHand, 1, batch)
      Atomics.store(inHand, 0, job)
      const stats = packStats([...unpackGroups(groups)].flatMap((group) => statsOf(job, group)))
      Atomics.store(inHand, 0, 0)
      tell({ kind: 'stated', job, batch, stats }, [stats.buffer])
    },
    end(job: number): void {
      for (const each of open.get(job)?.values() ?? []) each.close()
      open.delete(job)
    },
  }
}
