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
  let mapped: Mapped[] = []
  for (const { places } of edits) mapped = mergePlaces(mapped, places)
  return mapped.map(({ oldStart, oldEnd, start, end }) => ({
    start: oldStart,
    end: oldEnd,
    text: after.slice(start, end),
  }))
}

/** Changes that touch earlier ones become one range with them. */
function mergePlaces(mapped: readonly Mapped[], places: readonly EditPlace[]): Mapped[] {
  const merged: Mapped[] = []
  let [next, nextPlace] = [0, 0]
  /** How far the current text is ahead of the original, and the edited text ahead of the current. */
  let [ahead, shift] = [0, 0]
  while (next < mapped.length || nextPlace < places.length) {
    const start = Math.min(mapped[next]?.start ?? Infinity, places[nextPlace]?.before.start ?? Infinity)
    const oldStart = start - ahead
    let end = start
    let grown = 0
    for (;;) {
      const [known, place] = [mapped[next], places[nextPlace]]
      if (known !== undefined && known.start <= end) {
        end = Math.max(end, known.end)
        ahead = known.end - known.oldEnd
        next += 1
      } else if (place !== undefined && place.before.start <= end) {
        end = Math.max(end, place.before.end)
        grown += place.after.end - place.after.start - (place.before.end - place.before.start)
        nextPlace += 1
      } else break
    }
    merged.push({ oldStart, oldEnd: end - ahead, start: start + shift, end: end + shift + grown })
    shift += grown
  }
  return merged
}
