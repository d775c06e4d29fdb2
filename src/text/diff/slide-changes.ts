/**
 * A group of changed lines can often be moved up or down without changing what the difference means. Git aligns groups of
 * the two sides, and otherwise moves a group to where indentation and blank lines suggest that a block begins.
 */

export interface ChangedSide {
  ids: Int32Array
  /** One longer than `ids`. */
  changed: Uint8Array
  lines: readonly string[]
}

/** Changed lines `[start, end)`; empty between two unchanged lines. */
class Group {
  start = 0
  end = 0
  readonly #ids: Int32Array
  readonly #changed: Uint8Array

  constructor({ ids, changed }: ChangedSide) {
    this.#ids = ids
    this.#changed = changed
    while (changed[this.end]) this.end += 1
  }

  get isEmpty(): boolean {
    return this.start === this.end
  }

  next(): boolean {
    if (this.end === this.#ids.length) return false
    this.start = this.end + 1
    this.end = this.start
    while (this.#changed[this.end]) this.end += 1
    return true
  }

  previous(): boolean {
    if (this.start === 0) return false
    this.end = this.start - 1
    this.start = this.end
    while (this.start > 0 && this.#changed[this.start - 1]) this.start -= 1
    return true
  }

  slideDown(): boolean {
    if (this.end >= this.#ids.length || this.#ids[this.start] !== this.#ids[this.end]) return false
    this.#changed[this.start] = 0
    this.#changed[this.end] = 1
    this.start += 1
    this.end += 1
    while (this.#changed[this.end]) this.end += 1
    return true
  }

  slideUp(): boolean {
    if (this.start <= 0 || this.#ids[this.start - 1] !== this.#ids[this.end - 1]) return false
    this.start -= 1
    this.end -= 1
    this.#changed[this.start] = 1
    this.#changed[this.end] = 0
    while (this.start > 0 && this.#changed[this.start - 1]) this.start -= 1
    return true
  }
}

const maxSliding = 100

export function slideChanges(side: ChangedSide, opposite: ChangedSide, indentHeuristic: boolean): void {
  const group = new Group(side)
  const other = new Group(opposite)
  do {
    if (!group.isEmpty) place(side, group, other, indentHeuristic)
  } while (group.next() && (other.next() || true))
}

function place(side: ChangedSide, group: Group, other: Group, indentHeuristic: boolean): void {
  let size: number
  let earliest: number
  let aligned: number
  do {
    size = group.end - group.start
    aligned = -1
    while (group.slideUp()) other.previous()
    earliest = group.end
    if (!other.isEmpty) aligned = group.end
    while (group.slideDown()) {
      other.next()
      if (!other.isEmpty) aligned = group.end
    }
  } while (size !== group.end - group.start)
  if (group.end === earliest) return
  if (aligned !== -1) {
    while (other.isEmpty) {
      group.slideUp()
      other.previous()
    }
    return
  }
  if (!indentHeuristic) return
  const best = bestEnd(side, Math.max(earliest, group.end - size - 1, group.end - maxSliding), group.end, size)
  while (group.end > best) {
    group.slideUp()
    other.previous()
  }
}

function bestEnd({ lines }: ChangedSide, from: number, to: number, size: number): number {
  let best = -1
  let bestScore = { indent: 0, penalty: 0 }
  for (let end = from; end <= to; end += 1) {
    const score = { indent: 0, penalty: 0 }
    addScore(score, lines, end)
    addScore(score, lines, end - size)
    const indents = Math.sign(score.indent - bestScore.indent)
    if (best === -1 || 60 * indents + score.penalty - bestScore.penalty <= 0) {
      best = end
      bestScore = score
    }
  }
  return best
}

const maxBlanks = 20

/** How good it is to begin or end a block before the line `at`: the less, the better. */
function addScore(score: { indent: number; penalty: number }, lines: readonly string[], at: number): void {
  const isEnd = at >= lines.length
  const own = isEnd ? -1 : indentOf(lines[at] as string)
  const above = neighbour(lines, at, -1)
  const below = neighbour(lines, at, 1)
  if (above.indent === -1 && above.blanks === 0) score.penalty += 1
  if (isEnd) score.penalty += 21
  const blanksBelow = own === -1 ? 1 + below.blanks : 0
  const blanks = above.blanks + blanksBelow
  score.penalty += -30 * blanks + 6 * blanksBelow
  const indent = own === -1 ? below.indent : own
  score.indent += indent
  if (indent === -1 || above.indent === -1 || indent === above.indent) return
  const hasBlanks = blanks !== 0
  if (indent > above.indent) score.penalty += hasBlanks ? 10 : -4
  else if (below.indent !== -1 && below.indent > indent) score.penalty += hasBlanks ? 17 : 24
  else score.penalty += hasBlanks ? 17 : 23
}

/** The indentation of the next line that is not blank, and how many blank ones are before it. */
function neighbour(lines: readonly string[], at: number, step: 1 | -1): { indent: number; blanks: number } {
  let blanks = 0
  for (let i = at + step; i >= 0 && i < lines.length; i += step) {
    const indent = indentOf(lines[i] as string)
    if (indent !== -1) return { indent, blanks }
    blanks += 1
    if (blanks === maxBlanks) return { indent: 0, blanks }
  }
  return { indent: -1, blanks }
}

const maxIndent = 200

/** −1 for a blank line. */
function indentOf(line: string): number {
  let indent = 0
  for (let i = 0; i < line.length; i += 1) {
    const character = line[i]
    if (character === ' ') indent += 1
    else if (character === '\t') indent += 8 - (indent % 8)
    else if (character !== '\n' && character !== '\r' && character !== '\v' && character !== '\f') return indent
    if (indent >= maxIndent) return maxIndent
  }
  return -1
}
