/** The history as people read it: what was typed without a long pause is one item, and an undo can be redone. */
import { standing } from '../../src/change/history/standing.js'
import { type ChangeRecord, undoneBy } from '../../src/change/journal/record.js'

/** One change, or several saves of one file by its editor. */
export interface HistoryItem {
  /** Newest first; never empty. */
  records: [ChangeRecord, ...ChangeRecord[]]
}

/** A longer pause begins another item. */
const pauseMs = 120_000

/** True for a change that the user typed. */
export type IsTyped = (record: ChangeRecord) => boolean

/** The file that a save by the editor wrote, or that the undo of one restored. */
function savedFile({ steps, label }: ChangeRecord): string | undefined {
  const [step, ...others] = steps
  if (others.length > 0 || !/^(undo )*write$/.test(label) || step?.do !== 'set') return undefined
  return step.before.kind === 'file' && step.after.kind === 'file' ? step.path : undefined
}

/** True when the newer record goes on with what the item is about. */
export function continues({ records }: HistoryItem, newer: ChangeRecord, isTyped: IsTyped): boolean {
  const [latest] = records
  const file = savedFile(newer)
  if (file === undefined || file !== savedFile(latest) || newer.label !== latest.label) return false
  return newer.atMs - latest.atMs < pauseMs && isTyped(newer) && isTyped(latest)
}

/** Adds a record that is newer than all items. */
export function addRecord(items: HistoryItem[], record: ChangeRecord, isTyped: IsTyped): { joined: boolean } {
  const [first] = items
  if (first !== undefined && continues(first, record, isTyped)) {
    first.records.unshift(record)
    return { joined: true }
  }
  items.unshift({ records: [record] })
  return { joined: false }
}

/** Records, newest first, as items, newest first. */
export function itemsOf(records: readonly ChangeRecord[], isTyped: IsTyped): HistoryItem[] {
  const items: HistoryItem[] = []
  for (const record of [...records].reverse()) {
    const last = items.at(-1)
    if (last !== undefined && continues(last, record, isTyped)) last.records.unshift(record)
    else items.push({ records: [record] })
  }
  return items.reverse()
}

/** True when there is a change to undo. */
export function hasUndoable(items: readonly HistoryItem[]): boolean {
  const stands = standing()
  return items.some(({ records }) => records.some(stands))
}

/** The undo that a redo takes back: the newest that stands, as long as nothing else was changed since. Records are newest first. */
export function redoable(records: readonly ChangeRecord[]): ChangeRecord | undefined {
  const byId = new Map(records.map((record) => [record.id, record]))
  const takenBack = new Set<string>()
  for (const record of records) {
    if (takenBack.has(record.id) || record.checkpoint !== undefined) continue
    if (record.undoes === undefined) return undefined
    const undone = undoneBy(record)
    for (const id of undone) takenBack.add(id)
    // The undo of an undo is a redo.
    if (undone.every((id) => byId.get(id)?.undoes === undefined)) return record
  }
  return undefined
}

/** An item has the id of its newest change, whose state it restores. */
export function idOf({ records: [newest] }: HistoryItem): string {
  return newest.id
}

/** The time, with the date unless it is today's. */
export function whenOf(atMs: number): string {
  const at = new Date(atMs)
  const time = at.toLocaleTimeString()
  if (at.toDateString() === new Date().toDateString()) return time
  return `${at.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' })}, ${time}`
}
