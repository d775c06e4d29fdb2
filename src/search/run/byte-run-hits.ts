/**
 * Matches of patterns that never extend beyond a run of certain bytes, such as words. Around each candidate only that run is decoded and
 * matched, however long the line is.
 */
import type { Bytes } from '../../fs/types.js'
import { cutUnits } from '../../text/lines/lines.js'
import { decodeLine, type Line, lineAround } from '../bytes/byte-lines.js'
import type { ByteSet } from '../bytes/byte-sequences.js'
import { bytesBefore, characterBefore, characterLength } from '../bytes/utf8-offsets.js'
import type { Cursor } from '../patterns/matcher.js'
import { placeAfter, type Span } from '../patterns/regex/compile.js'
import type { CandidateResult, LineHit, LineSearch } from './hits.js'

/** Matches the run at `from`, and the other runs of its line if it matches and all occurrences are wanted. */
export function matchRuns(bytes: Bytes, from: number, cursor: Cursor, search: LineSearch): CandidateResult {
  const { matcher, maxLineUnits, findBytes, occurrences, stop } = search
  const { decode = decodeLine } = findBytes ?? {}
  const { find, matchBytes } = matcher.regex
  let line: Line | undefined
  let hit: LineHit | undefined
  for (let at = from; ; ) {
    const run = runAround(bytes, at, matchBytes!)
    const whole = decode(bytes, run.left, run.right)
    const text = cutUnits(whole, maxLineUnits)
    const isCut = text.length < whole.length
    if (isCut) search.onCut()
    let found = find(text, unitsBefore(bytes, run), stop)
    if (found === 'stopped' && hit === undefined) return { hit: found, next: at }
    if (found === 'too-expensive' && hit === undefined) search.onTooExpensive()
    while (typeof found === 'object') {
      line ??= lineAround(bytes, at, findBytes)
      if (hit === undefined) hit = hitOf(bytes, line, run, { ...found, isAscii: whole.length === run.right - run.left })
      else hit.count += 1
      found = occurrences ? find(text, placeAfter(text, found), stop) : undefined
    }
    // If a run was not searched to its end, the rest of its line is not searched either.
    const isOver = found !== undefined || isCut || (hit !== undefined && !occurrences)
    if (isOver) return { hit, next: cursor((line ?? lineAround(bytes, at, findBytes)).next) }
    at = cursor(Math.max(run.end, at + 1))
    if (line === undefined || at < 0 || at >= line.next) return { hit, next: at }
    // The candidate is the carriage return that ends the line.
    if (at >= line.end) return { hit, next: cursor(line.next) }
  }
}

/** A run, and its bounds with one character more on either side in the same line: word edges depend on those. */
interface Run {
  start: number
  end: number
  left: number
  right: number
}

function runAround(bytes: Bytes, at: number, within: ByteSet): Run {
  let start = at
  while (start > 0 && within[bytes[start - 1]!] === 1) start -= 1
  let end = at
  while (end < bytes.length && within[bytes[end]!] === 1) end += 1
  if (bytes[end] === 0x0a && end > start && bytes[end - 1] === 0x0d) end -= 1
  const startsLine = start === 0 || bytes[start - 1] === 0x0a
  const endsLine = bytes[end] === 0x0a || (bytes[end] === 0x0d && bytes[end + 1] === 0x0a)
  const left = startsLine ? start : characterBefore(bytes, start)
  const right = endsLine ? end : end + (end < bytes.length ? characterLength(bytes, end, bytes.length) : 0)
  return { start, end, left, right }
}

function unitsBefore(bytes: Bytes, { left, start }: Run): number {
  return start - left < 2 ? start - left : decodeLine(bytes, left, start).length
}

function hitOf(
  bytes: Bytes,
  { start, end, next }: Line,
  { left, right }: Run,
  match: Span & { isAscii: boolean },
): LineHit {
  const place = (units: number) =>
    left + (match.isAscii ? units : bytesBefore(bytes, { start: left, end: right }, units))
  const from = place(match.start)
  return {
    start,
    end,
    next,
    line: undefined,
    text: undefined,
    column: from - start,
    length: place(match.end) - from,
    count: 1,
  }
}
