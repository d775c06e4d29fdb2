import type { WalkSummary } from '../../src/fs/walk/walk.js'

/** The counts of a walk. */
export type Counters = Omit<WalkSummary, 'truncated'>

export function noCounters(): Counters {
  return { entries: 0, directories: 0, unreadable: 0, links: 0, tooDeep: 0, ignored: 0 }
}

/** Sets `sum` to the total of two successive walks. */
export function addUp(sum: Counters, before: Readonly<Counters>, then: Readonly<Counters>): void {
  sum.entries = before.entries + then.entries
  sum.directories = before.directories + then.directories
  sum.unreadable = before.unreadable + then.unreadable
  sum.links = before.links + then.links
  sum.tooDeep = before.tooDeep + then.tooDeep
  sum.ignored = before.ignored + then.ignored
}
