import { expect, test } from 'vitest'
import { changeList } from '../../../playground/history/change-list.js'
import type { HistoryItem } from '../../../playground/history/history-items.js'
import type { ChangeRecord } from '../../../src/change/journal/record.js'

function record(id: string): ChangeRecord {
  return { id, label: 'edit', atMs: Number(id), steps: [], undoable: true }
}

test('what was before an item is known also after the history was read again', () => {
  const changes = changeList(() => false)
  changes.load([record('2'), record('1')])
  const [newest, oldest] = changes.items as [HistoryItem, HistoryItem]
  changes.load([record('3'), record('2'), record('1')])
  expect(changes.before(newest)?.records[0].id).toBe('1')
  expect(changes.before(oldest)).toBeUndefined()
})
