/**
 * Which items of two lists are not matched, by Myers' linear-space search from both ends. Among equally short results it
 * finds the one that GNU diff prints.
 */

/** Beyond this many steps the best partition so far is taken. */
const minCostLimit = 4096
const unreached = -1
const unreachedBack = 0x7fffffff

export interface Unmatched {
  old: Uint8Array
  fresh: Uint8Array
}

export function unmatchedItems(oldItems: readonly string[], newItems: readonly string[]): Unmatched {
  const result = { old: new Uint8Array(oldItems.length), fresh: new Uint8Array(newItems.length) }
  const numbers = new Map<string, number>()
  const numberOf = (item: string) => {
    const known = numbers.get(item)
    if (known !== undefined) return known
    numbers.set(item, numbers.size)
    return numbers.size - 1
  }
  const oldNumbers = oldItems.map(numberOf)
  const newNumbers = newItems.map(numberOf)
  // Items that the other list lacks are changes in any case: without them the search is short.
  const old = shared(oldNumbers, new Set(newNumbers), result.old)
  const fresh = shared(newNumbers, new Set(oldNumbers), result.fresh)
  new Search(old, fresh, result).compare(0, old.items.length, 0, fresh.items.length)
  return result
}

interface Shared {
  items: Int32Array
  /** The position of each in the whole list. */
  places: Int32Array
}

function shared(numbers: readonly number[], others: ReadonlySet<number>, changed: Uint8Array): Shared {
  const places: number[] = []
  for (const [index, number] of numbers.entries()) {
    if (others.has(number)) places.push(index)
    else changed[index] = 1
  }
  return { places: Int32Array.from(places), items: Int32Array.from(places, (place) => numbers[place] as number) }
}

class Search {
  private readonly forward: Int32Array
  private readonly backward: Int32Array
  /** Diagonals are counted from here. */
  private readonly origin: number
  private readonly costLimit: number

  constructor(
    private readonly old: Shared,
    private readonly fresh: Shared,
    private readonly changed: Unmatched,
  ) {
    const diagonals = old.items.length + fresh.items.length + 3
    this.forward = new Int32Array(diagonals)
    this.backward = new Int32Array(diagonals)
    this.origin = fresh.items.length + 1
    this.costLimit = Math.max(minCostLimit, 2 ** Math.ceil(Math.log2(diagonals) / 2))
  }

  compare(oldStart: number, oldEnd: number, newStart: number, newEnd: number): void {
    const { items: x } = this.old
    const { items: y } = this.fresh
    let [xStart, xEnd, yStart, yEnd] = [oldStart, oldEnd, newStart, newEnd]
    while (xStart < xEnd && yStart < yEnd && x[xStart] === y[yStart]) {
      xStart += 1
      yStart += 1
    }
    while (xStart < xEnd && yStart < yEnd && x[xEnd - 1] === y[yEnd - 1]) {
      xEnd -= 1
      yEnd -= 1
    }
    if (xStart === xEnd) {
      for (let at = yStart; at < yEnd; at += 1) this.changed.fresh[this.fresh.places[at] as number] = 1
      return
    }
    if (yStart === yEnd) {
      for (let at = xStart; at < xEnd; at += 1) this.changed.old[this.old.places[at] as number] = 1
      return
    }
    const [xMiddle, yMiddle] = this.middle(xStart, xEnd, yStart, yEnd)
    this.compare(xStart, xMiddle, yStart, yMiddle)
    this.compare(xMiddle, xEnd, yMiddle, yEnd)
  }

  /** A point on a shortest path, where the searches from both ends meet. */
  private middle(xStart: number, xEnd: number, yStart: number, yEnd: number): [number, number] {
    const { forward, backward, origin } = this
    const { items: x } = this.old
    const { items: y } = this.fresh
    const lowest = xStart - yEnd
    const highest = xEnd - yStart
    const startDiagonal = xStart - yStart
    const endDiagonal = xEnd - yEnd
    const isOdd = ((startDiagonal - endDiagonal) & 1) !== 0
    let [forwardLow, forwardHigh] = [startDiagonal, startDiagonal]
    let [backwardLow, backwardHigh] = [endDiagonal, endDiagonal]
    const at = (list: Int32Array, diagonal: number) => list[origin + diagonal] as number
    forward[origin + startDiagonal] = xStart
    backward[origin + endDiagonal] = xEnd
    for (let cost = 1; ; cost += 1) {
      if (forwardLow > lowest) {
        forwardLow -= 1
        forward[origin + forwardLow - 1] = unreached
      } else forwardLow += 1
      if (forwardHigh < highest) {
        forwardHigh += 1
        forward[origin + forwardHigh + 1] = unreached
      } else forwardHigh -= 1
      for (let diagonal = forwardHigh; diagonal >= forwardLow; diagonal -= 2) {
        const [below, above] = [at(forward, diagonal - 1), at(forward, diagonal + 1)]
        let place = below < above ? above : below + 1
        while (place < xEnd && place - diagonal < yEnd && x[place] === y[place - diagonal]) place += 1
        forward[origin + diagonal] = place
        const meets = isOdd && backwardLow <= diagonal && diagonal <= backwardHigh
        if (meets && at(backward, diagonal) <= place) return [place, place - diagonal]
      }
      if (backwardLow > lowest) {
        backwardLow -= 1
        backward[origin + backwardLow - 1] = unreachedBack
      } else backwardLow += 1
      if (backwardHigh < highest) {
        backwardHigh += 1
        backward[origin + backwardHigh + 1] = unreachedBack
      } else backwardHigh -= 1
      for (let diagonal = backwardHigh; diagonal >= backwardLow; diagonal -= 2) {
        const [below, above] = [at(backward, diagonal - 1), at(backward, diagonal + 1)]
        let place = below < above ? below : above - 1
        while (xStart < place && yStart < place - diagonal && x[place - 1] === y[place - diagonal - 1]) place -= 1
        backward[origin + diagonal] = place
        const meets = !isOdd && forwardLow <= diagonal && diagonal <= forwardHigh
        if (meets && place <= at(forward, diagonal)) return [place, place - diagonal]
      }
      if (cost >= this.costLimit) {
        let best: [number, number] = [xStart, yStart]
        for (let diagonal = forwardHigh; diagonal >= forwardLow; diagonal -= 2) {
          const place = Math.min(at(forward, diagonal), xEnd)
          const other = Math.min(place - diagonal, yEnd)
          if (other + place > best[0] + best[1]) best = [place, other]
        }
        return best
      }
    }
  }
}
