/** The history of changes: lists and compares them, undoes them, and restores earlier states. */
import { FsError, type Overlaps, type UndoOverlap } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { dirname, isWithin } from '../../fs/path.js'
import type { Bytes } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import type { ChangeRequest, ChangeResult, Changes } from '../changes.js'
import type { ProgressOptions } from '../commit-context.js'
import type { Draft } from '../draft.js'
import { entryStateAt } from '../entry-image.js'
import { isUnread } from '../hash.js'
import { keptContent } from '../journal/kept-content.js'
import { type ChangeRecord, type Image, pathsOf, type Step, sameImage, scopesOf, undoneBy } from '../journal/record.js'
import { isInTheWay, required } from '../steps.js'
import { chooseUndos } from './choose-undos.js'
import { restorePath } from './restore-path.js'
import { standing } from './standing.js'
import { holders, scopesToTakeBack, type TakenBack, takeBack } from './take-back.js'
import { timeline } from './timeline.js'
import { isWithinReach } from './visible-records.js'

/** A path that differs between two points of the history. */
export interface Difference {
  path: string
  before: Image
  after: Image
  /** The bytes of a file at each point. */
  bytesBefore?: Bytes
  bytesAfter?: Bytes
}

export interface ListFilter {
  /** Only changes of this path or below it. */
  path?: string
  /** Only changes before the one with this id. */
  before?: string
  limit?: number
}

export interface Undone {
  /** Absent when nothing had to change. */
  record?: ChangeRecord
  /** What was left as it is. */
  overlaps: readonly UndoOverlap[]
  /** The changes of which something was left, by their ids. */
  left: readonly string[]
}

export interface History {
  /** Newest first. */
  list(filter?: ListFilter): Promise<ChangeRecord[]>
  /** A record by its id, or the newest checkpoint by its name. */
  find(point: string): Promise<ChangeRecord>
  /** The differences from `from`, or the start of the history, to `to`, or now; only of `path` and below it, when given. */
  differences(from: string | undefined, options?: { to?: string; path?: string }): Promise<Difference[]>
  /** A file's bytes at earlier points, newest first, without its current content. */
  earlierVersions(path: string, limit: number): Promise<Bytes[]>
  /**
   * Undoes a change: by default the newest that is neither undone nor passed over. What others changed since stays. Where that was the same
   * lines, or can't be merged, `overlaps` decides: by default nothing is changed, and it fails with `CONFLICT`.
   */
  undo(
    id?: string,
    options?: { isPassedOver?: (record: ChangeRecord) => boolean; overlaps?: Overlaps } & ProgressOptions,
  ): Promise<ChangeRecord>
  /**
   * Undoes several changes as one, in the same way, and does others again that were undone. Leaves out what is undone or done already.
   */
  undoAll(
    ids: readonly string[],
    options?: { redo?: readonly string[]; label?: string; overlaps?: Overlaps } & ProgressOptions,
  ): Promise<Undone>
  /**
   * Restores everything, or one path and all below it, to the state right after `point`. This is one change, itself undoable. What other
   * programs changed, past the history, stays, unless one path is given; fails with `CONFLICT` where that is not possible.
   */
  restore(point: string, options?: { path?: string } & ProgressOptions): Promise<ChangeRecord | undefined>
}

/** How many changes are searched for earlier versions of a file: reading the whole history would take too long. */
const recentChanges = 1000

export function createHistory(fs: ConfinedFileSystem, changes: Changes): History {
  const { journal } = changes
  const content = (id: string, hash: string) => keptContent(journal, id, hash)

  function isVisible(record: ChangeRecord): boolean {
    return isWithinReach(fs, record, 'read')
  }

  /** Visible records, newest first. Reads them in batches, so that a caller who needs few reads few. */
  async function* newestFirst(before?: string, first = 16): AsyncGenerator<ChangeRecord> {
    const turn = yieldBetweenSteps()
    let last = before
    let newest = first
    for (;;) {
      const batch = await journal.history(newest, last)
      // A journal supplied by the caller may ignore the second argument.
      const records = batch.filter(({ id }) => last === undefined || id < last)
      // An empty batch may be one whose records could not be read; then all the rest is read.
      if (records.length === 0 && newest === Infinity) return
      last = records[0]?.id ?? last
      newest = records.length === 0 ? Infinity : newest * 4
      for (const record of records.reverse()) {
        if (isVisible(record)) yield record
        await turn()
      }
    }
  }

  async function list({ path, before, limit = Infinity }: ListFilter = {}): Promise<ChangeRecord[]> {
    if (limit <= 0) return []
    const found: ChangeRecord[] = []
    for await (const record of newestFirst(before, path === undefined ? limit : undefined)) {
      if (path === undefined || touches(record, path)) found.push(record)
      if (found.length >= limit) break
    }
    return found
  }

  async function find(point: string): Promise<ChangeRecord> {
    // The last record whose id is not greater.
    const [byId] = await journal.history(1, `${point}\0`)
    if (byId?.id === point && isVisible(byId)) return byId
    for await (const record of newestFirst()) if (record.checkpoint === point) return record
    throw new FsError('UNKNOWN_POINT', { point })
  }

  /** Every record after a point, or every record, oldest first. */
  async function recordsAfter(point: string | undefined): Promise<ChangeRecord[]> {
    const first = point === undefined ? '' : (await find(point)).id
    return (await recordsFrom(first)).filter(({ id }) => id > first)
  }

  /** Every record from the one with an id on, oldest first. */
  async function recordsFrom(first: string): Promise<ChangeRecord[]> {
    const found: ChangeRecord[] = []
    for await (const record of newestFirst()) {
      if (record.id < first) break
      found.push(record)
    }
    return found.reverse()
  }

  /** Returns the bytes of files at a point: from a record since then, or from the file's current place. */
  function contentsAt(since: readonly ChangeRecord[]): (image: Image, path: string) => Promise<Bytes | undefined> {
    const keeping = holders(since)
    const { place } = timeline(since)
    return async (image, path) => {
      if (image.kind !== 'file' || isUnread(image.hash)) return undefined
      const id = keeping.get(image.hash)
      const bytes = id === undefined ? undefined : await content(id, image.hash)
      if (bytes !== undefined) return bytes
      const now = await entryStateAt(fs.exact, place(path))
      return now.image.kind === 'file' && now.image.hash === image.hash ? now.bytes : undefined
    }
  }

  async function undo(
    id?: string,
    { isPassedOver, overlaps = 'refuse', ...following }: Parameters<History['undo']>[1] & object = {},
  ): Promise<ChangeRecord> {
    await changes.settle()
    const record = id === undefined ? await newestStanding(isPassedOver) : await find(id)
    if (!record.undoable) throw notUndoable(record)
    const undone = await merged([record], { label: `undo ${record.label}`, overlaps, ...following })
    // It was undone already, or all that is left of it are directories that others use.
    if (undone.record === undefined)
      throw new FsError('CONFLICT', { path: undone.kept[0] ?? record.steps[0]?.path ?? '/' })
    return undone.record
  }

  async function undoAll(
    ids: readonly string[],
    { redo = [], overlaps = 'refuse', ...following }: Parameters<History['undoAll']>[1] & object = {},
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
      const records = (await recordsFrom(from)).reverse()
      const unknown = [...ids, ...redo].find((id) => !records.some((record) => record.id === id))
      if (unknown !== undefined) throw new FsError('UNKNOWN_POINT', { point: unknown })
      // Something older may have been undone together with what is to be done again.
      const [older] = redo.length === 0 ? [] : [from, ...records.flatMap(undoneBy)].sort()
      if (older === undefined || older === from) {
        const chosen = chooseUndos(records, { ids: new Set(ids), redo: new Set(redo) })
        return records.filter(({ id }) => chosen.has(id))
      }
      from = older
    }
  }

  /** Undoes changes, newest first. */
  async function merged(
    undo: readonly ChangeRecord[],
    {
      label,
      overlaps,
      isRestored = false,
      ...following
    }: ProgressOptions & { label: string; overlaps: Overlaps; isRestored?: boolean },
  ): Promise<Omit<TakenBack, 'whole'> & { record?: ChangeRecord }> {
    const oldest = undo.at(-1)
    if (oldest === undefined) return { overlaps: [], kept: [], partly: [] }
    const since = isRestored ? [...undo].reverse() : await recordsFrom(oldest.id)
    const gitDirectories = [...new Set(undo.flatMap((record) => record.gitDirectories ?? []))]
    const undoes: string[] = []
    const undoesPartly: string[] = []
    const scopes = scopesToTakeBack(undo, since)
    const request = { label, scopes, gitDirectories, undoes, undoesPartly, ...following }
    const { result, record } = await goBack(request, async (draft) => {
      const taken = await takeBack({ draft, fs: fs.exact, undo, since, content, overlaps })
      // A restored state is no undo of each change.
      undoes.splice(0, undoes.length, ...(isRestored ? [] : taken.whole))
      undoesPartly.splice(0, undoesPartly.length, ...taken.partly)
      return taken
    })
    return { ...result, ...(record && { record }) }
  }

  /** Reports an entry that was made or removed since as a conflict. */
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

  async function newestStanding(isPassedOver?: (record: ChangeRecord) => boolean): Promise<ChangeRecord> {
    const stands = standing()
    for await (const record of newestFirst(undefined, 1)) if (stands(record) && !isPassedOver?.(record)) return record
    throw new FsError('UNKNOWN_POINT', { point: 'the newest change' })
  }

  async function restore(
    point: string,
    { path, ...following }: { path?: string } & ProgressOptions = {},
  ): Promise<ChangeRecord | undefined> {
    await changes.settle()
    const since = await recordsAfter(point)
    const records = path === undefined ? since : since.filter((record) => touches(record, path))
    const blocked = records.find(({ undoable, checkpoint }) => !undoable && checkpoint === undefined)
    if (blocked !== undefined) throw notUndoable(blocked)
    if (records.length === 0) return undefined
    const gitDirectories = [...new Set(records.flatMap((record) => record.gitDirectories ?? []))]
    const request = { label: `restore ${point}`, gitDirectories, ...following }
    if (path !== undefined) {
      const isMove = (step: Step) => step.do === 'rename'
      const moves = since.flatMap((record) => scopesOf({ ...record, steps: record.steps.filter(isMove) }))
      const scopes = [{ path, exact: true, tree: true }, ...moves]
      const content = contentsAt(since)
      const { record } = await goBack({ ...request, scopes }, (draft) =>
        restorePath(path, {
          fs: fs.exact,
          draft,
          timeline: timeline(since),
          bytesOf: async (at, image) => required(await content(image, at), at),
        }),
      )
      return record
    }
    const { record, kept } = await merged(records.reverse(), {
      label: `restore ${point}`,
      overlaps: 'refuse',
      isRestored: true,
      ...following,
    })
    const [used] = kept
    if (record === undefined && used !== undefined) throw new FsError('CONFLICT', { path: used })
    return record
  }

  return {
    async list(filter) {
      await changes.settle()
      return list(filter)
    },
    find,

    async differences(from, { to, path = '/' } = {}) {
      const sinceFrom = await recordsAfter(from)
      const last = to === undefined ? undefined : (await find(to)).id
      const sinceTo = sinceFrom.filter(({ id }) => last !== undefined && id > last)
      const inBetween = timeline(sinceFrom.filter(({ id }) => last === undefined || id <= last))
      const tillNow = timeline(sinceFrom)
      const [contentBefore, contentAfter] = [contentsAt(sinceFrom), contentsAt(sinceTo)]
      const imageBefore = async (at: string): Promise<Image> => {
        const traced = tillNow.before(at)
        return 'image' in traced ? traced.image : (await entryStateAt(fs.exact, traced.at)).image
      }
      const found: Difference[] = []
      for (const at of [...inBetween.paths()].filter((one) => isWithin(path, one)).sort()) {
        const before = await imageBefore(at)
        const traced = inBetween.after(at)
        const after = 'image' in traced ? traced.image : await imageBefore(traced.at)
        if (sameImage(before, after)) continue
        const bytesBefore = await contentBefore(before, at)
        const bytesAfter = await contentAfter(after, at)
        found.push({ path: at, before, after, ...(bytesBefore && { bytesBefore }), ...(bytesAfter && { bytesAfter }) })
      }
      return found
    },

    async earlierVersions(path, limit) {
      const versions: Bytes[] = []
      for (const record of (await journal.history(recentChanges)).reverse()) {
        for (const step of record.steps) {
          if (versions.length === limit) return versions
          if (step.do !== 'set' || step.path !== path || step.before.kind !== 'file') continue
          const bytes = await content(record.id, step.before.hash)
          if (bytes !== undefined) versions.push(bytes)
        }
      }
      return versions
    },

    undo,
    undoAll,
    restore,
  }
}

function notUndoable({ id, checkpoint, purged }: ChangeRecord): FsError {
  const reason = purged ? 'purged' : 'too-large'
  return new FsError('NOT_UNDOABLE', { point: id, ...(checkpoint === undefined && { reason }) })
}

function touches(record: ChangeRecord, path: string): boolean {
  return record.steps.some((step) =>
    pathsOf(step).some(
      (at) => isWithin(path, at) || (isWithin(at, path) && (step.do === 'rename' || at !== dirname(path))),
    ),
  )
}
