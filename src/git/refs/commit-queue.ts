/** Going through commits by their dates, newest first. */
import type { Commit } from '../objects/objects.js'

export interface DateQueue {
  push(commit: Commit): void
  shift(): Commit | undefined
  readonly waiting: readonly Commit[]
}

/** Of equal dates the first that came is first. */
export function dateQueue(): DateQueue {
  const waiting: Commit[] = []
  return {
    waiting,
    shift: () => waiting.shift(),
    push(commit) {
      const { timestamp } = commit.committer
      let [low, high] = [0, waiting.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((waiting[middle] as Commit).committer.timestamp < timestamp) high = middle
        else low = middle + 1
      }
      waiting.splice(low, 0, commit)
    },
  }
}
