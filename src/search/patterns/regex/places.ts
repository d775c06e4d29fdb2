/** What the matcher asks of a place in a text. */
import { caseKey } from './unicode.js'

/** The character before an offset; -1 at the start. */
export function before(text: string, pos: number): number {
  if (pos === 0) return -1
  const unit = text.charCodeAt(pos - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && pos > 1 ? text.codePointAt(pos - 2)! : unit
}

/** Whether an edge is here: of the text (0 the start, 1 the end) or of a line (2, 3). */
export function isEdge(text: string, kind: number, pos: number): boolean {
  if (kind === 0) return pos === 0
  if (kind === 1) return pos === text.length
  if (kind === 2) return pos === 0 || text.charCodeAt(pos - 1) === 0x0a
  return pos === text.length || text.charCodeAt(pos) === 0x0a
}

/** Whether the part of a text from `start` occurs again from `from`. */
export function isRepeated(
  text: string,
  from: number,
  { start, length, ignoreCase }: { start: number; length: number; ignoreCase: boolean },
): boolean {
  if (from < 0 || from + length > text.length) return false
  for (let i = 0; i < length; i += 1) {
    const one = text.codePointAt(start + i)!
    const other = text.codePointAt(from + i)!
    if (one !== other && (!ignoreCase || caseKey(one) !== caseKey(other))) return false
    if (one > 0xffff) i += 1
  }
  return true
}
