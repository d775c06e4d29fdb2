import { expect, test } from 'vitest'
import { timeline } from '../../../src/change/history/timeline.js'
import type { ChangeRecord, Image, Step } from '../../../src/change/journal/record.js'

const absent: Image = { kind: 'absent' }
const directory: Image = { kind: 'directory' }
const file = (hash: string): Image => ({ kind: 'file', hash, size: 1 })
const set = (path: string, before: Image, after: Image): Step => ({ do: 'set', path, before, after })
const move = (path: string, to: string): Step => ({ do: 'rename', path, to, before: directory, replaces: absent })
const record = (...steps: Step[]): ChangeRecord => ({ id: '1', label: '', atMs: 1, steps, undoable: true })

test('a new file where one moved away with its directory: the old one is found at its new path', () => {
  const { before, after } = timeline([
    record(move('/c', '/a/c')),
    record(set('/c', absent, directory), set('/c/b', absent, file('new'))),
  ])
  expect(before('/c/b')).toEqual({ at: '/a/c/b' })
  expect(after('/c/b')).toEqual({ image: file('new') })
  expect(before('/a/c/b')).toEqual({ image: absent })
  expect(after('/a/c/b')).toEqual({ at: '/c/b' })
})

test('a file changed after its directory moved is found at its path before the move', () => {
  const { before, after, paths } = timeline([record(move('/x', '/y')), record(set('/y/f', file('1'), file('2')))])
  expect(before('/x/f')).toEqual({ image: file('1') })
  expect(after('/y/f')).toEqual({ image: file('2') })
  expect(after('/x/f')).toEqual({ image: absent })
  expect([...paths()].sort()).toEqual(['/x', '/x/f', '/y', '/y/f'])
})

test('nothing was below a created directory before, and nothing is below a removed one after', () => {
  const { before, after } = timeline([record(set('/d', absent, directory)), record(set('/d', directory, absent))])
  expect(before('/d/f')).toEqual({ image: absent })
  expect(after('/d/f')).toEqual({ image: absent })
})

test('paths that no step affects stay the same', () => {
  const { before, after, paths } = timeline([record(set('/d/f', absent, file('1')))])
  expect(before('/d/g')).toEqual({ at: '/d/g' })
  expect(after('/d')).toEqual({ at: '/d' })
  expect([...paths()]).toEqual(['/d/f'])
})
