/** Offsets of which a change moves all after it: they are moved when a later change lies further on, and only up to there. */
import { lastAtMost, type Offsets } from '../lines/lines.js'

export interface MovingOffsets extends Offsets {
  /** Replaces those from `first` to `last`, and moves all after them. */
  replace(first: number, last: number, offsets: ArrayLike<number>, shift: number): void
}

export function movingOffsets(given: ArrayLike<number>): MovingOffsets {
  let list = new Int32Array(given)
  let count = list.length
  /** Stored without `shift` are those from here on. */
  let from = count
  let shift = 0

  function storeWithout(first: number): void {
    for (let at = from; at < first; at += 1) list[at] = list[at]! + shift
    for (let at = first; at < from; at += 1) list[at] = list[at]! - shift
    from = first
  }

  return {
    get count() {
      return count
    },
    at(index) {
      if (index < 0 || index >= count) return undefined
      return index < from ? list[index]! : list[index]! + shift
    },
    lastAtMost(offset) {
      const isMoved = from < count && list[from]! + shift <= offset
      return isMoved ? lastAtMost(list, offset - shift, from, count) : lastAtMost(list, offset, 0, from)
    },
    replace(first, last, offsets, by) {
      storeWithout(last + 1)
      const more = offsets.length - (last + 1 - first)
      if (count + more > list.length) list = longer(list, 2 * (count + more))
      if (more !== 0) list.copyWithin(last + 1 + more, last + 1, count)
      count += more
      list.set(offsets, first)
      from += more
      shift += by
    },
  }
}

function longer(list: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const made = new Int32Array(length)
  made.set(list)
  return made
}
