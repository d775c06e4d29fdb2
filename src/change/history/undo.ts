/** Undoes changes, and does them again. */
import { FsError, type Overlaps, type UndoOverlap } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import type { ChangeRequest, ChangeResult, Changes } from '../changes.js'
import type { ProgressOptions } from '../commit-context.js'
import type { Draft } from '../draft.js'
import { type ChangeRecord, undoneBy } from '../journal/record.js'
import { isInTheWay } from '../steps.js'
import { chooseUndos } from './choose-undos.js'
import type { KeptContent } from './contents-at.js'
import type { HistoryRecords } from './history-records.js'
import { scopesToTakeBack, type TakenBack, takeBack } from './take-back.js'

export interface Undone {
  /** Absent when nothing had to change. */
  record?: ChangeRecord
  /** What was left as it is. */
  overlaps: readonly UndoOverlap[]
  /** The changes of which something was left, by their ids. */
  left: readonly string[]
}

export interface UndoOptions extends ProgressOptions {
  isPassedOver?: (record: ChangeRecord) => boolean
  overlaps?: Overlaps
}

export interface UndoAllOptions extends ProgressOptions {
  redo?: readonly string[]
  label?: string
  overlaps?: Overlaps
}

export interface MergeOptions extends ProgressOptions {
  label: string
  overlaps: Overlaps
  /** The changes are undone to restore a state, and are all that was changed since. */
  isRestored?: boolean
}

export interface Merged extends Omit<TakenBack, 'whole'> {
  /** Absent when nothing had to change. */
  record?: ChangeRecord
}

/** The first two are those of `History`. */
export interface Undoing {
  undo(id?: string, options?: UndoOptions): Promise<ChangeRecord>
  undoAll(ids: readonly string[], options?: UndoAllOptions): Promise<Undone>
  /** Undoes changes, newest first. */
  merged(undo: readonly ChangeRecord[], options: MergeOptions): Promise<Merged>
  /** Makes a change that goes back. Reports an entry that was made or removed since as a conflict. */
  goBack<Result>(request: ChangeRequest, body: (draft: Draft) => Promise<Result>): Promise<ChangeResult<Result>>
}

export interface UndoingOptions {
  fs: ConfinedFileSystem
  changes: Changes
  records: HistoryRecords
  content: KeptContent
}

export function undoing({ fs, changes, records, content }: UndoingOptions): Undoing {
  async function undo(
    id?: string,
    { isPassedOver, overlaps = 'refuse', ...following }: UndoOptions = {},
  ): Promise<ChangeRecord> {
    await changes.settle()
    const record = id === undefined ? await records.newestStanding(isPassedOver) : await records.find(id)
    if (!record.undoable) throw notUndoable(record)
    const undone = await merged([record], { label: `undo ${record.label}`, overlaps, ...following })
    // It was undone already, or all that is left of it are directories that others use.
    if (undone.record === undefined)
      throw new FsError('CONFLICT', { path: undone.kept[0] ?? record.steps[0]?.path ?? '/' })
    return undone.record
  }

  async function undoAll(
    ids: readonly string[],
    { redo = [], overlaps = 'refuse', ...following }: UndoAllOptions = {},
  ): Promise<Undone> {
    await changes.settle()
    const undo = await toUndo(ids, redo)
    const lost = undo.find(({ undoable }) => !undoable)
    if (lost !== undefined && overlaps === 'refuse') throw notUndoable(lost)
    const [only, ...others] = undo
    const label = only !== undefined && others.length === 0 ? `undo ${only.label}` : `undo ${undo.length} changes`
    const { record, overlaps: found, partly } = await merged(undo, { label, overlaps, ...following })
    return { overlaps: found, left: partly, ...(record && { record }) }
  }

  /** The records to undo, newest first. */
  async function toUndo(ids: readonly string[], redo: readonly string[]): Promise<ChangeRecord[]> {
    const oldest = [...ids, ...redo].sort()[0]
    if (oldest === undefined) return []
    for (let from = oldest; ; ) {
      const known = (await records.from(from)).reverse()
      const unknown = [...ids, ...redo].find((id) => !known.some((record) => record.id === id))
      if (unknown !== undefined) throw new FsError('UNKNOWN_POINT', { point: unknown })
      // Something older may have been undone together with what is to be done again.
      const [older] = redo.length === 0 ? [] : [from, ...known.flatMap(undoneBy)].sort()
      if (older === undefined || older === from) {
        const chosen = chooseUndos(known, { ids: new Set(ids), redo: new Set(redo) })
        return known.filter(({ id }) => chosen.has(id))
      }
      from = older
    }
  }

  async function merged(
    undo: readonly ChangeRecord[],
    { label, overlaps, isRestored = false, ...following }: MergeOptions,
  ): Promise<Merged> {
    const oldest = undo.at(-1)
    if (oldest === undefined) return { overlaps: [], kept: [], partly: [] }
    const since = isRestored ? [...undo].reverse() : await records.from(oldest.id)
    const gitDirectories = [...new Set(undo.flatMap((record) => record.gitDirectories ?? []))]
    const undoes: string[] = []
    const undoesPartly: string[] = []
    const scopes = scopesToTakeBack(undo, since)
    const request = { label, scopes, gitDirectories, undoes, undoesPartly, ...following }
    const { result, record } = await goBack(request, async (draft) => {
      const taken = await takeBack({ draft, fs: fs.exact, undo, since, content, overlaps })
      // A restored state is not an undo of each change.
      undoes.splice(0, undoes.length, ...(isRestored ? [] : taken.whole))
      undoesPartly.splice(0, undoesPartly.length, ...taken.partly)
      return taken
    })
    return { ...result, ...(record && { record }) }
  }

  async function goBack<Result>(
    request: ChangeRequest,
    body: (draft: Draft) => Promise<Result>,
  ): Promise<ChangeResult<Result>> {
    try {
      return await changes.run({ ...request, replacesProtected: true }, body)
    } catch (error) {
      throw isInTheWay(error) ? new FsError('CONFLICT', { path: error.facts.path }, { cause: error }) : error
    }
  }

  return { undo, undoAll, merged, goBack }
}

export function notUndoable({ id, checkpoint, purged }: ChangeRecord): FsError {
  const reason = purged ? 'purged' : 'too-large'
  return new FsError('NOT_UNDOABLE', { point: id, ...(checkpoint === undefined && { reason }) })
}
