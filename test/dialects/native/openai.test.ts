import { describe, expect, test } from 'vitest'
import { openai } from '../../../src/dialects/native/openai/tools.js'
import { changedLines } from '../../../src/text/diff/changed-lines.js'
import { type Random, randomFrom } from '../../core/search/generated-trees.js'
import { scaled, seeded } from '../../scale.js'
import { open } from './stage.js'

describe('apply_patch', () => {
  test('creates a file of the lines after each plus', async () => {
    const { call, read } = await open(openai)
    const operation = { type: 'create_file', path: 'new/a.py', diff: '+def f():\n+    pass\n+\n' }
    expect(await call('apply_patch', { operation })).toBe('Created new/a.py')
    expect(await read('new/a.py')).toBe('def f():\n    pass\n')
    expect(await call('apply_patch', { operation })).toBe('!Error: new/a.py already exists.')
  })

  test('updates a file by its sections', async () => {
    const { call, read } = await open(openai, {
      'a.py': 'class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 1\n',
    })
    const diff = '@@ class A:\n@@     def g(self):\n-        return 1\n+        return 2\n'
    expect(await call('apply_patch', { operation: { type: 'update_file', path: 'a.py', diff } })).toBe('Updated a.py')
    expect(await read('a.py')).toBe(
      'class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n',
    )
  })

  test('deletes a file', async () => {
    const { call, workspace } = await open(openai, { 'a.txt': 'a' })
    expect(await call('apply_patch', { operation: { type: 'delete_file', path: 'a.txt' } })).toBe('Deleted a.txt')
    expect(await call('apply_patch', { operation: { type: 'delete_file', path: 'a.txt' } })).toBe(
      '!Error: The path a.txt does not exist.',
    )
    expect(await workspace.history.list()).toHaveLength(1)
  })

  test('changes no other file than the one it names', async () => {
    const { call, read } = await open(openai, { 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const diff = '@@\n-a\n+A\n*** Delete File: b.txt\n'
    await call('apply_patch', { operation: { type: 'update_file', path: 'a.txt', diff } })
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['A\n', 'b\n'])
    const path = 'a.txt\n*** Delete File: b.txt'
    expect(await call('apply_patch', { operation: { type: 'update_file', path, diff } })).toBe(
      '!Error: The path has a line break.',
    )
    expect(await read('b.txt')).toBe('b\n')
  })

  test.each([
    [{ type: 'update_file', path: 'none', diff: '@@\n-a\n+b\n' }, 'The path none does not exist.'],
    [
      { type: 'update_file', path: 'a', diff: '@@\n-x\n+y\n' },
      'The patch does not fit a (hunk 1): its lines are not in the file.',
    ],
    [
      { type: 'update_file', path: 'a', diff: '@@\n-b\n' },
      'The patch does not fit a (hunk 1): its lines are in the file more than once; add lines around them.',
    ],
    [{ type: 'create_file', path: 'b', diff: 'x' }, 'Invalid Add File Line: x'],
    [{ type: 'delete_file', path: 'out/secret.txt' }, 'The path out/secret.txt is outside of the workspace.'],
  ])('fails with %j', async (operation, why) => {
    expect(await (await open(openai, { a: 'a\nb\nb\n' })).call('apply_patch', { operation })).toBe(`!Error: ${why}`)
  })

  test('a diff made of two texts leads from one to the other', async () => {
    const random = randomFrom(seeded(20))
    let compared = 0
    for (let round = 0; round < scaled(1000); round++) {
      const before = Array.from({ length: 5 + random(40) }, (_, at) => `${at} ${words(random)}`)
      const after = before.flatMap((line) => (random(100) < 85 ? [line] : edited(line, random)))
      if (before.join() === after.join()) continue
      compared++
      const { call, read } = await open(openai, { f: `${before.join('\n')}\n` })
      const diff = v4a(before, after)
      const said = await call('apply_patch', { operation: { type: 'update_file', path: 'f', diff } })
      expect([said, await read('f'), diff]).toEqual([
        'Updated f',
        after.length === 0 ? '' : `${after.join('\n')}\n`,
        diff,
      ])
    }
    expect(compared).toBeGreaterThan(scaled(800))
  })
})

function words(random: Random): string {
  return Array.from({ length: 3 }, () => ['if', 'x', 'return', 'foo()', '}'][random(5)]).join(' ')
}

function edited(line: string, random: Random): string[] {
  if (random(10) < 4) return []
  return random(2) === 0 ? [`${line} changed`] : [`new ${words(random)}`, line]
}

/** A section for each change, with three lines on either side; where they meet, one section. */
function v4a(before: readonly string[], after: readonly string[]): string {
  const changes = changedLines(before, after)
  const sections: string[] = []
  let shownTo = -1
  for (const [at, { oldStart, oldEnd, newStart, newEnd }] of changes.entries()) {
    const joins = oldStart - 3 <= shownTo
    const start = joins ? shownTo : Math.max(0, oldStart - 3)
    const next = changes[at + 1]?.oldStart ?? Infinity
    shownTo = Math.min(before.length, oldEnd + 3, next)
    sections.push(
      ...(joins ? [] : ['@@']),
      ...before.slice(Math.max(0, start), oldStart).map((line) => ` ${line}`),
      ...before.slice(oldStart, oldEnd).map((line) => `-${line}`),
      ...after.slice(newStart, newEnd).map((line) => `+${line}`),
      ...before.slice(oldEnd, shownTo).map((line) => ` ${line}`),
    )
  }
  return sections.join('\n')
}

describe('shell', () => {
  test('runs commands one after the other, and returns both streams and the status of each', async () => {
    const { call } = await open(openai, {})
    const said = await call('shell', { commands: ['echo a > f; echo out; echo err >&2', 'cat f; exit 3'] })
    expect(JSON.parse(said)).toEqual([
      { stdout: 'out\n', stderr: 'err\n', outcome: { type: 'exit', exit_code: 0 } },
      { stdout: 'a\n', stderr: '', outcome: { type: 'exit', exit_code: 3 } },
    ])
  })

  test('ends what takes too long, and shortens what is too long', async () => {
    const { call } = await open(openai, {})
    const said = await call('shell', {
      commands: ['while :; do :; done', 'seq 100'],
      timeout_ms: 500,
      max_output_length: 20,
    })
    expect(JSON.parse(said)).toEqual([
      { stdout: '', stderr: '', outcome: { type: 'timeout' } },
      {
        stdout: '1\n2\n3\n4\n5\n\n… 272 characters left out …\n98\n99\n100\n',
        stderr: '',
        outcome: { type: 'exit', exit_code: 0 },
      },
    ])
  })
})
