import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeline } from '../../../src/change/history/timeline.js'
import type { ChangeRecord, Image, Step } from '../../../src/change/journal/record.js'
import { scaled } from '../../scale.js'
import { timed } from '../processor-time.js'

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

test('a path is carried through any renames, from any step, as one rename after the other carries it', () => {
  const names = fc.constantFrom('/a', '/b', '/a/c', '/a/c/d', '/b/c', '/e/f')
  const step = fc.oneof(
    fc.tuple(names, names).map(([from, to]) => move(from, to)),
    names.map((path) => set(path, file('1'), file('2'))),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { paths, place } = timeline(steps.map((one) => record(one)))
      const expected = new Set<string>()
      for (const [index, one] of steps.entries()) {
        for (const path of one.do === 'set' ? [one.path] : [one.path, one.to]) {
          expected.add(path)
          expected.add(steps.slice(index + 1).reduce((at, later) => carried(at, later, 'path', 'to'), path))
          expected.add(steps.slice(0, index).reduceRight((at, earlier) => carried(at, earlier, 'to', 'path'), path))
        }
      }
      expect([...paths()].sort()).toEqual([...expected].sort())
      for (const path of ['/a/c/d', '/b', '/e/f/g']) {
        expect(place(path)).toBe(steps.reduce((at, later) => carried(at, later, 'path', 'to'), path))
      }
    }),
    { numRuns: scaled(500) },
  )
})

function carried(at: string, step: Step, from: 'path' | 'to', to: 'path' | 'to'): string {
  if (step.do !== 'rename' || (at !== step[from] && !at.startsWith(`${step[from]}/`))) return at
  return step[to] + at.slice(step[from].length)
}

test('the paths of many changes of one file, or of one directory, are found in a moment', () => {
  const count = 20_000
  const edits = Array.from({ length: count }, (_, at) => record(set('/d/f', file(`${at}`), file(`${at + 1}`))))
  const moves = Array.from({ length: count }, (_, at) => record(at % 2 === 0 ? move('/d', '/e') : move('/e', '/d')))
  const { result, ms } = timed(4000, () => [edits, moves].map((records) => [...timeline(records).paths()].sort()))
  expect(result).toEqual([['/d/f'], ['/d', '/e']])
  expect(ms).toBeLessThan(8000)
})
