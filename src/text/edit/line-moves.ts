/** Converts line numbers of the original text to those after some edits. */

import { type LineTable, lastAtMost } from '../lines/lines.js'
import type { Change } from './edit-plan.js'
import type { Edit } from './edit-types.js'

/** A change and how many lines it adds, or removes if negative. */
export type CountedChange = Change & { delta: number }

/** What a change does to line numbers: lines from `touched` to before `from` were changed, later ones are moved by `delta`. */
interface LineMove {
  touched: number
  from: number
  delta: number
}

/** The moves of one edit, in order. */
export interface LineMoves {
  readonly moves: readonly LineMove[]
  /** `from` of each, and the total shift of lines from there on. */
  readonly froms: readonly number[]
  readonly shifts: readonly number[]
}

export function lineMoves(changes: readonly CountedChange[], lines: LineTable, edit: Edit | undefined): LineMoves {
  const moves = changes.map((change) => lineMove(change, lines, edit))
  let shift = 0
  const shifts = moves.map(({ delta }) => {
    shift += delta
    return shift
  })
  return { moves, froms: moves.map(({ from }) => from), shifts }
}

function lineMove({ start, end, delta }: CountedChange, lines: LineTable, edit: Edit | undefined): LineMove {
  // Computed from line numbers: replacing an empty line would look like an insertion, and a last line may have no ending to count.
  if (edit?.kind === 'lines') {
    const { first, last } = edit
    return { touched: first, from: last + 1, delta: edit.lines.length - (last + 1 - first) }
  }
  const first = lines.lineAt(start)
  const last = lines.lineAt(end)
  const from = lines.start(last) >= end ? last : last + 1
  const touched = start === end ? from : lines.contentEnd(first) === start ? first + 1 : first
  return { touched, from, delta }
}

/** The line number after all edits. For a line that an edit changed: the result of `inside`, or undefined without it. */
export function lineNow(line: number, edits: readonly LineMoves[]): number | undefined
export function lineNow(line: number, edits: readonly LineMoves[], inside: (move: LineMove) => number): number
export function lineNow(line: number, edits: readonly LineMoves[], inside?: (move: LineMove) => number) {
  let current = line
  for (const edit of edits) {
    const over = moveOver(edit, current)
    if (over && !inside) return undefined
    const shift = edit.shifts[lastAtMost(edit.froms, over?.touched ?? current)] ?? 0
    current = (over && inside ? inside(over) : current) + shift
  }
  return current
}

/** The first move that changed this line. A change begins in the line that it touches, or in the one before. */
function moveOver({ moves, froms }: LineMoves, line: number): LineMove | undefined {
  for (let at = lastAtMost(froms, line) + 1; at < moves.length; at += 1) {
    const move = moves[at] as LineMove
    if (move.touched <= line) return move
    if (move.touched > line + 1) return undefined
  }
  return undefined
}
