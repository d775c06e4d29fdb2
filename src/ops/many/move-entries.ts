import * as z from 'zod'
import type { Draft } from '../../change/draft.js'
import { FsError } from '../../errors.js'
import { isWithin, join } from '../../fs/path.js'
import { stagedNames } from '../../fs/staged-name.js'
import type { Workspace } from '../../workspace/workspace.js'
import { type CallContext, operation } from '../operation.js'
import { twoPhaseProgress } from '../shared/two-phase-progress.js'
import { nearestAbove, type PlacedPair, pairsInput, pairsOf, placed, refuseSameTargets, shallowFirst } from './pairs.js'

export interface MovedEntry {
  from: string
  to: string
  kind: 'file' | 'directory' | 'symlink'
  replaced: boolean
}

const options = {
  /** Replace existing files. */
  replace: z.boolean().default(false),
  /** Create missing parent directories. */
  makeParents: z.boolean().default(false),
}

/**
 * Moves or renames files, links and directories, all or none and as if at the same time: two entries can change places, and one can take
 * the place that another leaves. An entry inside a directory that moves too goes to its own target. A directory is never replaced.
 */
export const moveEntries = operation({
  mutates: true,
  input: z.intersection(pairsInput, z.object(options)),
  run: moveAll,
})

interface Move extends PlacedPair {
  kind: MovedEntry['kind']
}

export interface MoveRules {
  replace: boolean
  makeParents: boolean
}

export async function moveAll(
  input: z.output<typeof pairsInput> & MoveRules,
  workspace: Workspace,
  context: CallContext,
): Promise<MovedEntry[]> {
  const { fs, changes } = workspace
  const { pairs, scopes } = await pairsOf(input, workspace)
  for (const { from, to } of pairs) {
    for (const path of [from, to]) if (fs.isRoot(path)) throw new FsError('IS_ROOT', { path })
  }
  const { prepared, changeOptions } = twoPhaseProgress(context)
  const { result } = await changes.run({ label: 'move', scopes, ...changeOptions }, async (draft, located) => {
    const moves = await movesOf(draft, placed(workspace, pairs, located))
    const moving = moves.filter(({ source, target }) => source !== target)
    const isTangled = moves.length > 1 && checkTogether(workspace, moves)
    const replaced = new Set<Move>()
    const leave = isTangled ? await leaveAll(workspace, draft, moving) : ({ source }: Move) => source
    for (const move of isTangled ? [...moving].sort((a, b) => shallowFirst(a.target, b.target)) : moving) {
      if (await arrive(draft, leave(move), move, input)) replaced.add(move)
      if (moves.length > 1) prepared(moves.length)
    }
    return moves.map((move) => {
      const { from, to, kind } = move
      return { from, to, kind, replaced: replaced.has(move) }
    })
  })
  return result
}

async function movesOf(draft: Draft, pairs: readonly PlacedPair[]): Promise<Move[]> {
  const moves: Move[] = []
  for (const pair of pairs) {
    const { source, target } = pair
    const { kind } = (await draft.entry(source)).image
    if (kind === 'absent') throw new FsError('NOT_FOUND', { path: source })
    if (kind === 'directory' && source !== target && isWithin(source, target)) {
      throw new FsError('INTO_ITSELF', { path: source, to: target })
    }
    moves.push({ ...pair, kind })
  }
  return moves
}

/** Refuses moves that exclude each other; true when the result of some depends on others. */
function checkTogether(workspace: Workspace, moves: readonly Move[]): boolean {
  const key = workspace.fs.comparable
  const sources = new Set<string>()
  for (const { source } of moves) {
    if (sources.has(key(source))) {
      throw new FsError('CLASHING_PATHS', { path: source, other: source, reason: 'same-source' })
    }
    sources.add(key(source))
  }
  refuseSameTargets(workspace, moves)
  const moving = moves.filter(({ source, target }) => source !== target)
  const bySource = new Map(moving.map((move) => [key(move.source), move]))
  const byTarget = new Map(moving.map((move) => [key(move.target), move]))
  for (const { target } of moves) {
    // Whether such an entry goes along or stays behind would be a guess.
    const left = nearestAbove(key(target), bySource)
    if (left === undefined) continue
    throw new FsError('CLASHING_PATHS', { path: target, other: left.source, reason: 'into-moved' })
  }
  return moving.some(
    ({ source, target }) =>
      bySource.has(key(target)) ||
      nearestAbove(key(source), bySource) !== undefined ||
      nearestAbove(key(target), byTarget) !== undefined,
  )
}

/**
 * Moves all entries to places of their own in the draft, the innermost first, so that all targets are free. Nothing is ever written at
 * these places: the plan compares the tree before and after.
 */
async function leaveAll(
  { fs }: Workspace,
  draft: Draft,
  moves: readonly Move[],
): Promise<(move: PlacedPair) => string> {
  const nextName = stagedNames()
  const waiting = new Map<PlacedPair, string>()
  for (const move of [...moves].sort((a, b) => shallowFirst(b.source, a.source))) {
    const place = join(fs.rootOf(move.source).path, nextName())
    await draft.move(move.source, place)
    waiting.set(move, place)
  }
  return (move) => waiting.get(move) as string
}

/** Moves an entry to its target; true when it replaced a file. */
async function arrive(draft: Draft, from: string, move: Move, { replace, makeParents }: MoveRules): Promise<boolean> {
  const { source, target, kind, respells } = move
  if (respells && from === source) {
    await draft.move(source, target)
    return false
  }
  if (makeParents) await draft.makeParents(target)
  const there = (await draft.entry(target)).image.kind
  if (there === 'directory') throw new FsError('IS_A_DIRECTORY', { path: target })
  if (there !== 'absent') {
    if (!replace || kind === 'directory') throw new FsError('EXISTS', { path: target, from: source })
    await draft.remove(target)
  }
  await draft.move(from, target)
  return there !== 'absent'
}
