/** What is known of the history of the open workspace. */
import { type ChangeRecord, undoneBy } from '../../src/change/journal/record.js'
import { addRecord, type HistoryItem, hasUndoable, type IsTyped, idOf, itemsOf, redoable } from './history-items.js'

export interface ChangeList {
  /** Newest first. */
  readonly items: readonly HistoryItem[]
  /** Replaces all items. Records are newest first. */
  load(records: readonly ChangeRecord[]): void
  /** Adds one record; the cost does not depend on how many there are. Undefined when it is known already. */
  add(record: ChangeRecord): Added | undefined
  /** Where the item with this id is, or -1. */
  indexOf(id: string | undefined): number
  /** The item before this one, which may be of an earlier reading. */
  before(item: HistoryItem): HistoryItem | undefined
  /** The label for people: names a restored point by its label, not by its id. */
  labelOf(item: HistoryItem): string
  isUndone(record: ChangeRecord): boolean
  canUndo(item: HistoryItem): boolean
  /** True when there is a change to undo. */
  hasUndoable(): boolean
  /** The undo that a redo takes back. Looks at the newest changes only: a redo is possible until something else is changed. */
  nextRedo(): ChangeRecord | undefined
}

export interface Added {
  /** The id that the newest item had, when the record has joined it. */
  joined?: string
  /** Items of which something is undone now. */
  undone: readonly HistoryItem[]
}

/** Another tab may report a change that is among the newest already. */
const recent = 50

export function changeList(isTyped: IsTyped): ChangeList {
  let items: HistoryItem[] = []
  let undone = new Set<string>()

  function labelOf({ records: [{ label }, ...others] }: HistoryItem): string {
    if (others.length > 0) return label.replace(/write$/, 'typing')
    const [, point] = /^restore (\S+)$/.exec(label) ?? []
    const restored = items.find(({ records }) => records.some(({ id }) => id === point))
    return restored === undefined ? label : `restore to “${labelOf(restored)}”`
  }

  return {
    get items() {
      return items
    },
    load(records) {
      items = itemsOf(records, isTyped)
      undone = new Set(records.flatMap(undoneBy))
    },
    add(record) {
      if (items.some(({ records }, index) => index < recent && records.some(({ id }) => id === record.id))) return
      const before = items[0] && idOf(items[0])
      const { joined } = addRecord(items, record, isTyped)
      const ids = undoneBy(record)
      for (const id of ids) undone.add(id)
      return {
        ...(joined && before !== undefined && { joined: before }),
        undone: ids.flatMap((each) => items.find(({ records }) => records.some(({ id }) => id === each)) ?? []),
      }
    },
    indexOf: (id) => items.findIndex((item) => idOf(item) === id),
    before(item) {
      // It may have been joined since by newer records.
      const index = items.findIndex(({ records }) => records.some(({ id }) => id === idOf(item)))
      return index < 0 ? undefined : items[index + 1]
    },
    labelOf,
    isUndone: ({ id }) => undone.has(id),
    canUndo({ records }) {
      return records.every(({ id, checkpoint, undoable }) => checkpoint === undefined && undoable && !undone.has(id))
    },
    hasUndoable: () => hasUndoable(items),
    nextRedo: () => redoable(items.slice(0, recent).flatMap(({ records }) => records)),
  }
}
