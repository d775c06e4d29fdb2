/** Finds and lists the records of a history that a workspace may see. */
import { FsError } from '../../errors.js'
import type { ConfinedFileSystem } from '../../fs/gate/confine.js'
import { dirname, isWithin } from '../../fs/path.js'
import { yieldBetweenSteps } from '../../fs/yield-between-steps.js'
import type { Changes } from '../changes.js'
import { type ChangeRecord, pathsOf } from '../journal/record.js'
import { standing } from './standing.js'
import { isWithinReach } from './visible-records.js'

export interface ListFilter {
  /** Only changes of this path or below it. */
  path?: string
  /** Only changes before the one with this id. */
  before?: string
  limit?: number
}

export interface HistoryRecords {
  /** Newest first. */
  list(filter?: ListFilter): Promise<ChangeRecord[]>
  /** A record by its id, or the newest checkpoint by its name. */
  find(point: string): Promise<ChangeRecord>
  /** Every record after a point, or every record, oldest first. */
  after(point: string | undefined): Promise<ChangeRecord[]>
  /** Every record from the one with an id on, oldest first. */
  from(id: string): Promise<ChangeRecord[]>
  /** The newest that is neither undone nor passed over. */
  newestStanding(isPassedOver?: (record: ChangeRecord) => boolean): Promise<ChangeRecord>
}

export function historyRecords(fs: ConfinedFileSystem, journal: Changes['journal']): HistoryRecords {
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

  async function after(point: string | undefined): Promise<ChangeRecord[]> {
    const first = point === undefined ? '' : (await find(point)).id
    return (await from(first)).filter(({ id }) => id > first)
  }

  async function from(first: string): Promise<ChangeRecord[]> {
    const found: ChangeRecord[] = []
    for await (const record of newestFirst()) {
      if (record.id < first) break
      found.push(record)
    }
    return found.reverse()
  }

  async function newestStanding(isPassedOver?: (record: ChangeRecord) => boolean): Promise<ChangeRecord> {
    const stands = standing()
    for await (const record of newestFirst(undefined, 1)) if (stands(record) && !isPassedOver?.(record)) return record
    throw new FsError('UNKNOWN_POINT', { point: 'the newest change' })
  }

  return { list, find, after, from, newestStanding }
}

/** Whether a record changed something at a path, or below it. */
export function touches(record: ChangeRecord, path: string): boolean {
  return record.steps.some((step) =>
    pathsOf(step).some(
      (at) => isWithin(path, at) || (isWithin(at, path) && (step.do === 'rename' || at !== dirname(path))),
    ),
  )
}
