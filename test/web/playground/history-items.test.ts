import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addRecord,
  type HistoryItem,
  hasUndoable,
  itemsOf,
  redoable,
} from '../../../playground/history/history-items.js'
import { filesThen } from '../../../playground/history/history-preview.js'
import { type ChangeRecord, type Image, undoneBy } from '../../../src/change/journal/record.js'

const file = (hash: string): Image => ({ kind: 'file', hash, size: 1 })

function record(id: string, given: Partial<ChangeRecord> & { path?: string } = {}): ChangeRecord {
  const { path = '/a', ...rest } = given
  const steps = [{ do: 'set' as const, path, before: file('x'), after: file('y') }]
  return { id, label: 'write', atMs: Number(id), steps, undoable: true, ...rest }
}

const everyone = () => true
const ids = (items: readonly HistoryItem[]) => items.map(({ records }) => records.map(({ id }) => id).join('+'))

test('saves of one file without a long pause are one item', () => {
  const records = [
    record('300000'),
    record('4000', { path: '/b' }),
    record('3000'),
    record('2000'),
    record('1000', { label: 'edit' }),
  ]
  expect(ids(itemsOf(records, everyone))).toEqual(['300000', '4000', '3000+2000', '1000'])
  expect(ids(itemsOf(records, () => false))).toEqual(['300000', '4000', '3000', '2000', '1000'])
})

test('what creates or removes a file, or changes several, stays on its own', () => {
  const created = record('1', { steps: [{ do: 'set', path: '/a', before: { kind: 'absent' }, after: file('y') }] })
  const several = record('3', { steps: [...record('3').steps, ...record('3', { path: '/b' }).steps] })
  expect(ids(itemsOf([record('4'), several, record('2'), created], everyone))).toEqual(['4', '3', '2', '1'])
})

test('adding records one by one gives the same items as reading all of them', () => {
  const generated = fc.record({
    path: fc.constantFrom('/a', '/b'),
    label: fc.constantFrom('write', 'edit', 'undo write'),
    pauseMs: fc.constantFrom(10, 200_000),
  })
  fc.assert(
    fc.property(fc.array(generated, { maxLength: 20 }), (given) => {
      let atMs = 0
      const records = given.map(({ pauseMs, ...rest }) => {
        atMs += pauseMs
        return record(String(atMs), rest)
      })
      const items: HistoryItem[] = []
      for (const each of records) addRecord(items, each, everyone)
      expect(ids(items)).toEqual(ids(itemsOf([...records].reverse(), everyone)))
      expect(items.flatMap(({ records: own }) => own)).toEqual([...records].reverse())
    }),
  )
})

test('redo takes back undos, the last one first, until something else is changed', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('change', 'undo', 'redo'), { maxLength: 30 }), (actions) => {
      // The obvious model: two stacks of changes.
      const records: ChangeRecord[] = []
      let done: string[] = []
      let undone: string[] = []
      let count = 0
      const add = (rest: Partial<ChangeRecord>): string => {
        count += 1
        const id = String(count).padStart(4, '0')
        records.unshift(record(id, rest))
        return id
      }
      for (const action of actions) {
        if (action === 'change') {
          done.push(add({}))
          undone = []
        } else if (action === 'undo') {
          const target = standing(records, done.at(-1))
          if (target === undefined) continue
          undone.push(add({ undoes: target, label: 'undo write' }))
          done = done.slice(0, -1)
        } else {
          const found = redoable(records)
          expect(found?.id).toBe(undone.at(-1))
          if (found === undefined) continue
          done.push(...undoneBy(found))
          undone = undone.slice(0, -1)
          add({ undoes: found.id, label: 'undo undo write' })
        }
      }
      expect(redoable(records)?.id).toBe(undone.at(-1))
    }),
  )
})

/** The history's own choice is the newest change that stands. */
function standing(records: readonly ChangeRecord[], expected: string | undefined): string | undefined {
  const takenBack = new Set<string>()
  for (const { id, undoes } of records) {
    if (takenBack.has(id)) continue
    const undone = undoneBy({ ...(undoes && { undoes }) })
    for (const each of undone) takenBack.add(each)
    if (undone.length === 0) {
      expect(id).toBe(expected)
      return id
    }
  }
  expect(expected).toBe(undefined)
  return undefined
}

test('the files at a point are those of now, without what was added since and with what was deleted', () => {
  const absent: Image = { kind: 'absent' }
  const then = filesThen(
    ['/kept', '/new', '/other'],
    [
      { path: '/new', before: absent, after: file('n') },
      { path: '/gone', before: file('g'), after: absent },
      { path: '/kept', before: file('a'), after: file('b') },
      { path: '/folder', before: { kind: 'directory' }, after: absent },
    ],
  )
  expect(then).toEqual([{ path: '/gone', since: 'deleted' }, { path: '/kept', since: 'modified' }, { path: '/other' }])
})

test('there is something to undo until every change is undone', () => {
  const has = (...records: ChangeRecord[]) => hasUndoable(itemsOf(records, everyone))
  const [undo, redo] = [record('2', { undoes: '1' }), record('3', { undoes: '2' })]
  expect(has()).toBe(false)
  expect(has(record('1', { checkpoint: 'named' }))).toBe(false)
  expect(has(record('1'))).toBe(true)
  expect(has(undo, record('1'))).toBe(false)
  expect(has(redo, undo, record('1'))).toBe(true)
  expect(has(undo, record('1'), record('0'))).toBe(true)
})
