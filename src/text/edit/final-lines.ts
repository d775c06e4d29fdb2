import { lineTable } from '../lines/lines.js'
import type { AppliedEdit, EditPlace } from './edit-types.js'

/**
 * The lines at which the places of several edits begin in the final text, in order; with `first`, only so many of them. `AppliedEdit` has
 * those right after each edit.
 */
export function finalLines(edits: readonly AppliedEdit[], text: string, first = Infinity): number[] {
  let starts: number[] = []
  for (const { places } of edits) {
    if (places.length === 0) continue
    const moved = starts.length === 0 ? starts : shifted(starts, places)
    const added = places.slice(0, first).map(({ after }) => after.start)
    // No edit changes the order of those before it, so the first at the end are among the first now.
    starts = [...moved, ...added].sort((a, b) => a - b).slice(0, first)
  }
  const table = lineTable(text)
  return starts.map((start) => table.lineAt(start))
}

/** Sorted offsets, after the edit of these places. One inside a place is where the place now begins. */
function shifted(offsets: readonly number[], places: readonly EditPlace[]): number[] {
  let next = 0
  let shift = 0
  return offsets.map((offset) => {
    for (let place = places[next]; place !== undefined && isBefore(place, offset); place = places[next]) {
      shift += length(place.after) - length(place.before)
      next += 1
    }
    const inside = places[next]
    return inside !== undefined && inside.before.start < offset ? inside.after.start : offset + shift
  })
}

function isBefore({ before: { start, end } }: EditPlace, offset: number): boolean {
  return end <= offset && start <= offset
}

function length({ start, end }: { start: number; end: number }): number {
  return end - start
}
