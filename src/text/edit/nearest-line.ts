/** Finds the line of a text that was meant by one with a few wrong characters. */
import { matchSequences } from '../diff/match-sequences.js'
import type { LineTable } from '../lines/lines.js'
import { lineDistance, maxCells, near, type Similar, similarLines } from './similar.js'

/** So many wrong characters are a slip, wherever they are. */
const fewCharacters = 3

/**
 * The line that is nearest to `find` as a whole; undefined if none is near. Every line is looked at, but most of them only for their length
 * and for the characters that they have.
 */
export function nearestLine(text: string, find: string, table: LineTable): Similar | undefined {
  const budget = { cells: maxCells }
  const wanted: Wanted = { whole: find, trimmed: find.trim(), counts: characterCounts(find.trim()) }
  if (wanted.trimmed === '') return undefined
  let best: { line: number; similarity: number } | undefined
  for (let line = 1; line <= table.count && budget.cells > 0; line += 1) {
    const [start, end] = [table.start(line), table.contentEnd(line)]
    if (end - start < wanted.trimmed.length * near) continue
    const least = best?.similarity ?? near
    const similarity = similarityOf(wanted, text.slice(start, end), least, budget)
    if (similarity >= near && (best === undefined || similarity > best.similarity)) best = { line, similarity }
    if (similarity === 1) break
  }
  return best && { ...similarLines(text, table, best.line, best.line, best.similarity), isWhole: true }
}

interface Wanted {
  whole: string
  trimmed: string
  counts: Int32Array
}

/** How similar a line is; 0 if it is less than `least`. */
function similarityOf(wanted: Wanted, line: string, least: number, budget: { cells: number }): number {
  const { whole, trimmed, counts } = wanted
  const there = line.trim()
  const longer = Math.max(trimmed.length, there.length)
  const most = Math.floor(longer * (1 - least) + 1e-9)
  if (Math.abs(trimmed.length - there.length) <= most && differingCharacters(counts, trimmed.length, there) <= most) {
    const distance = lineDistance(trimmed, there, budget)
    if (distance <= most && (distance <= fewCharacters || areWordsNear(trimmed, there))) return 1 - distance / longer
  }
  // A wrong character in the indent makes it part of the text.
  const fewest = Math.min(fewCharacters, Math.floor(there.length * (1 - least) + 1e-9))
  if (there.length >= trimmed.length || Math.abs(whole.length - line.length) > fewest) return 0
  const distance = lineDistance(whole, line, budget)
  return distance <= fewest ? 1 - distance / there.length : 0
}

/** False if a word has another in its place: then the line is one of the same form, not the same one. */
function areWordsNear(one: string, other: string): boolean {
  const [words, others] = [wordsOf(one), wordsOf(other)]
  const { oldMatched, newMatched } = matchSequences(words, others)
  for (let [at, to] = [0, 0]; at < words.length || to < others.length; at += 1, to += 1) {
    const [from, into] = [at, to]
    while (at < words.length && !oldMatched[at]) at += 1
    while (to < others.length && !newMatched[to]) to += 1
    const [sent, there] = [words.slice(from, at).join(''), others.slice(into, to).join('')]
    const longer = Math.max(sent.length, there.length)
    if (longer > 3 && lineDistance(sent, there, { cells: maxCells }) > longer * 0.4) return false
  }
  return true
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? []
}

/** How often each character occurs, roughly: some share a place. */
function characterCounts(text: string): Int32Array {
  const counts = new Int32Array(128)
  for (let at = 0; at < text.length; at += 1) counts[text.charCodeAt(at) & 127]! += 1
  return counts
}

/** At least so many characters have to be changed, added or removed. `counts` are those of a text so long. */
function differingCharacters(counts: Int32Array, length: number, other: string): number {
  let common = 0
  for (let at = 0; at < other.length; at += 1) {
    const place = other.charCodeAt(at) & 127
    if (counts[place]! > 0) common += 1
    counts[place]! -= 1
  }
  for (let at = 0; at < other.length; at += 1) counts[other.charCodeAt(at) & 127]! += 1
  return Math.max(length, other.length) - common
}
