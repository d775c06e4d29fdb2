/** Finds the part of a text that is most similar to a search text, without comparing all of it. */
import { type LineTable, lazyLineTable, lineTable } from '../lines/lines.js'
import { blockLines, isBlank } from './match/blocks.js'

export interface Similar {
  line: number
  endLine: number
  /** Whole lines of the file, without the last line ending. */
  text: string
  /** 1 for equal, 0 for nothing in common. Leading and trailing white space of lines is ignored. */
  similarity: number
  /** For a search text of one line: it is near the whole line, not only a part of it. */
  isWhole?: boolean
}

/** The lines most similar to `find`; undefined if not even a few consecutive characters are shared. `lines` are those of the text, if known. */
export function mostSimilar(text: string, find: string, lines = lazyLineTable(text)): Similar | undefined {
  const wanted = blockLines(find)
  if (wanted.every(isBlank)) return undefined
  const table = lines()
  const budget = { cells: maxCells }
  let best: Similar | undefined
  for (const start of candidates(text, wanted, table)) {
    const similar = compareAt(text, wanted, table, start, budget)
    if (!best || similar.similarity > best.similarity) best = similar
    if (best.similarity >= sure) break
  }
  return best
}

/** How much of `one` is in `other`, aligned at its first line; 1 for all of it. */
export function similarity(one: string, other: string): number {
  const wanted = blockLines(one)
  if (wanted.every(isBlank)) return isBlank(other) ? 1 : 0
  return compareAt(other, wanted, lineTable(other), 1, { cells: maxCells }).similarity
}

/** From this similarity on, a text is taken for the one that was meant. */
export const near = 0.8

/** Levenshtein cells per call: about 10 ms. Beyond that, lines are only compared for equality. */
export const maxCells = 2_000_000
/** An anchor found more often than this is ignored. */
const maxHits = 400
const maxAnchors = 64
/** So many unique anchors that agree on the place decide it. */
const decisive = 8
const maxCandidates = 6
/** A candidate this similar ends the comparison. */
const sure = 0.9

/** Lines where the block may begin, ranked by the anchors that they share: whole lines, else words, else a few consecutive characters. */
function candidates(text: string, wanted: readonly string[], table: LineTable): number[] {
  for (const anchorsOf of [wholeLine, words, runsOf(3), runsOf(2)]) {
    const votes = new Map<number, number>()
    const unique = new Map<number, number>()
    for (const { anchor, index } of rarest(wanted, anchorsOf)) {
      const hits = hitsOf(text, anchor)
      if (hits.length > maxHits) continue
      if (hits.length === 1) {
        const start = Math.max(1, table.lineAt(hits[0]!) - index)
        unique.set(start, (unique.get(start) ?? 0) + 1)
        if (unique.get(start) === decisive) return [start]
      }
      for (const hit of hits) {
        const start = Math.max(1, table.lineAt(hit) - index)
        votes.set(start, (votes.get(start) ?? 0) + anchor.length / hits.length)
      }
    }
    const ranked = [...votes].sort(([a, votesA], [b, votesB]) => votesB - votesA || a - b)
    if (ranked.length > 0) return ranked.slice(0, maxCandidates).map(([start]) => start)
  }
  return []
}

interface Anchor {
  anchor: string
  /** The number of its line in the block, from 0. */
  index: number
}

/** Long anchors first, as they are the rarest. Pruned from time to time, so that memory does not grow with the block. */
function rarest(wanted: readonly string[], anchorsOf: (line: string) => readonly string[]): Anchor[] {
  let anchors: Anchor[] = []
  const best = () => anchors.sort((a, b) => b.anchor.length - a.anchor.length || a.index - b.index).slice(0, maxAnchors)
  for (const [index, line] of wanted.entries()) {
    for (const anchor of anchorsOf(line)) anchors.push({ anchor, index })
    if (anchors.length > 20 * maxAnchors) anchors = best()
  }
  return best()
}

function wholeLine(line: string): string[] {
  const trimmed = line.trim()
  return trimmed.length >= 8 ? [trimmed] : []
}

function words(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_]{4,}/gu) ?? []
}

function runsOf(size: number): (line: string) => string[] {
  return (line) => {
    const trimmed = line.trim().slice(0, 200)
    return Array.from({ length: Math.max(0, trimmed.length - size + 1) }, (_, at) => trimmed.slice(at, at + size))
  }
}

function hitsOf(text: string, anchor: string): number[] {
  const hits: number[] = []
  for (
    let at = text.indexOf(anchor);
    at >= 0 && hits.length <= maxHits;
    at = text.indexOf(anchor, at + anchor.length)
  ) {
    hits.push(at)
  }
  return hits
}

interface Budget {
  cells: number
}

function compareAt(text: string, wanted: readonly string[], table: LineTable, start: number, budget: Budget): Similar {
  const lineAt = (line: number) => text.slice(table.start(line), table.contentEnd(line)).trim()
  const first = Math.min(start, table.count)
  if (wanted.length === 1) {
    const find = wanted[0]!.trim()
    const line = lineAt(first)
    const distance = distanceToPart(find, line.slice(0, 2000), budget)
    return similarLines(text, table, first, first, 1 - distance / Math.max(1, find.length))
  }
  return align(
    text,
    wanted.map((line) => line.trim()),
    table,
    first,
    lineAt,
    budget,
  )
}

/** How many lines may be inserted or missing, and how far apart two lines may be to be compared by characters. */
const slack = 4
const reach = 2

/** Aligns the block with the lines around `first` and returns the best range. Lines outside the file cost nothing. */
function align(
  text: string,
  wanted: readonly string[],
  table: LineTable,
  first: number,
  lineAt: (line: number) => string,
  budget: Budget,
): Similar {
  const from = first - slack
  const lines = Array.from({ length: wanted.length + 2 * slack }, (_, index) =>
    from + index >= 1 && from + index <= table.count ? lineAt(from + index) : undefined,
  )
  // By diagonal: the cost of the wanted lines so far, and the line of the file where that alignment began.
  let cost = new Array<number>(2 * slack + 1).fill(0)
  let origin = cost.map((_, diagonal) => diagonal)
  for (const [row, line] of wanted.entries()) {
    const nextCost: number[] = []
    const nextOrigin: number[] = []
    for (let diagonal = 0; diagonal < cost.length; diagonal += 1) {
      const other = lines[row + diagonal]
      const comparable = other !== undefined && (line === other || Math.abs(diagonal - slack) <= reach)
      const swap = comparable ? cost[diagonal]! + lineDistance(line, other, budget) : Infinity
      const skipWanted = (cost[diagonal + 1] ?? Infinity) + line.length + 1
      const skipOther = (nextCost[diagonal - 1] ?? Infinity) + (other === undefined ? 0 : other.length + 1)
      const least = Math.min(skipOther, swap, skipWanted)
      nextCost.push(least)
      // At equal cost, the one with more consecutive lines of the file.
      nextOrigin.push(
        least === skipOther
          ? nextOrigin[diagonal - 1]!
          : least === swap
            ? origin[diagonal]!
            : (origin[diagonal + 1] ?? 0),
      )
    }
    cost = nextCost
    origin = nextOrigin
  }
  const best = cost.reduce((least, value, diagonal) => (value < cost[least]! ? diagonal : least), 0)
  const line = Math.min(table.count, Math.max(1, from + origin[best]!))
  const endLine = Math.min(table.count, Math.max(line, from + wanted.length + best - 1))
  const size = wanted.reduce((sum, part) => sum + part.length + 1, 0)
  return similarLines(text, table, line, endLine, 1 - Math.min(size, cost[best]!) / size)
}

/** Lines of the text as a result. */
export function similarLines(
  text: string,
  table: LineTable,
  line: number,
  endLine: number,
  similarity: number,
): Similar {
  const lines = text.slice(table.start(line), table.contentEnd(endLine))
  return { line, endLine, text: lines, similarity: Math.max(0, Math.round(similarity * 1000) / 1000) }
}

/** How many characters of a line differ from another; all of them where comparing would take too long. */
export function lineDistance(one: string, other: string, budget: Budget): number {
  if (one === other) return 0
  const most = Math.max(one.length, other.length)
  if (one.length * other.length > budget.cells || most > 2000) return most
  let head = 0
  while (one[head] === other[head]) head += 1
  let tail = 0
  while (tail < Math.min(one.length, other.length) - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1
  const middle = (part: string) => part.slice(head, part.length - tail)
  return levenshtein(middle(one), middle(other), budget)
}

/** The distance of `find` from the part of `line` that is most similar to it. */
function distanceToPart(find: string, line: string, budget: Budget): number {
  if (line.includes(find)) return 0
  if (find.length * line.length > budget.cells) return find.length
  return levenshtein(find, line, budget, { freeEnds: true })
}

/** The edit distance of two texts. With `freeEnds`: of `one` and the most similar part of `other`. */
function levenshtein(one: string, other: string, budget: Budget, { freeEnds = false } = {}): number {
  budget.cells -= one.length * other.length
  const row = Uint32Array.from({ length: other.length + 1 }, (_, index) => (freeEnds ? 0 : index))
  for (let i = 1; i <= one.length; i += 1) {
    const unit = one.charCodeAt(i - 1)
    let diagonal = row[0]!
    row[0] = i
    for (let j = 1; j <= other.length; j += 1) {
      const above = row[j]!
      const swap = diagonal + (other.charCodeAt(j - 1) === unit ? 0 : 1)
      row[j] = Math.min(swap, above + 1, row[j - 1]! + 1)
      diagonal = above
    }
  }
  return freeEnds ? row.reduce((least, value) => Math.min(least, value)) : row[other.length]!
}
