import { expect, test } from 'vitest'
import { type Image, type Step, scopesOf } from '../../../src/change/journal/record.js'

const [absent, directory, file] = [
  { kind: 'absent' },
  { kind: 'directory' },
  { kind: 'file', hash: 'a', size: 1 },
] as const satisfies Image[]

function scopes(steps: Step[]) {
  return scopesOf({ id: 'a', label: 'a', atMs: 0, steps, undoable: true })
}

test('the scope of a created or removed directory covers everything below it', () => {
  const below = Array.from({ length: 1000 }, (_, at): Step => {
    return { do: 'set', path: `/gone/sub/${at}`, before: file, after: absent }
  })
  const gone: Step[] = ['/gone/sub', '/gone'].map((path) => ({ do: 'set', path, before: directory, after: absent }))
  const beside: Step = { do: 'set', path: '/gone.txt', before: file, after: absent }
  expect(scopes([...below, ...gone, beside])).toEqual([
    { path: '/gone', exact: true, tree: true },
    { path: '/gone.txt', exact: true },
  ])
})

test('that of an existing one does not, and both ends of a rename are covered completely', () => {
  const mode: Step = { do: 'set', path: '/stays', before: directory, after: { ...directory, mode: 0o700 } }
  const inside: Step = { do: 'set', path: '/stays/a', before: absent, after: file }
  const moved: Step = { do: 'rename', path: '/b', to: '/c', before: directory, replaces: absent }
  expect(scopes([mode, inside, moved])).toEqual([
    { path: '/stays', exact: true },
    { path: '/stays/a', exact: true },
    { path: '/b', exact: true, tree: true },
    { path: '/c', exact: true, tree: true },
  ])
})
