/**
 * The difference of two lists of lines as git finds it: Myers' algorithm from both ends, with git's shortcuts for large
 * inputs, so that the same lines are reported as changed.
 */
import type { LineChange } from './diff-lines.js'
import { slideChanges } from './slide-changes.js'

export interface LineDiffOptions {
  /** Lines with the same key are equal. Default: the line itself. */
  keyOf?: (line: string) => string
  /** Move changes to where they read best; merges do not. Default: true. */
  indentHeuristic?: boolean
  /** Search for the smallest difference, however long it takes. */
  minimal?: boolean
}

export function changedLines(
  oldLines: readonly string[],
  newLines: readonly string[],
  { keyOf = (line) => line, indentHeuristic = true, minimal = false }: LineDiffOptions = {},
): LineChange[] {
  const classes = new Map<string, number>()
  const number = (line: string) => {
    const key = keyOf(line)
    const known = classes.get(key)
    if (known !== undefined) return known
    classes.set(key, classes.size)
    return classes.size - 1
  }
  const a = Int32Array.from(oldLines, number)
  const b = Int32Array.from(newLines, number)
  const [changedA, changedB] = [new Uint8Array(a.length + 1), new Uint8Array(b.length + 1)]
  markChanges(a, b, changedA, changedB, classes.size, minimal)
  slideChanges(
    { ids: a, changed: changedA, lines: oldLines },
    { ids: b, changed: changedB, lines: newLines },
    indentHeuristic,
  )
  slideChanges(
    { ids: b, changed: changedB, lines: newLines },
    { ids: a, changed: changedA, lines: oldLines },
    indentHeuristic,
  )
  return collected(changedA, changedB, a.length, b.length)
}

function collected(changedA: Uint8Array, changedB: Uint8Array, n: number, m: number): LineChange[] {
  const changes: LineChange[] = []
  let [x, y] = [0, 0]
  while (x < n || y < m) {
    const [oldStart, newStart] = [x, y]
    while (x < n && changedA[x]) x += 1
    while (y < m && changedB[y]) y += 1
    if (x > oldStart || y > newStart) changes.push({ oldStart, oldEnd: x, newStart, newEnd: y })
    else {
      x += 1
      y += 1
    }
  }
  return changes
}

/** What is left of one side after lines without a counterpart were set aside. */
interface Side {
  ids: Int32Array
  /** Positions in the file. */
  at: Int32Array
  changed: Uint8Array
}

function markChanges(
  a: Int32Array,
  b: Int32Array,
  changedA: Uint8Array,
  changedB: Uint8Array,
  classes: number,
  minimal: boolean,
) {
  let start = 0
  const least = Math.min(a.length, b.length)
  while (start < least && a[start] === b[start]) start += 1
  let tail = 0
  while (tail < least - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1
  const one = reduced(a, counts(b, classes), start, a.length - tail, changedA, minimal)
  const other = reduced(b, counts(a, classes), start, b.length - tail, changedB, minimal)
  const diagonals = one.ids.length + other.ids.length + 3
  const search = new Search(one, other, Math.max(256, rootOf(diagonals)))
  search.compare(0, one.ids.length, 0, other.ids.length, minimal)
}

function counts(ids: Int32Array, classes: number): Int32Array {
  const found = new Int32Array(classes)
  for (const id of ids) found[id] = (found[id] as number) + 1
  return found
}

/** A cheap square root, at least as large. */
function rootOf(count: number): number {
  let root = 1
  for (let left = count; left > 0; left >>= 2) root <<= 1
  return root
}

const maxFrequent = 1024

/** Marks lines that the other side does not have as changed, and frequent ones among such lines. */
function reduced(
  ids: Int32Array,
  others: Int32Array,
  start: number,
  end: number,
  changed: Uint8Array,
  minimal: boolean,
): Side {
  const frequent = Math.min(rootOf(ids.length), maxFrequent)
  const kinds = new Uint8Array(ids.length + 1)
  for (let i = start; i < end; i += 1) {
    const count = others[ids[i] as number] as number
    kinds[i] = count === 0 ? 0 : count >= frequent && !minimal ? 2 : 1
  }
  const kept: number[] = []
  for (let i = start; i < end; i += 1) {
    if (kinds[i] === 1 || (kinds[i] === 2 && !isSurrounded(kinds, i, start, end - 1))) kept.push(i)
    else changed[i] = 1
  }
  return { ids: Int32Array.from(kept, (i) => ids[i] as number), at: Int32Array.from(kept), changed }
}

const window = 100

/** True for a frequent line in the middle of lines that have no counterpart. */
function isSurrounded(kinds: Uint8Array, i: number, first: number, last: number): boolean {
  const start = Math.max(first, i - window)
  const end = Math.min(last, i + window)
  let [without, frequent] = [0, 1]
  for (let at = i - 1; at >= start && kinds[at] !== 1; at -= 1) {
    if (kinds[at] === 0) without += 1
    else frequent += 1
  }
  if (without === 0) return false
  const above = without
  frequent += 1
  for (let at = i + 1; at <= end && kinds[at] !== 1; at += 1) {
    if (kinds[at] === 0) without += 1
    else frequent += 1
  }
  if (without === above) return false
  return frequent * 4 < frequent + without
}

const snakeLength = 20
const heuristicCost = 256
const heuristicFactor = 4
const far = 0x7fffffff

interface Split {
  x: number
  y: number
  minimalBefore: boolean
  minimalAfter: boolean
}

class Search {
  readonly #one: Side
  readonly #other: Side
  readonly #maxCost: number
  /** Furthest points by diagonal, shifted so that indexes are positive. */
  readonly #forward: Int32Array
  readonly #backward: Int32Array
  readonly #shift: number

  constructor(one: Side, other: Side, maxCost: number) {
    this.#one = one
    this.#other = other
    this.#maxCost = maxCost
    const size = one.ids.length + other.ids.length + 5
    this.#forward = new Int32Array(size)
    this.#backward = new Int32Array(size)
    this.#shift = other.ids.length + 2
  }

  compare(fromX: number, toX: number, fromY: number, toY: number, minimal: boolean): void {
    const [a, b] = [this.#one.ids, this.#other.ids]
    let [x0, x1, y0, y1] = [fromX, toX, fromY, toY]
    while (x0 < x1 && y0 < y1 && a[x0] === b[y0]) {
      x0 += 1
      y0 += 1
    }
    while (x0 < x1 && y0 < y1 && a[x1 - 1] === b[y1 - 1]) {
      x1 -= 1
      y1 -= 1
    }
    if (x0 === x1) for (; y0 < y1; y0 += 1) this.#other.changed[this.#other.at[y0] as number] = 1
    else if (y0 === y1) for (; x0 < x1; x0 += 1) this.#one.changed[this.#one.at[x0] as number] = 1
    else {
      const split = this.#split(x0, x1, y0, y1, minimal)
      this.compare(x0, split.x, y0, split.y, split.minimalBefore)
      this.compare(split.x, x1, split.y, y1, split.minimalAfter)
    }
  }

  /** A point on a good path from one corner to the other, found from both ends. */
  #split(x0: number, x1: number, y0: number, y1: number, minimal: boolean): Split {
    const [a, b, forward, backward, shift] = [
      this.#one.ids,
      this.#other.ids,
      this.#forward,
      this.#backward,
      this.#shift,
    ]
    const [lowest, highest] = [x0 - y1, x1 - y0]
    const [first, last] = [x0 - y0, x1 - y1]
    const isOdd = ((first - last) & 1) !== 0
    let [fMin, fMax, bMin, bMax] = [first, first, last, last]
    forward[first + shift] = x0
    backward[last + shift] = x1
    for (let cost = 1; ; cost += 1) {
      let hasSnake = false
      if (fMin > lowest) forward[(fMin -= 1) - 1 + shift] = -1
      else fMin += 1
      if (fMax < highest) forward[(fMax += 1) + 1 + shift] = -1
      else fMax -= 1
      for (let d = fMax; d >= fMin; d -= 2) {
        const [left, right] = [forward[d - 1 + shift] as number, forward[d + 1 + shift] as number]
        let x = left >= right ? left + 1 : right
        const before = x
        let y = x - d
        while (x < x1 && y < y1 && a[x] === b[y]) {
          x += 1
          y += 1
        }
        if (x - before > snakeLength) hasSnake = true
        forward[d + shift] = x
        if (isOdd && bMin <= d && d <= bMax && (backward[d + shift] as number) <= x) {
          return { x, y, minimalBefore: true, minimalAfter: true }
        }
      }
      if (bMin > lowest) backward[(bMin -= 1) - 1 + shift] = far
      else bMin += 1
      if (bMax < highest) backward[(bMax += 1) + 1 + shift] = far
      else bMax -= 1
      for (let d = bMax; d >= bMin; d -= 2) {
        const [left, right] = [backward[d - 1 + shift] as number, backward[d + 1 + shift] as number]
        let x = left < right ? left : right - 1
        const before = x
        let y = x - d
        while (x > x0 && y > y0 && a[x - 1] === b[y - 1]) {
          x -= 1
          y -= 1
        }
        if (before - x > snakeLength) hasSnake = true
        backward[d + shift] = x
        if (!isOdd && fMin <= d && d <= fMax && x <= (forward[d + shift] as number)) {
          return { x, y, minimalBefore: true, minimalAfter: true }
        }
      }
      if (minimal) continue
      if (hasSnake && cost > heuristicCost) {
        const found = this.#promising({ x0, x1, y0, y1, fMin, fMax, bMin, bMax, first, last, cost })
        if (found !== undefined) return found
      }
      if (cost >= this.#maxCost) return this.#furthest({ x0, x1, y0, y1, fMin, fMax, bMin, bMax })
    }
  }

  /** After many edits: a point far along that follows a long run of equal lines. */
  #promising(box: Box & { first: number; last: number; cost: number }): Split | undefined {
    const { x0, x1, y0, y1, fMin, fMax, bMin, bMax, first, last, cost } = box
    const [a, b] = [this.#one.ids, this.#other.ids]
    let best = 0
    let split: Split | undefined
    for (let d = fMax; d >= fMin; d -= 2) {
      const x = this.#forward[d + this.#shift] as number
      const y = x - d
      const value = x - x0 + (y - y0) - Math.abs(d - first)
      if (value <= heuristicFactor * cost || value <= best) continue
      if (x0 + snakeLength > x || x >= x1 || y0 + snakeLength > y || y >= y1) continue
      let run = 1
      while (run < snakeLength && a[x - run] === b[y - run]) run += 1
      if (run < snakeLength || a[x - run] !== b[y - run]) continue
      best = value
      split = { x, y, minimalBefore: true, minimalAfter: false }
    }
    if (split !== undefined) return split
    for (let d = bMax; d >= bMin; d -= 2) {
      const x = this.#backward[d + this.#shift] as number
      const y = x - d
      const value = x1 - x + (y1 - y) - Math.abs(d - last)
      if (value <= heuristicFactor * cost || value <= best) continue
      if (x0 >= x || x > x1 - snakeLength || y0 >= y || y > y1 - snakeLength) continue
      let run = 0
      while (run < snakeLength && a[x + run] === b[y + run]) run += 1
      if (run < snakeLength) continue
      best = value
      split = { x, y, minimalBefore: false, minimalAfter: true }
    }
    return split
  }

  /** When the search has cost too much: the point that is furthest from its corner. */
  #furthest({ x0, x1, y0, y1, fMin, fMax, bMin, bMax }: Box): Split {
    let [forwardSum, forwardX] = [-1, -1]
    for (let d = fMax; d >= fMin; d -= 2) {
      let x = Math.min(this.#forward[d + this.#shift] as number, x1)
      let y = x - d
      if (y1 < y) [x, y] = [y1 + d, y1]
      if (forwardSum < x + y) [forwardSum, forwardX] = [x + y, x]
    }
    let [backwardSum, backwardX] = [far, far]
    for (let d = bMax; d >= bMin; d -= 2) {
      let x = Math.max(x0, this.#backward[d + this.#shift] as number)
      let y = x - d
      if (y < y0) [x, y] = [y0 + d, y0]
      if (x + y < backwardSum) [backwardSum, backwardX] = [x + y, x]
    }
    return x1 + y1 - backwardSum < forwardSum - (x0 + y0)
      ? { x: forwardX, y: forwardSum - forwardX, minimalBefore: true, minimalAfter: false }
      : { x: backwardX, y: backwardSum - backwardX, minimalBefore: false, minimalAfter: true }
  }
}

interface Box {
  x0: number
  x1: number
  y0: number
  y1: number
  fMin: number
  fMax: number
  bMin: number
  bMax: number
}
