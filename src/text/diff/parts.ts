/** The parts of a text around replaced spans. All lines between them are the same before and after. */
import type { Span } from '../spans.js'
import { countLf, linesBack, linesOn } from './line-ends.js'

/** Whole lines that correspond to each other. */
export interface TextPart {
  before: string
  after: string
  /** Lines above it, in the text before. */
  linesAbove: number
}

/** In order, without overlaps, and so far apart that changes in different parts have no lines of context in common. */
export function* partsAround(
  changed: readonly Span[],
  before: string,
  after: string,
  context: number,
): Generator<TextPart> {
  let [shift, counted, linesAbove] = [0, 0, 0]
  for (let at = 0; at < changed.length; ) {
    const start = linesBack(before, lineStart(before, changed[at]!.start), context)
    const newStart = start + shift
    let end: number
    do {
      const span = changed[at]!
      shift += span.text.length - (span.end - span.start)
      end = linesOn(before, span.end, 1)
      at += 1
    } while (at < changed.length && lineStart(before, changed[at]!.start) <= linesOn(before, end, 3 * context))
    // A change may be shown up to `context` lines further down, where lines repeat, and has as many lines below it.
    end = linesOn(before, end, 2 * context)
    linesAbove += countLf(before, counted, start)
    counted = start
    yield { before: before.slice(start, end), after: after.slice(newStart, end + shift), linesAbove }
  }
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}
