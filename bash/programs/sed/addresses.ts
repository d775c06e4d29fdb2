/** Whether a command applies to the current line. */
import type { ShellRegex } from '../../regex/index.js'
import { startsActive } from './parse-address.js'
import type { Address, Range, Script } from './script.js'

export interface Place {
  line: number
  isLast(): boolean
  /** Whether the pattern space matches; without a regex, the last one used. */
  matches(regex: ShellRegex | undefined): boolean
}

export function applies(range: Range, place: Place): boolean {
  return isWithin(range, place) !== range.isNegated
}

/** Before another file that is edited on its own. */
export function resetRanges({ commands }: Script): void {
  for (const { range } of commands) {
    if (range === undefined) continue
    range.isActive = startsActive(range.start)
    range.endLine = Infinity
    range.isOver = false
  }
}

function isWithin(range: Range, place: Place): boolean {
  const { end } = range
  if (end === undefined) return isAt(range.start, place)
  if (range.isActive) return isStillWithin(range, place)
  if (!begins(range, place)) return false
  switch (end.kind) {
    case 'line':
      range.endLine = end.line
      break
    case 'plus':
      range.endLine = place.line + end.count
      break
    case 'multiple':
      range.endLine = end.of > 0 ? place.line - (place.line % end.of) + end.of : place.line
      break
    default:
      range.endLine = Infinity
  }
  // An end that is here or behind makes it a range of one line.
  range.isActive = range.endLine > place.line
  if (!range.isActive) close(range)
  return true
}

/** A line by number begins a range later too, when the command was not reached at that line. */
function begins({ start, end, isOver }: Range, place: Place): boolean {
  if (start.kind !== 'line' || place.line <= start.line) return isAt(start, place)
  if (isOver) return false
  return end?.kind !== 'line' || place.line <= end.line
}

function close(range: Range): void {
  range.isActive = false
  range.isOver = range.start.kind === 'line'
}

function isStillWithin(range: Range, place: Place): boolean {
  const { end } = range
  if (end?.kind === 'line' || end?.kind === 'plus' || end?.kind === 'multiple') {
    if (place.line >= range.endLine) close(range)
    // The first line past a relative end still belongs to the range.
    return place.line <= range.endLine || end.kind !== 'line'
  }
  if (end !== undefined && isAt(end, place)) close(range)
  return true
}

function isAt(address: Address, place: Place): boolean {
  switch (address.kind) {
    case 'line':
      return place.line === address.line
    case 'last':
      return place.isLast()
    case 'step':
      if (address.step <= 0) return place.line === address.first
      return place.line >= address.first && (place.line - address.first) % address.step === 0
    case 'regex':
      return place.matches(address.regex)
  }
}
