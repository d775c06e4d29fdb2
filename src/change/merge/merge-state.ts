/** What a merge knows while it is drafted: its conflicts, and how they are to be resolved. */
import { FsError, isFsError } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { dirname } from '../../fs/path.js'
import type { FileSystem } from '../../fs/types.js'
import { isUnread } from '../content-hash.js'
import type { Draft } from '../draft.js'
import type { EntryState } from '../entry-image.js'
import type { MergeConflict, MergedEntry, MergeOptions, MergeResolution } from './types.js'

export interface MergeState {
  readonly draft: Draft
  readonly fs: FileSystem
  readonly merged: MergedEntry[]
  readonly conflicts: MergeConflict[]
  readonly kept: Set<string>
  /** An entry of ours as drafted so far, with the hash of a large file too. */
  ours(path: string): Promise<EntryState>
  /** How the conflict at a path is to be resolved. Where nothing says it, the rows become conflicts. */
  resolve(path: string, rows: readonly MergeConflict[], options?: { areLines?: boolean }): MergeResolution | undefined
  /** Makes the directories above a path. False where something is in the way, which is a conflict, or where ours is to stay. */
  openWay(path: string): Promise<boolean>
  /** Fails with `INVALID_INPUT` for a resolution without a conflict. */
  requireUsed(): void
}

export function mergeState(draft: Draft, gate: ConfinedFileSystem, options: MergeOptions): MergeState {
  const { resolve: given = {}, favor } = options
  const merged: MergedEntry[] = []
  const conflicts: MergeConflict[] = []
  const kept = new Set<string>()
  const used = new Set<string>()
  const blocked = new Map<string, MergeResolution | undefined>()

  async function ours(path: string): Promise<EntryState> {
    const state = await draft.entry(path)
    if (state.image.kind !== 'file' || !isUnread(state.image.hash)) return state
    return { ...state, image: await draft.imageOf(path) }
  }

  function resolve(
    path: string,
    rows: readonly MergeConflict[],
    { areLines = false }: { areLines?: boolean } = {},
  ): MergeResolution | undefined {
    const own = Object.hasOwn(given, path) ? given[path] : undefined
    if (own !== undefined) used.add(path)
    if (own === 'both' && !areLines) throw invalid(path, '"both" is only for lines that both sides changed')
    const resolution = own ?? favor
    if (resolution === undefined) conflicts.push(...rows)
    return resolution
  }

  async function openWay(path: string): Promise<boolean> {
    for (;;) {
      try {
        await draft.makeParents(path)
        return true
      } catch (error) {
        if (!isFsError(error, 'NOT_A_DIRECTORY')) throw error
      }
      const at = await obstacleAbove(path)
      if (!blocked.has(at)) blocked.set(at, resolve(at, [{ path: at, reason: 'taken' }]))
      const resolution = blocked.get(at)
      if (typeof resolution === 'object') throw invalid(at, 'a directory is to be there: "ours" or "theirs"')
      if (resolution !== 'theirs') return false
      await draft.remove(at)
      merged.push({ path: at, change: 'deleted' })
    }
  }

  async function obstacleAbove(path: string): Promise<string> {
    let found = dirname(path)
    for (let at = found; at !== '/' && !gate.isRoot(at); at = dirname(at)) {
      const { kind } = (await draft.entry(at)).image
      if (kind !== 'absent' && kind !== 'directory') found = at
    }
    return found
  }

  return {
    draft,
    fs: gate.exact,
    merged,
    conflicts,
    kept,
    ours,
    resolve,
    openWay,
    requireUsed() {
      for (const path of Object.keys(given))
        if (!used.has(path)) throw invalid(path, 'there is no conflict at this path')
    },
  }
}

export function invalid(path: string, message: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: ['resolve', path], kind: 'other', message }] })
}

/** By their paths. What is at the same path stays in order. */
export function sortedBy<Item extends { path: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}
