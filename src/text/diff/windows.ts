/** The lines around replaced spans. All others are the same before and after. */
import { lastAtMost } from '../lines/lines.js'
import type { Span } from '../spans.js'

/** Lines `[oldFrom, oldUntil)` of the text before, and `[newFrom, newUntil)` of the one after. */
export interface LineWindow {
  oldFrom: number
  oldUntil: number
  newFrom: number
  newUntil: number
}

/** `oldLines` and `newLines` are whole lines of both texts from offset `start` on. In order, without overlaps. */
export function windowsAround(
  changed: readonly Span[],
  start: number,
  oldLines: readonly string[],
  newLines: readonly string[],
): LineWindow[] {
  const [oldStarts, newStarts] = [startsOf(oldLines, start), startsOf(newLines, start)]
  const windows: LineWindow[] = []
  let shift = 0
  for (const { start: from, end, text } of changed) {
    const window = {
      ...{ oldFrom: lineOf(oldStarts, from), oldUntil: lineOf(oldStarts, end) + 1 },
      ...{ newFrom: lineOf(newStarts, from + shift), newUntil: lineOf(newStarts, from + shift + text.length) + 1 },
    }
    shift += text.length - (end - from)
    const last = windows.at(-1)
    if (last === undefined || (window.oldFrom >= last.oldUntil && window.newFrom >= last.newUntil)) windows.push(window)
    else Object.assign(last, { oldUntil: window.oldUntil, newUntil: window.newUntil })
  }
  return windows
}

function startsOf(lines: readonly string[], start: number): Uint32Array {
  const starts = new Uint32Array(lines.length)
  let at = start
  for (let line = 0; line < lines.length; line += 1) {
    starts[line] = at
    at += lines[line]!.length
  }
  return starts
}

function lineOf(starts: Uint32Array, offset: number): number {
  return Math.max(0, lastAtMost(starts, offset))
}
