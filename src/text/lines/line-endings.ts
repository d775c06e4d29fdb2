import { diffLines } from '../diff/diff-lines.js'
import { type LineCounting, type LineTable, lineBreaks } from './lines.js'

export type LineEnding = '\n' | '\r\n' | '\r'

/**
 * The ending of a changed or new line: that of its neighbour, the file's most frequent one, or the one it was sent with. Under the first
 * two, lines that an edit repeats unchanged keep theirs.
 */
export type EndingPolicy = 'neighbour' | 'dominant' | 'verbatim'

/** The endings of one text, computed on first use and cached. */
export interface Endings {
  /** As `dominantEnding`. */
  dominant(): LineEnding | undefined
  /** The ending of the line at `offset`, or of the one before if that is the last; undefined in a text of one line. */
  near(offset: number): LineEnding | undefined
}

/** A text with its lines. */
export interface EndingText {
  slice(start: number, end: number): string
  linesOf(counting?: LineCounting): LineTable
}

/** `usual` is the dominant ending of a text without line endings. */
export function endingsOf(
  { slice, linesOf }: EndingText,
  { breaks }: LineCounting = {},
  usual?: () => LineEnding | undefined,
): Endings {
  let dominant: { ending: LineEnding | undefined } | undefined
  return {
    dominant() {
      dominant ??= { ending: mostFrequent(slice, linesOf({ breaks })) ?? usual?.() }
      return dominant.ending
    },
    near(offset) {
      const table = linesOf({ breaks })
      const line = table.lineAt(offset)
      const own = slice(table.contentEnd(line), table.end(line))
      return ((own || slice(table.contentEnd(line - 1), table.start(line))) as LineEnding) || usual?.()
    },
  }
}

/** The most frequent ending, the first of equally frequent ones; undefined in a text of one line. */
export function dominantEnding(text: string, { breaks }: LineCounting = {}): LineEnding | undefined {
  const counts = new Map<string, number>()
  for (const ending of text.match(lineBreaks(breaks)) ?? []) counts.set(ending, (counts.get(ending) ?? 0) + 1)
  return firstOfMost(counts)
}

function firstOfMost(counts: ReadonlyMap<string, number>): LineEnding | undefined {
  let most: string | undefined
  for (const [ending, count] of counts) if (most === undefined || count > counts.get(most)!) most = ending
  return most as LineEnding | undefined
}

/** The same for known lines, without scanning the text. */
function mostFrequent(slice: EndingText['slice'], table: LineTable): LineEnding | undefined {
  const counts = new Map<string, number>()
  for (let line = 1; line <= table.count; line += 1) {
    const end = table.contentEnd(line)
    const length = table.end(line) - end
    if (length === 0) continue
    const ending = length === 2 ? '\r\n' : (slice(end, end + 1) as LineEnding)
    counts.set(ending, (counts.get(ending) ?? 0) + 1)
  }
  return firstOfMost(counts)
}

/** The place of a replacement. */
export interface EndingPlace {
  /** Parts of the text. */
  slice(start: number, end: number): string
  start: number
  end: number
  policy: EndingPolicy
  /** Of the text. */
  endings: Endings
  counting?: LineCounting | undefined
}

/** `replacement` with the line endings that fit in place of the text from `start` to `end`. */
export function fitEndings(replacement: string, place: EndingPlace): string {
  const { slice, start, end, policy, endings, counting = {} } = place
  if (policy === 'verbatim' || !/[\r\n]/.test(replacement)) return replacement
  const usual = policy === 'dominant' ? (endings.dominant() ?? '\n') : endings.near(start)
  const before = pieces(slice(start, end), counting)
  const after = pieces(replacement, counting)

  const common = Math.min(before.length, after.length)
  let head = 0
  while (head < common && sameLine(before[head]!, after[head]!)) head += 1
  let tail = 0
  while (tail < common - head && sameLine(before.at(-1 - tail)!, after.at(-1 - tail)!)) tail += 1

  let previous: string | undefined = usual
  // Otherwise a CR is part of its line.
  const endsWithCr = (counting.breaks ?? 'any') === 'any'
  let unit = endsWithCr ? slice(start - 1, start) : undefined
  const fitted = after
    .map(({ content, ending }, index) => {
      if (ending === '') return content
      const unchanged =
        index < head ? before[index] : index >= after.length - tail ? before.at(index - after.length) : undefined
      const replaced = policy === 'neighbour' && index < before.length - tail ? before[index] : undefined
      const fit = unchanged?.ending || replaced?.ending || (policy === 'neighbour' ? previous : usual) || ending
      const own = apart(content, unit, fit)
      previous = own
      unit = endsWithCr ? own.at(-1) : undefined
      return content + own
    })
    .join('')
  return endsWithCr && fitted.endsWith('\r') && slice(end, end + 1) === '\n' ? `${fitted.slice(0, -1)}\n` : fitted
}

/** `after`, which has LF endings only, with the endings of `before`: unchanged lines get their own, others the most frequent one. */
export function endingsByLine(before: string, after: string): string {
  const usual = dominantEnding(before)
  if (usual === undefined) return after
  if (new Set(before.match(lineBreaks())).size === 1) return after.replaceAll('\n', usual)
  const { skipped, changes } = diffLines(before.replace(lineBreaks(), '\n'), after)
  const old = pieces(before, {})
  let next = 0
  let shift = 0
  let unit: string | undefined
  return pieces(after, {})
    .map(({ content, ending }, index) => {
      const at = index - skipped
      for (let change = changes[next]; change && at >= change.newEnd; change = changes[next]) {
        shift = change.oldEnd - change.newEnd
        next += 1
      }
      if (ending === '') return content
      const isNew = at >= (changes[next]?.newStart ?? Infinity)
      const own = apart(content, unit, (!isNew && old[index + shift]?.ending) || usual)
      unit = own.at(-1)
      return content + own
    })
    .join('')
}

/** The ending of a line after `unit`: an LF after a CR would be one ending with it. */
function apart(content: string, unit: string | undefined, ending: string): string {
  return content === '' && unit === '\r' && ending === '\n' ? '\r' : ending
}

interface Piece {
  content: string
  /** Empty only for the last line. */
  ending: string
}

function pieces(text: string, { breaks }: LineCounting): Piece[] {
  const found: Piece[] = []
  let start = 0
  for (const { index, 0: ending } of text.matchAll(lineBreaks(breaks))) {
    found.push({ content: text.slice(start, index), ending })
    start = index + ending.length
  }
  found.push({ content: text.slice(start), ending: '' })
  return found
}

function sameLine(one: Piece, other: Piece): boolean {
  return one.content === other.content && (one.ending === '') === (other.ending === '')
}
