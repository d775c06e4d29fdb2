/** What a fork has changed: each entry as it was and as it is, and which files were moved. */
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { basename, isWithin } from '../../fs/path.js'
import { isStagedName } from '../../fs/staged-name.js'
import type { Branch, FileSystem } from '../../fs/types.js'
import { isUnread } from '../content-hash.js'
import { type EntryState, entryStateAt, imageAt } from '../entry-image.js'
import { follow, pairsOf, standingMoves } from '../history/later-moves.js'
import { type ChangeRecord, type Step, sameImage } from '../journal/record.js'
import { type Streamed, streamedFile } from '../streamed-content.js'
import { gitDirectoryOf } from './repositories.js'

export interface BranchEntry {
  path: string
  start: EntryState
  now: EntryState
  /** The content of a file that is too large to be held. */
  streamed?: Streamed
}

export interface BranchEntriesOptions {
  /** Whose roots count. */
  gate: ConfinedFileSystem
  /** What counts as the start in place of that of the branch, where it was merged before. */
  starts: ReadonlyMap<string, EntryState>
  leaveOut: readonly string[]
  /** A larger file is not read. */
  maxBytes: number
}

/** Sorted by path, without entries that are as they were. */
export async function branchEntries(
  { fs, start, changedPaths }: Branch,
  { gate, starts, leaveOut, maxBytes }: BranchEntriesOptions,
): Promise<BranchEntry[]> {
  const entries: BranchEntry[] = []
  const paths = new Set([...(await changedPaths()), ...starts.keys()])
  for (const path of [...paths].sort()) {
    if (isStagedName(basename(path)) || leaveOut.some((directory) => isWithin(directory, path))) continue
    if (!gate.roots.some((root) => isWithin(root.path, path))) continue
    const before = starts.get(path) ?? (await stateAt(start, path, maxBytes))
    const now = await stateAt(fs, path, maxBytes)
    if (sameImage(before.image, now.image)) continue
    const isLarge = now.image.kind === 'file' && now.bytes === undefined && now.stat !== undefined
    entries.push({ path, start: before, now, ...(isLarge && { streamed: streamedFile(fs, path, now.stat!) }) })
  }
  return entries
}

/** With the hash of a file that is too large to be held, too. */
async function stateAt(fs: FileSystem, path: string, maxBytes: number): Promise<EntryState> {
  const state = await entryStateAt(fs, path, { maxBytes })
  const isLarge = state.image.kind === 'file' && isUnread(state.image.hash)
  return isLarge ? { ...state, image: await imageAt(fs, path) } : state
}

/**
 * The files and links that were moved: their old paths by the new ones. The history of the fork says it, whatever became of their content;
 * of what it does not know, such as a move by a program, files with the same content.
 */
export async function movedEntries(
  entries: readonly BranchEntry[],
  history: () => Promise<readonly ChangeRecord[]>,
): Promise<Map<string, string>> {
  // The files of a repository are not moved: they are the same by chance.
  const files = entries.filter(({ path }) => gitDirectoryOf(path) === undefined)
  const gone = files.filter(({ start, now }) => isLeaf(start) && !isLeaf(now))
  const come = new Set(files.filter(({ start, now }) => !isLeaf(start) && isLeaf(now)).map(({ path }) => path))
  const moved = new Map<string, string>()
  if (gone.length === 0 || come.size === 0) return moved
  const moves = standingMoves(await history())
  const rest: Step[] = []
  for (const { path, start } of gone) {
    const to = moves.length === 0 ? path : follow(path, moves, { isThere: true })
    if (to !== path && come.delete(to)) moved.set(to, path)
    else rest.push({ do: 'set', path, before: start.image, after: { kind: 'absent' } })
  }
  for (const { path, now } of entries) {
    if (come.has(path)) rest.push({ do: 'set', path, before: { kind: 'absent' }, after: now.image })
  }
  for (const [to, from] of pairsOf(rest)) moved.set(to, from)
  return moved
}

/** A file or a link. */
export function isLeaf({ image }: EntryState): boolean {
  return image.kind === 'file' || image.kind === 'symlink'
}
