/** The part of a long line that is reported: the match, with some text before it. */
import type { Bytes } from '../../fs/types.js'
import { cutUnits } from '../../text/lines/lines.js'
import { decodeLine, type Line } from '../bytes/byte-lines.js'

export interface CutText {
  text: string
  /** The line goes on after `text`. */
  cut: boolean
  /** `text` does not begin where the line does. */
  cutBefore?: true
}

/** A line at the place where a match starts: the text before it and after it, at least as much as may be reported. */
export interface Sides {
  before: string
  after: string
  /** There is more of the line than these. */
  moreBefore: boolean
  moreAfter: boolean
}

/** A third of what is reported is text before the match, or more where the line ends soon after it. */
export function cutAround({ before, after, moreBefore, moreAfter }: Sides, maxUnits: number): CutText {
  const lead = Math.min(before.length, Math.max(Math.floor(maxUnits / 3), maxUnits - after.length))
  const start = before.length - lead
  const shownAfter = cutUnits(after, maxUnits - lead)
  const isCutBefore = start > 0 || moreBefore
  return {
    text: fromUnit(before, start) + shownAfter,
    cut: shownAfter.length < after.length || moreAfter,
    ...(isCutBefore && { cutBefore: true }),
  }
}

export function sidesOfText(text: string, column: number): Sides {
  return { before: text.slice(0, column), after: text.slice(column), moreBefore: false, moreAfter: false }
}

/** Decodes only so much of a line as may be reported: no unit takes more than three bytes. */
export function sidesOfBytes(
  bytes: Bytes,
  { start, end }: Line,
  { column, maxUnits, decode = decodeLine }: SidesOptions,
): Sides {
  const at = start + column
  const from = characterFrom(bytes, Math.max(start, at - 3 * (maxUnits + 1)), at)
  const until = Math.min(end, at + 3 * (maxUnits + 1))
  return {
    before: decode(bytes, from, at),
    after: decode(bytes, at, until),
    moreBefore: from > start,
    moreAfter: until < end,
  }
}

interface SidesOptions {
  /** Where the match starts, in bytes. */
  column: number
  maxUnits: number
  decode?: ((bytes: Bytes, start: number, end: number) => string) | undefined
}

/** Skips the rest of a character. */
function characterFrom(bytes: Bytes, from: number, until: number): number {
  let start = from
  while (start < until && start < from + 3 && (bytes[start]! & 0xc0) === 0x80) start += 1
  return start
}

/** A block may have this many times the text of a line. */
const blockLines = 10

/** A block of lines, of which the first has the match at `column`. */
export function cutBlock(text: string, column: number, maxUnits: number): CutText {
  const feed = text.indexOf('\n', column)
  const after = (feed < 0 ? text.length : feed) - column
  const lead = Math.max(Math.floor(maxUnits / 3), maxUnits - after)
  const start = text.length <= maxUnits ? 0 : Math.max(0, column - lead)
  const rest = fromUnit(text, start)
  const shown = cutUnits(rest, blockLines * maxUnits)
  return { text: shown, cut: shown.length < rest.length, ...(start > 0 && { cutBefore: true }) }
}

/** The text from a unit on, without half a character. */
function fromUnit(text: string, start: number): string {
  const unit = text.charCodeAt(start)
  return text.slice(start > 0 && unit >= 0xdc00 && unit <= 0xdfff ? start + 1 : start)
}
