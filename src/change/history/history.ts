/** The history of changes: lists and compares them, undoes them, and restores earlier states. */
import { FsError } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { dirname, isWithin } from '../../fs/path.js'
import type { Bytes } from '../../fs/types.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import type { ChangeRequest, ChangeResult, Changes } from '../changes.js'
import type { ProgressOptions } from '../commit-context.js'
import type { Draft } from '../draft.js'
import { type EntryState, entryStateAt } from '../entry-image.js'
import { isUnread, unreadHash } from '../hash.js'
import { keptContent } from '../journal/kept-content.js'
import { type ChangeRecord, type Image, inverse, pathsOf, type Step, sameImage, scopesOf } from '../journal/record.js'
import { putBackTime } from '../restored-time.js'
import { isInTheWay, required } from '../steps.js'
import { isStill, restorePath } from './restore-path.js'
import { standing } from './standing.js'
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
   * Undoes a change: by default the newest that is neither undone nor passed over. Fails with `CONFLICT` where its entries were changed
   * since.
   */
  undo(
    id?: string,
    options?: { isPassedOver?: (record: ChangeRecord) => boolean } & ProgressOptions,
  ): Promise<ChangeRecord>
  /**
   * Restores everything, or one path and all below it, to the state right after `point`. This is one change, itself undoable. Fails with
   * `CONFLICT` where an entry is in the way.
   */
  restore(point: string, options?: { path?: string } & ProgressOptions): Promise<ChangeRecord | undefined>
}

/** How many changes are searched for earlier versions of a file: reading the whole history would take too long. */
const recentChanges = 1000

export function createHistory(fs: ConfinedFileSystem, changes: Changes): History {
  const { journal } = changes

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
    const found: ChangeRecord[] = []
    for await (const record of newestFirst()) {
      if (record.id <= first) break
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
      const bytes = id === undefined ? undefined : await keptContent(journal, id, image.hash)
      if (bytes !== undefined) return bytes
      const now = await entryStateAt(fs.exact, place(path))
      return now.image.kind === 'file' && now.image.hash === image.hash ? now.bytes : undefined
    }
  }

  async function undo(
    id?: string,
    { isPassedOver, ...following }: Parameters<History['undo']>[1] & object = {},
  ): Promise<ChangeRecord> {
    await changes.settle()
    const record = id === undefined ? await newestStanding(isPassedOver) : await find(id)
    if (!record.undoable) throw notUndoable(record)
    const bytesOf = async (path: string, hash: string) => required(await keptContent(journal, record.id, hash), path)
    const { gitDirectories = [] } = record
    const made = await goBack(
      { label: `undo ${record.label}`, scopes: scopesOf(record), undoes: record.id, gitDirectories, ...following },
      (draft) => draftSteps(draft, inverse(record), bytesOf),
    )
    return recordOf(made)
  }

  /** Reports an entry that was made or removed since as a conflict. */
  async function goBack(request: ChangeRequest, body: (draft: Draft) => Promise<void>): Promise<ChangeResult<void>> {
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
    const scopes = records.flatMap(scopesOf)
    const made = await goBack({ ...request, scopes }, async (draft) => {
      const keeping = holders(records)
      const bytesOf = async (at: string, hash: string) =>
        required(await keptContent(journal, keeping.get(hash) ?? '', hash), at)
      for (const record of [...records].reverse()) {
        await draftSteps(draft, inverse(record), bytesOf)
      }
    })
    return made.record
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
          const bytes = await keptContent(journal, record.id, step.before.hash)
          if (bytes !== undefined) versions.push(bytes)
        }
      }
      return versions
    },

    undo,
    restore,
  }
}

function notUndoable({ id, checkpoint, purged }: ChangeRecord): FsError {
  const reason = purged ? 'purged' : 'too-large'
  return new FsError('NOT_UNDOABLE', { point: id, ...(checkpoint === undefined && { reason }) })
}

/** The id of the last record that stores each content, by hash. */
function holders(records: readonly ChangeRecord[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const { id, steps, undoable } of records) {
    if (!undoable) continue
    for (const step of steps) if (step.do === 'set' && step.before.kind === 'file') found.set(step.before.hash, id)
  }
  return found
}

/** Drafts steps onto the tree. Fails with `CONFLICT` where it is not as their `before` says. */
async function draftSteps(
  draft: Draft,
  steps: readonly Step[],
  bytesOf: (path: string, hash: string) => Promise<Bytes>,
): Promise<void> {
  const turn = yieldBetweenSteps()
  for (const step of steps) {
    const pause = turn()
    if (pause !== undefined) await pause
    if (step.do === 'rename' && step.via !== undefined) {
      if ((await draft.entry(step.path)).image.kind !== step.before.kind)
        throw new FsError('CONFLICT', { path: step.path })
      await draft.move(step.path, step.to)
      continue
    }
    if (step.do === 'rename') {
      const { image, stat } = await draft.entry(step.path)
      // A renamed file has no content hash in its step, so its size and time are compared.
      const isSame = step.before.kind !== 'file' || (stat !== undefined && unreadHash(stat) === step.before.hash)
      if (image.kind !== step.before.kind || !isSame) throw new FsError('CONFLICT', { path: step.path })
      if ((await draft.entry(step.to)).image.kind !== 'absent') throw new FsError('CONFLICT', { path: step.to })
      await draft.move(step.path, step.to)
      continue
    }
    const { path, before, after } = step
    const isModeAlone = before.kind === 'file' && after.kind === 'file' && before.hash === after.hash
    const look = await (isModeAlone ? draft.entryUnread(path) : draft.entry(path))
    const expected = isModeAlone ? asFarAsKnown(before, look) : before
    if (!(await isStill(path, look, expected, draft))) throw new FsError('CONFLICT', { path })
    const mode = 'mode' in after && after.mode !== undefined ? { mode: after.mode } : {}
    if (after.kind === 'absent') await draft.remove(path)
    else if (isModeAlone) {
      if (after.mode !== undefined) await draft.setMode(path, after.mode)
    } else if (after.kind === 'directory' && before.kind === 'directory') {
      if (after.mode !== undefined) await draft.setMode(path, after.mode)
    } else {
      // Only a file is replaced in one step; other entries are removed first.
      if (before.kind !== 'absent' && (before.kind !== after.kind || after.kind === 'symlink')) await draft.remove(path)
      if (after.kind === 'file')
        await draft.write(path, await bytesOf(path, after.hash), { ...mode, ...putBackTime(path) })
      if (after.kind === 'directory') await draft.makeDirectory(path, mode)
      if (after.kind === 'symlink') await draft.link(path, after)
    }
  }
}

/** Compares a file that was not read, then or now, by size and time only. */
function asFarAsKnown(expected: Image & { kind: 'file' }, { image: now, stat }: EntryState): Image {
  if (now.kind !== 'file' || now.size !== expected.size) return expected
  const wasUnread = stat !== undefined && unreadHash(stat) === expected.hash
  return wasUnread || isUnread(now.hash) ? { ...expected, hash: now.hash } : expected
}

function touches(record: ChangeRecord, path: string): boolean {
  return record.steps.some((step) =>
    pathsOf(step).some(
      (at) => isWithin(path, at) || (isWithin(at, path) && (step.do === 'rename' || at !== dirname(path))),
    ),
  )
}

/** An undo always changes something. */
function recordOf({ record }: ChangeResult<void>): ChangeRecord {
  if (record === undefined) throw new FsError('UNKNOWN_POINT', { point: 'nothing to take back' })
  return record
}
