/** Where lines are after edits: line numbers of the text as it was, turned into those of now. */

import { type LineTable, lastAtMost } from '../lines/lines.js'
import type { Change } from './edit-plan.js'
import type { Edit } from './edit-types.js'

/** Lines more (or less) than before are known. */
export type CountedChange = Change & { delta: number }

/** What a change did to line numbers: lines from `touched` up to `from` are no longer what they were, those after have moved. */
interface LineMove {
  touched: number
  from: number
  delta: number
}

/** What the changes of one edit did, in order. */
export interface LineMoves {
  readonly moves: readonly LineMove[]
  /** `from` of each, and by how much lines from there on have moved in all. */
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
  // An empty line that is replaced is no place between two others, and a last line may have no ending that could be counted.
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

/** Where a line is after all edits; `inside` says so for one that an edit has changed, which is nowhere otherwise. */
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

/** The first move whose lines this is one of. A change begins in the line that it touches, or in the one before that. */
function moveOver({ moves, froms }: LineMoves, line: number): LineMove | undefined {
  for (let at = lastAtMost(froms, line) + 1; at < moves.length; at += 1) {
    const move = moves[at] as LineMove
    if (move.touched <= line) return move
    if (move.touched > line + 1) return undefined
  }
  return undefined
}
