/** A queue of commits by date, newest first. */
import type { Commit } from '../objects/objects.js'

export interface DateQueue {
  push(commit: Commit): void
  shift(): Commit | undefined
  readonly pending: readonly Commit[]
}

/** Among equal dates, first in is first out. */
export function dateQueue(): DateQueue {
  const pending: Commit[] = []
  return {
    pending,
    shift: () => pending.shift(),
    push(commit) {
      const { timestamp } = commit.committer
      let [low, high] = [0, pending.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((pending[middle] as Commit).committer.timestamp < timestamp) high = middle
        else low = middle + 1
      }
      pending.splice(low, 0, commit)
    },
  }
}
