import type { Span } from '../spans.js'
import type { AppliedEdit, EditPlace } from './edit-types.js'

/** A range of the original text, and what has become of it in the current one. */
interface Mapped {
  oldStart: number
  oldEnd: number
  start: number
  end: number
}

/** The replaced ranges of the original text, for edits that were applied one after the other; `after` is the final text. */
export function changedSpans(edits: readonly AppliedEdit[], after: string): Span[] {
  return inOne(edits.map(({ places }) => joined([], places.map(mappedBy)))).map(({ oldStart, oldEnd, start, end }) => ({
    start: oldStart,
    end: oldEnd,
    text: after.slice(start, end),
  }))
}

function mappedBy({ before, after }: EditPlace): Mapped {
  return { oldStart: before.start, oldEnd: before.end, start: after.start, end: after.end }
}

/** Joins neighbours until one is left: joining one after the other would go through all earlier ranges for each edit. */
function inOne(changes: readonly Mapped[][]): Mapped[] {
  if (changes.length < 2) return changes[0] ?? []
  const half = changes.length >> 1
  return joined(inOne(changes.slice(0, half)), inOne(changes.slice(half)))
}

/** The ranges of changes and of the changes after them. Those that touch become one. */
function joined(earlier: readonly Mapped[], later: readonly Mapped[]): Mapped[] {
  const both: Mapped[] = []
  let [next, nextLater] = [0, 0]
  /** How far the text between them is ahead of the original, and the final text ahead of it. */
  let [ahead, shift] = [0, 0]
  while (next < earlier.length || nextLater < later.length) {
    const start = Math.min(earlier[next]?.start ?? Infinity, later[nextLater]?.oldStart ?? Infinity)
    const oldStart = start - ahead
    let end = start
    let grown = 0
    for (;;) {
      const [known, change] = [earlier[next], later[nextLater]]
      if (known !== undefined && known.start <= end) {
        end = Math.max(end, known.end)
        ahead = known.end - known.oldEnd
        next += 1
      } else if (change !== undefined && change.oldStart <= end) {
        end = Math.max(end, change.oldEnd)
        grown += change.end - change.start - (change.oldEnd - change.oldStart)
        nextLater += 1
      } else break
    }
    both.push({ oldStart, oldEnd: end - ahead, start: start + shift, end: end + shift + grown })
    shift += grown
  }
  return both
}
