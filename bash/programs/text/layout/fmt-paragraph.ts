/** Breaks a paragraph into lines, as `fmt` does: the breaks that cost least for the paragraph as a whole. */

export interface Word {
  text: string
  /** Columns after it, when it does not end a line. */
  space: number
  /** Begins with an opening bracket or quote. */
  isOpening: boolean
  /** Ends a sentence, as far as its last character shows. */
  hasPeriod: boolean
  /** Ends with punctuation. */
  hasPunctuation: boolean
  /** Ends a sentence. */
  isFinal: boolean
}

export interface Widths {
  most: number
  goal: number
}

export interface Indents {
  first: number
  other: number
}

/** A line from the word at `start` to the one before `end`. */
export interface BrokenLine {
  start: number
  end: number
  /** What the line costs with what follows it. */
  cost: number
}

const square = (number: number) => number * number
const lineCost = square(70)
const sentenceBonus = square(50)
const bracketBonus = square(40)
const punctuationBonus = square(40)
const midSentenceCost = square(600)
const widowCost = (length: number) => Math.trunc(square(200) / (length + 2))
const orphanCost = (length: number) => Math.trunc(square(150) / (length + 2))
const shortCost = (missing: number) => square(missing * 10)
const raggedCost = (difference: number) => Math.trunc(shortCost(difference) / 2)

/** `lastLength` is the length of the line before, when the paragraph goes on; 0 otherwise. */
export function breakParagraph(
  words: readonly Word[],
  { most, goal }: Widths,
  { first, other }: Indents,
  lastLength: number,
): BrokenLine[] {
  const count = words.length
  const costs = new Array<number>(count + 1).fill(0)
  const nexts = new Array<number>(count + 1).fill(count)
  const lengths = new Array<number>(count + 1).fill(0)
  for (let start = count - 1; start >= 0; start -= 1) {
    let best = Number.POSITIVE_INFINITY
    let length = (start === 0 ? first : other) + lengthOf(words[start])
    let end = start
    do {
      end += 1
      let cost = costs[end] as number
      if (end < count) {
        cost += shortCost(goal - length)
        if (nexts[end] !== count) cost += raggedCost(length - (lengths[end] as number))
      }
      if (start === 0 && lastLength > 0) cost += raggedCost(length - lastLength)
      if (cost < best) {
        best = cost
        nexts[start] = end
        lengths[start] = length
      }
      if (end === count) break
      length += (words[end - 1] as Word).space + lengthOf(words[end])
    } while (length < most)
    costs[start] = best + breakCost(words, start)
  }
  const lines: BrokenLine[] = []
  for (let start = 0; start < count; start = nexts[start] as number) {
    lines.push({ start, end: nexts[start] as number, cost: costs[start] as number })
  }
  return lines
}

/** What it costs to begin a line with a word. */
function breakCost(words: readonly Word[], index: number): number {
  const word = words[index] as Word
  const before = words[index - 1]
  let cost = lineCost
  if (before?.hasPeriod) cost += before.isFinal ? -sentenceBonus : midSentenceCost
  else if (before?.hasPunctuation) cost -= punctuationBonus
  else if (before !== undefined && words[index - 2]?.isFinal) cost += widowCost(lengthOf(before))
  if (word.isOpening) return cost - bracketBonus
  return word.isFinal ? cost + orphanCost(lengthOf(word)) : cost
}

function lengthOf(word: Word | undefined): number {
  return word?.text.length ?? 0
}

/** A long paragraph is broken in parts: where the first part ends best. */
export function bestSplit(lines: readonly BrokenLine[]): number {
  const lineCredit = square(3)
  let split = lines.length
  let best = Number.POSITIVE_INFINITY
  for (let index = 1; index < lines.length; index += 1) {
    const cost = (lines[index] as BrokenLine).cost - (lines[index + 1]?.cost ?? 0)
    if (cost < best) {
      split = index
      best = cost
    }
    best += lineCredit
  }
  return split
}
