/** A text for many edits. Its lines are found once, and after a change only around it. */
import {
  findLines,
  type LineCounting,
  type LinePlaces,
  type LineTable,
  lineBreaks,
  type Offsets,
  tableOf,
} from '../lines/lines.js'
import { type EditedText, plainText, type Replacement } from './edited-text.js'
import { type MovingOffsets, movingOffsets } from './moving-offsets.js'

export interface EditBuffer extends EditedText {
  /** The current lines; invalid after a change. */
  linesOf(counting?: LineCounting): LineTable
}

type Breaks = NonNullable<LineCounting['breaks']>

export function editBuffer(given: string | EditedText): EditBuffer {
  const found = new Map<Breaks, MovableLines>()
  const text = typeof given === 'string' ? plainText(given) : given

  function linesFor(breaks: Breaks): MovableLines {
    const lines = found.get(breaks) ?? movableLines(text.text, breaks)
    found.set(breaks, lines)
    return lines
  }

  return {
    get length() {
      return text.length
    },
    get text() {
      return text.text
    },
    get hasReturns() {
      return text.hasReturns
    },
    slice: text.slice,
    startsOf: text.startsOf,
    linesOf: (counting = {}) => tableOf(linesFor(counting.breaks ?? 'any').places(), text.length, counting),
    replace(changes) {
      if (changes.length === 0) return
      const before = text.length
      text.replace(changes)
      for (const lines of found.values()) lines.move(changes, before, text)
    },
  }
}

interface MovableLines {
  places(): LinePlaces
  /** `before` is the length of the text before the changes. */
  move(changes: readonly Replacement[], before: number, text: EditedText): void
}

/** Lines that have to be found again, and their range in the list. */
interface Window {
  first: number
  last: number
  places: LinePlaces<number[]>
  /** How far later offsets are moved. */
  shift: number
}

function movableLines(given: string, breaks: Breaks): MovableLines {
  let lines = linesOf(given)

  function linesOf(text: string): LinePlaces<MovingOffsets> {
    const { starts, contentEnds } = findLines(text, breaks)
    return { starts: movingOffsets(starts), contentEnds: movingOffsets(contentEnds) }
  }

  return {
    places: () => lines,
    move(changes, before, text) {
      const windows = windowsOf(lines.starts, changes, { before, text, breaks })
      if (windows.length > fewWindows) {
        lines = linesOf(text.text)
        return
      }
      // Last window first, so that earlier ones keep their position.
      for (const { first, last, places, shift } of windows.reverse()) {
        lines.starts.replace(first, last, places.starts, shift)
        lines.contentEnds.replace(first, last, places.contentEnds, shift)
      }
    },
  }
}

/** With more changes, finding all lines again is faster. */
const fewWindows = 32

/**
 * From the line before a change to the line after it, since a CR and an LF that become adjacent are one ending. All other lines only move.
 * Offsets of found lines count from the start of the text that the previous change left.
 */
function windowsOf(
  starts: Offsets,
  changes: readonly Replacement[],
  { before, text, breaks }: { before: number; text: EditedText; breaks: Breaks },
): Window[] {
  const lineOf = (offset: number) => Math.max(0, starts.lastAtMost(offset))
  const windows: Window[] = []
  let moved = 0
  for (let at = 0; at < changes.length && windows.length <= fewWindows; ) {
    const first = lineOf(changes[at]!.start - 1)
    let last: number
    let shift = 0
    do {
      const { start, end, replacement } = changes[at]!
      last = lineOf(end)
      shift += replacement.length - (end - start)
      at += 1
    } while (at < changes.length && lineOf(changes[at]!.start - 1) <= last)
    const isLast = last + 1 >= starts.count
    const until = starts.at(last + 1) ?? before
    const places = linesBetween(text, { breaks, from: starts.at(first)! + moved, until: until + moved + shift, isLast })
    // Windows are applied from the last, and each moves all later lines: the shift of earlier ones is left to them.
    windows.push({ first, last, places: movedBy(places, -moved), shift })
    moved += shift
  }
  return windows
}

function linesBetween(
  text: EditedText,
  { breaks, from, until, isLast }: { breaks: Breaks; from: number; until: number; isLast: boolean },
): LinePlaces<number[]> {
  const pattern = lineBreaks(breaks)
  const starts: number[] = []
  const contentEnds: number[] = []
  const part = text.slice(from, until)
  let start = from
  while (start < until) {
    const ending = pattern.exec(part)
    if (ending === null) break
    starts.push(start)
    contentEnds.push(from + ending.index)
    start = from + pattern.lastIndex
  }
  if (isLast) {
    starts.push(start)
    contentEnds.push(text.length)
  }
  return { starts, contentEnds }
}

function movedBy({ starts, contentEnds }: LinePlaces<number[]>, delta: number): LinePlaces<number[]> {
  if (delta === 0) return { starts, contentEnds }
  return { starts: starts.map((at) => at + delta), contentEnds: contentEnds.map((at) => at + delta) }
}
