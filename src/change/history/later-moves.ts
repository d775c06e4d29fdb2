/** Follows entries to where later changes have moved them. */
import { isWithin, join, relative } from '../../fs/path.js'
import type { ChangeRecord, Step } from '../journal/record.js'
import { standing } from './standing.js'

export interface Move {
  /** The change that made it. */
  id: string
  from: string
  to: string
  /** Everything below goes along. */
  isTree: boolean
}

/** What changes moved, in order. */
export function movesOf(records: readonly ChangeRecord[]): Move[] {
  return records.flatMap(({ id, steps }) => {
    const pairs = pairsOf(steps, { overOthers: true })
    return steps.flatMap((step): Move[] => {
      if (step.do === 'rename') return [{ id, from: step.path, to: step.to, isTree: step.before.kind === 'directory' }]
      const from = pairs.get(step.path)
      return from === undefined ? [] : [{ id, from, to: step.path, isTree: false }]
    })
  })
}

/** What changes moved that stand: an undo with what it undid moves nothing. */
export function standingMoves(records: readonly ChangeRecord[]): Move[] {
  const stands = standing()
  return movesOf([...records].reverse().filter(stands).reverse())
}

/** Where the entry of this path is after all moves. What is not there itself goes only where its directory goes. */
export function follow(path: string, moves: readonly Move[], { isThere }: { isThere: boolean }): string {
  let at = path
  for (const { from, to, isTree } of moves) {
    if (isTree && isWithin(from, at)) at = join(to, relative(from, at))
    else if (isThere && at === from) at = to
  }
  return at
}

/**
 * A moved file has two steps, of which one removes it and one makes it again with the same content: the old paths by the new ones. With
 * `overOthers` also where it replaced another file.
 */
export function pairsOf(steps: readonly Step[], { overOthers = false } = {}): Map<string, string> {
  const gone = new Map<string, string[]>()
  for (const step of steps) {
    if (step.do === 'rename' || step.before.kind !== 'file' || step.after.kind !== 'absent') continue
    const { hash, size } = step.before
    // Empty files are all the same.
    if (size > 0) gone.set(hash, [...(gone.get(hash) ?? []), step.path])
  }
  const pairs = new Map<string, string>()
  if (gone.size === 0) return pairs
  for (const step of steps) {
    if (step.do === 'rename' || step.after.kind !== 'file') continue
    if (step.before.kind !== 'absent' && !(overOthers && step.before.kind === 'file')) continue
    const from = gone.get(step.after.hash)?.shift()
    if (from !== undefined) pairs.set(step.path, from)
  }
  return pairs
}
