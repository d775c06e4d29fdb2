/** The text of an edit buffer. A large text with many edits is stored in pieces, so that an edit does not copy all of it. */
import { lastAtMost } from '../lines/lines.js'
import { gramUnits, longestStride, type NeedleIndex, needleIndex } from './needle-index.js'

export interface Replacement {
  start: number
  end: number
  replacement: string
}

export interface EditedText {
  readonly length: number
  /** The whole text; for pieces, joined and cached until the next change. */
  readonly text: string
  /** False only if there is no CR in the text. */
  readonly hasReturns: boolean
  /** From `start` to before `end`, cut to the text. */
  slice(start: number, end: number): string
  /** Where `find`, which is not empty, begins. Found in order, each `step` units or more after the one before. */
  startsOf(find: string, step: number): Iterable<number>
  /** Replaces spans, which are in order and without overlaps. */
  replace(changes: readonly Replacement[]): void
}

/** For few edits, or a short text. */
export function plainText(given: string): EditedText {
  let text = given
  return {
    get length() {
      return text.length
    },
    get text() {
      return text
    },
    get hasReturns() {
      return text.includes('\r')
    },
    slice: (start, end) => text.slice(Math.max(0, start), Math.max(0, end)),
    *startsOf(find, step) {
      for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + step)) yield at
    },
    replace(changes) {
      text = splice(text, changes)
    },
  }
}

function splice(text: string, changes: readonly Replacement[]): string {
  const [first] = changes
  // The engine joins strings lazily, without a copy.
  if (first !== undefined && changes.length === 1) {
    return text.slice(0, first.start) + first.replacement + text.slice(first.end)
  }
  const parts: string[] = []
  let at = 0
  for (const { start, end, replacement } of changes) {
    parts.push(text.slice(at, start), replacement)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** A piece that has become this many times as long is split again. */
const mostGrowth = 16

/**
 * A text in pieces. Which pieces may contain which needles is found in one pass, and after a change only around it. Yields during that pass.
 */
export function* textInPieces(
  given: string,
  needles: readonly string[],
  { pieceUnits: leastUnits = Math.max(4096, given.length >> 9) } = {},
): Generator<undefined, EditedText> {
  const pieceUnits = Math.ceil(leastUnits / longestStride) * longestStride
  let pieces: string[] = []
  /** Where each piece begins, and the length of the text. */
  const starts: number[] = []
  let whole: string | undefined = given
  let hasReturns = given.includes('\r')
  let index: NeedleIndex

  function* divide(text: string): Generator<undefined, void> {
    pieces = []
    for (let at = 0; at < text.length || at === 0; at += pieceUnits) pieces.push(text.slice(at, at + pieceUnits))
    locate(0)
    index = needleIndex(needles)
    if (index.isEmpty) return
    for (let at = 0; at < pieces.length; at += 1) {
      const before = Math.max(0, starts[at]! - gramUnits)
      index.scanLong(text.slice(before, starts[at + 1]!), starts[at]! - before, at)
      if (at % piecesAtOnce === piecesAtOnce - 1) yield
    }
  }

  function locate(from: number): void {
    let at = from === 0 ? 0 : starts[from]!
    for (let piece = from; piece < pieces.length; piece += 1) {
      starts[piece] = at
      at += pieces[piece]!.length
    }
    starts[pieces.length] = at
    starts.length = pieces.length + 1
  }

  const length = () => starts[pieces.length]!
  /** Of several that begin there, the only one that is not empty. */
  const pieceAt = (offset: number) => Math.min(pieces.length - 1, lastAtMost(starts, offset))

  function slice(start: number, end: number): string {
    const [from, until] = [Math.max(0, start), Math.min(length(), end)]
    if (from >= until) return ''
    let piece = pieceAt(from)
    const inFirst = pieces[piece]!.slice(from - starts[piece]!, until - starts[piece]!)
    if (until <= starts[piece + 1]!) return inFirst
    const parts = [inFirst]
    for (piece += 1; starts[piece]! < until; piece += 1) parts.push(pieces[piece]!.slice(0, until - starts[piece]!))
    return parts.join('')
  }

  /** Notes the needles whose grams end between two offsets. */
  function scan(from: number, until: number): void {
    if (index.isEmpty) return
    let at = from
    while (at < Math.min(until, length())) {
      const piece = pieceAt(at)
      const end = Math.min(until, starts[piece + 1]!)
      const before = Math.max(0, at - (gramUnits - 1))
      index.scan(slice(before, end), at - before, piece)
      at = end
    }
  }

  function* startsOf(find: string, step: number): Generator<number> {
    let next = 0
    for (const [first, last] of rangesOf(find)) {
      const from = Math.max(first, next)
      const part = slice(from, last + find.length - 1)
      for (let at = part.indexOf(find); at >= 0; at = part.indexOf(find, at + step)) {
        next = from + at + step
        yield from + at
      }
    }
  }

  /** Where `find` may begin: ranges in order, each with the offset after its last. */
  function* rangesOf(find: string): Generator<[number, number]> {
    const known = index.piecesOf(find)
    for (const piece of known?.pieces ?? pieces.keys()) {
      const [least, most] = known?.shifts ?? [0, 0]
      yield [Math.max(0, starts[piece]! - most), Math.max(0, starts[piece + 1]! - least)]
    }
  }

  function replace(changes: readonly Replacement[]): void {
    if (changes.length === 0) return
    whole = undefined
    hasReturns ||= changes.some(({ replacement }) => replacement.includes('\r'))
    const first = pieceAt(changes[0]!.start)
    const longest = replaceIn(pieces, starts, first, changes)
    if (longest > pieceUnits * mostGrowth) {
      for (const _ of divide(pieces.join('')));
      return
    }
    locate(first)
    let shift = 0
    for (const { start, end, replacement } of changes) {
      scan(start + shift, start + shift + replacement.length + gramUnits - 1)
      shift += replacement.length - (end - start)
    }
  }

  yield* divide(given)
  return {
    get length() {
      return length()
    },
    get text() {
      whole ??= pieces.join('')
      return whole
    },
    get hasReturns() {
      return hasReturns
    },
    slice,
    startsOf,
    replace,
  }
}

/** About a millisecond. */
const piecesAtOnce = 64

/** Changes pieces in place, from piece `first` on, and returns the length of the longest one that it has made. */
function replaceIn(
  pieces: string[],
  starts: readonly number[],
  first: number,
  changes: readonly Replacement[],
): number {
  let longest = 0
  let piece = first
  let at = starts[piece]!
  let parts: string[] = []
  const endOf = (place: number) => (place + 1 < pieces.length ? starts[place + 1]! : Infinity)
  /** Ends the piece; `at` is where the next one goes on. */
  const end = (next: number) => {
    const old = pieces[piece]!
    const isSame = parts.length === 0 && at === starts[piece]
    if (!isSame) {
      parts.push(next > endOf(piece) ? '' : old.slice(at - starts[piece]!))
      pieces[piece] = parts.join('')
      longest = Math.max(longest, pieces[piece]!.length)
    }
    parts = []
    piece += 1
    at = Math.max(next, starts[piece] ?? next)
  }
  for (const { start, end: until, replacement } of changes) {
    // A replacement at the beginning of a piece belongs to it.
    while (start >= endOf(piece)) end(at)
    parts.push(pieces[piece]!.slice(at - starts[piece]!, start - starts[piece]!), replacement)
    at = until
    while (at > endOf(piece)) end(at)
  }
  end(at)
  return longest
}
