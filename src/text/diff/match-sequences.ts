/** Longest common subsequence of two lists of strings: Myers' greedy search over small integers, bounded in time. */

/** Which items of either list are matched; the n-th matched item of one list corresponds to the n-th of the other. */
export interface Matching {
  oldMatched: Uint8Array
  newMatched: Uint8Array
}

/**
 * Matches equal items in order: as many as possible if the lists differ in up to `editLimit` items that occur in both. Beyond that the search
 * commits to the best result so far and continues from there, so that the work stays linear in the length.
 */
export function matchSequences(oldItems: readonly string[], newItems: readonly string[]): Matching {
  const shared = numberSharedItems(oldItems, newItems)
  const oldMatched = new Uint8Array(oldItems.length)
  const newMatched = new Uint8Array(newItems.length)
  const match = (x: number, y: number) => {
    oldMatched[shared.oldAt[x] as number] = 1
    newMatched[shared.newAt[y] as number] = 1
  }
  const n = shared.oldIds.length
  const m = shared.newIds.length
  const limit = editLimit(n + m)
  const rows = new Rows()
  for (let x = 0, y = 0; x < n || y < m; ) {
    const oldRest = shared.oldIds.subarray(x)
    const newRest = shared.newIds.subarray(y)
    const end = search(oldRest, newRest, limit, rows)
    const [x0, y0] = [x, y]
    walkBack(end, oldRest.length, newRest.length, rows, (dx, dy) => match(x0 + dx, y0 + dy))
    x += end.x
    y += end.x - end.diagonal
  }
  return { oldMatched, newMatched }
}

/** Limits `items × limit`, which bounds the work, to about 4 million steps: tens of milliseconds. */
function editLimit(items: number): number {
  return Math.max(64, Math.min(1024, Math.floor(4_000_000 / (items + 1))))
}

/**
 * Equal items get equal numbers. Items that the other list does not have can't be matched and are left out, which makes most rewrites cheap.
 * `oldAt` and `newAt` are the original positions of the rest.
 */
function numberSharedItems(oldItems: readonly string[], newItems: readonly string[]) {
  const idOf = new Map<string, number>()
  const oldAll = new Int32Array(oldItems.length)
  for (let at = 0; at < oldItems.length; at += 1) {
    const item = oldItems[at] as string
    let id = idOf.get(item)
    if (id === undefined) {
      id = idOf.size
      idOf.set(item, id)
    }
    oldAll[at] = id
  }
  const inNew = new Uint8Array(idOf.size)
  const newIds = new Int32Array(newItems.length)
  const newAt = new Int32Array(newItems.length)
  let newCount = 0
  for (let at = 0; at < newItems.length; at += 1) {
    const id = idOf.get(newItems[at] as string)
    if (id === undefined) continue
    inNew[id] = 1
    newIds[newCount] = id
    newAt[newCount] = at
    newCount += 1
  }
  const oldIds = new Int32Array(oldItems.length)
  const oldAt = new Int32Array(oldItems.length)
  let oldCount = 0
  for (let at = 0; at < oldItems.length; at += 1) {
    const id = oldAll[at] as number
    if (!inNew[id]) continue
    oldIds[oldCount] = id
    oldAt[oldCount] = at
    oldCount += 1
  }
  return { oldIds: oldIds.subarray(0, oldCount), oldAt, newIds: newIds.subarray(0, newCount), newAt }
}

/**
 * For every number of edits, the furthest point reached on each diagonal (old index − new index) as its old index.
 * A row holds every second diagonal from `from` to `to`.
 */
class Rows {
  #points = new Int32Array(1024)
  #used = 0
  #starts: number[] = []
  #from: number[] = []
  #to: number[] = []

  clear(): void {
    this.#used = 0
    this.#starts.length = 0
    this.#from.length = 0
    this.#to.length = 0
  }

  get count(): number {
    return this.#starts.length
  }

  /** Adds a row and returns the index of its first point. */
  begin(from: number, to: number): number {
    const start = this.#used
    this.#used += to < from ? 0 : ((to - from) >> 1) + 1
    if (this.#used > this.#points.length) {
      const larger = new Int32Array(Math.max(this.#used, this.#points.length * 2))
      larger.set(this.#points)
      this.#points = larger
    }
    this.#starts.push(start)
    this.#from.push(from)
    this.#to.push(to)
    return start
  }

  set(place: number, point: number): void {
    this.#points[place] = point
  }

  /** The point on a diagonal after `edits` edits, or −1. */
  get(edits: number, diagonal: number): number {
    const from = this.#from[edits] as number
    if (diagonal < from || diagonal > (this.#to[edits] as number)) return -1
    return this.#points[(this.#starts[edits] as number) + ((diagonal - from) >> 1)] as number
  }

  /** The diagonal with the furthest point after `edits` edits. */
  furthest(edits: number): number {
    let best = -1
    let bestDiagonal = 0
    for (let diagonal = this.#from[edits] as number; diagonal <= (this.#to[edits] as number); diagonal += 2) {
      const point = this.get(edits, diagonal)
      if (point >= 0 && 2 * point - diagonal > best) {
        best = 2 * point - diagonal
        bestDiagonal = diagonal
      }
    }
    return bestDiagonal
  }
}

interface Reached {
  edits: number
  diagonal: number
  x: number
}

/** To the end of both lists or, past `limit` edits, to the furthest point. */
function search(a: Int32Array, b: Int32Array, limit: number, rows: Rows): Reached {
  const n = a.length
  const m = b.length
  let lowest = Number.NEGATIVE_INFINITY
  let highest = Number.POSITIVE_INFINITY
  rows.clear()
  for (let edits = 0; edits <= limit; edits += 1) {
    let from = Math.max(lowest, -edits)
    if ((from + edits) & 1) from += 1
    let to = Math.min(highest, edits)
    if ((to + edits) & 1) to -= 1
    let place = rows.begin(from, to)
    for (let diagonal = from; diagonal <= to; diagonal += 2) {
      const side = edits === 0 ? 0 : cameFrom(rows, edits, diagonal, n, m)
      let x = edits === 0 ? 0 : side === 0 ? -1 : rows.get(edits - 1, diagonal + side) + (side < 0 ? 1 : 0)
      if (x >= 0) {
        let y = x - diagonal
        while (x < n && y < m && a[x] === b[y]) {
          x += 1
          y += 1
        }
        if (x >= n && y >= m) {
          rows.set(place, x)
          return { edits, diagonal, x }
        }
        // Diagonals beyond an edge of the grid can't improve the result.
        if (x >= n) highest = Math.min(highest, diagonal - 1)
        if (y >= m) lowest = Math.max(lowest, diagonal + 1)
      }
      rows.set(place, x)
      place += 1
    }
  }
  const diagonal = rows.furthest(rows.count - 1)
  return { edits: rows.count - 1, diagonal, x: rows.get(rows.count - 1, diagonal) }
}

/** The neighbour from which edit number `edits` comes: 1 by an addition, −1 by a removal, whichever is further; 0 for neither. */
function cameFrom(rows: Rows, edits: number, diagonal: number, n: number, m: number): -1 | 0 | 1 {
  const beforeRemoval = rows.get(edits - 1, diagonal - 1)
  const beforeAddition = rows.get(edits - 1, diagonal + 1)
  const canRemove = beforeRemoval >= 0 && beforeRemoval < n
  const canAdd = beforeAddition >= 0 && beforeAddition - diagonal <= m
  if (canAdd && (!canRemove || beforeRemoval < beforeAddition)) return 1
  return canRemove ? -1 : 0
}

/** Follows the path from `end` back to the start and reports the matches on it. */
function walkBack(end: Reached, n: number, m: number, rows: Rows, match: (x: number, y: number) => void): void {
  let { diagonal, x } = end
  for (let edits = end.edits; edits >= 0; edits -= 1) {
    const side = edits === 0 ? 0 : cameFrom(rows, edits, diagonal, n, m)
    const before = edits === 0 ? 0 : rows.get(edits - 1, diagonal + side)
    const start = side < 0 ? before + 1 : before
    while (x > start) {
      x -= 1
      match(x, x - diagonal)
    }
    diagonal += side
    x = before
  }
}
