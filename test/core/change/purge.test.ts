import { expect, test } from 'vitest'
import { purgedRecords } from '../../../src/change/history/purge.js'
import type { ChangeRecord, Image, Step } from '../../../src/change/journal/record.js'

const absent: Image = { kind: 'absent' }
const file = (hash: string, size = hash.length): Image => ({ kind: 'file', hash, size })
const set = (path: string, before: Image, after: Image): Step => ({ do: 'set', path, before, after })
const rename = (path: string, to: string): Step => {
  return { do: 'rename', path, to, before: { kind: 'directory' }, replaces: absent }
}
const record = (id: string, ...steps: Step[]): ChangeRecord => ({
  id,
  label: `command ${id}`,
  atMs: 1,
  steps,
  undoable: true,
})

function purgedFrom(records: ChangeRecord[], path: string): string[] {
  return [...purgedRecords(records, [path]).keys()]
}

test('a file is followed to its earlier names, also where it replaced another', () => {
  const records = [
    record('1', set('/old', absent, file('one'))),
    record('2', set('/old', file('one'), file('two'))),
    record('3', set('/new', absent, file('other'))),
    record('4', set('/old', file('two'), absent), set('/new', file('other'), file('two'))),
    record('5', set('/apart', absent, file('apart'))),
  ]
  expect(purgedFrom(records, '/new')).toEqual(['1', '2', '3', '4'])
})

test('a moved directory includes the entries below it, and only those', () => {
  const records = [
    record('1', set('/a/secret', absent, file('one'))),
    record('2', set('/a/plain', absent, file('plain'))),
    record('3', rename('/a', '/b')),
    record('4', rename('/b', '/c')),
  ]
  expect(purgedFrom(records, '/c/secret')).toEqual(['1'])
  expect(purgedFrom(records, '/c')).toEqual(['1', '2', '3', '4'])
  expect(purgedFrom(records, '/a/plain')).toEqual(['2'])
})

test('the same content under another name is purged too, except empty content', () => {
  const records = [
    record('1', set('/secret', absent, file('one')), set('/empty', absent, file('nothing', 0))),
    record('2', set('/copy', absent, file('one'))),
    record('3', set('/else', absent, file('nothing', 0))),
  ]
  expect(purgedFrom(records, '/secret')).toEqual(['1', '2'])
  expect(purgedFrom(records, '/empty')).toEqual(['1'])
})

test('the remaining record shows that there was a change, but not its content', () => {
  const link: Image = { kind: 'symlink', target: 'secret' }
  const purged = purgedRecords([record('1', set('/a', link, file('one')))], ['/a']).get('1')
  expect(purged).toEqual({
    id: '1',
    label: 'purged',
    atMs: 1,
    steps: [set('/a', { kind: 'symlink', target: '' }, file('purged', 0))],
    undoable: false,
    purged: true,
  })
})
