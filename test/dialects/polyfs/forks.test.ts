/** The tool for forks: whose calls work where, and what a merge answers. */
import { expect, test } from 'vitest'
import { withForks } from '../../../src/dialects/polyfs/forks/with-forks.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { replay } from '../../../src/dialects/replay/tools.js'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { memory } from '../../../src/fs/backends/memory.js'
import type { Shell } from '../../../src/shell/types.js'
import { callToolSync } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { withoutSessions } from '../../change-ids.js'

function opened(files: Record<string, string> = { 'a.txt': 'one\ntwo\nthree\n' }, shell?: Shell) {
  const workspace = createWorkspace({ fs: memory(files), ...(shell && { shell }) })
  return { workspace, agent: () => tools(workspace, { forks: true }) }
}

const read = { path: 'a.txt' }
const edit = (from: string, to: string) => ({ path: 'a.txt', old_string: from, new_string: to })

test('the tool is only there where the host allows it', () => {
  const { workspace } = opened()
  const names = (forks: boolean) => tools(workspace, { forks }).definitions.map(({ name }) => name)
  expect(names(true)).toEqual([...names(false), 'fork'])
  expect(tools(workspace).definitions.map(({ name }) => name)).not.toContain('fork')
  const readOnly = createWorkspace({ fs: memory(), readOnly: true })
  expect(tools(readOnly, { forks: true }).definitions.map(({ name }) => name)).not.toContain('fork')
  expect(() => withForks(replay)).toThrow('the dialect replay has no tool for forks')
})

test('each connection works in its own fork, and the workspace gets what is merged', async () => {
  const { workspace, agent } = opened()
  const [one, other, third] = [agent(), agent(), agent()]
  expect(await one.callText('fork', { action: 'start' })).toBe(
    'you work in the fork fork-1 now; merge or discard ends it',
  )
  await one.callText('edit_file', edit('one', 'ONE'))
  await other.callText('fork', { action: 'start', name: 'other' })
  await other.callText('edit_file', edit('three', 'THREE'))
  expect(await third.callText('read_file', read)).toContain('1\tone\n2\ttwo\n3\tthree')
  expect(callToolSync(workspace, withForks(polyfs), 'read_file', read)).toBeUndefined()
  expect(await third.callText('fork', { action: 'list' })).toContain('fork-1\nother')
  expect(await one.callText('fork', { action: 'diff' })).toContain('modified a.txt')
  expect(await one.callText('fork', { action: 'merge', dry_run: true })).toBe('would merge 1 path\nmodified a.txt')
  expect(withoutSessions(await one.callText('fork', { action: 'merge' }))).toBe(
    'merged fork-1 into the workspace: 1 path\nmodified a.txt\n[change 1]',
  )
  expect(await third.callText('fork', { action: 'merge', name: 'other' })).toContain('merged other into the workspace')
  expect(await one.callText('read_file', read)).toContain('1\tONE\n2\ttwo\n3\tTHREE')
  // The fork in which the second agent works is gone: its next call must not change the workspace unasked.
  const lost = await other.call('write_file', { path: 'a.txt', content: 'lost\n' })
  expect([lost.isError, lost.content[0]?.text]).toEqual([true, expect.stringContaining('no fork "other"')])
  await other.callText('fork', { action: 'switch' })
  expect(await other.callText('read_file', read)).toContain('1\tONE')
  await one.callText('history', { action: 'undo' })
  expect(await one.callText('read_file', read)).toContain('1\tONE\n2\ttwo\n3\tthree')
})

test('conflicts are shown with all three versions, and resolved by the next call', async () => {
  const { agent } = opened()
  const [one, other] = [agent(), agent()]
  await one.callText('fork', { action: 'start', name: 'try' })
  await one.callText('edit_file', edit('two', 'theirs'))
  await other.callText('edit_file', edit('two', 'ours'))
  const refused = await one.call('fork', { action: 'merge' })
  expect(refused.isError).toBe(true)
  expect(refused.content[0]?.text).toBe(
    [
      'nothing was merged: 1 conflict in 1 path. Call merge again with resolve for each path (ours: the workspace, theirs: the fork).',
      'a.txt:2 both changed these lines',
      '<<<<<<< ours',
      'ours',
      '||||||| base',
      'two',
      '=======',
      'theirs',
      '>>>>>>> theirs',
    ].join('\n'),
  )
  const half = await one.call('fork', { action: 'merge', resolve: [{ path: 'a.txt' }] })
  expect(half.content[0]?.text).toContain('a.txt: give either take or text')
  await one.callText('fork', { action: 'merge', resolve: [{ path: 'a.txt', take: 'both' }] })
  expect(await other.callText('read_file', read)).toContain('1\tone\n2\tours\n3\ttheirs\n4\tthree')
})

test('a fork of a fork is merged into it, and keeps it open', async () => {
  const { agent } = opened()
  const { callText, call } = agent()
  await callText('fork', { action: 'start', name: 'outer' })
  await callText('fork', { action: 'start', name: 'inner' })
  await callText('edit_file', edit('two', 'inner'))
  expect((await call('fork', { action: 'discard', name: 'outer' })).isError).toBe(true)
  expect(await callText('fork', { action: 'merge' })).toBe('merged inner into the fork outer: 1 path\nmodified a.txt')
  expect(await callText('read_file', read)).toContain('2\tinner')
  expect(await callText('fork', { action: 'discard' })).toBe('discarded the fork outer')
  expect(await callText('read_file', read)).toContain('2\ttwo')
  expect(await callText('fork', { action: 'list' })).toBe('(no forks)')
})

test('there are at most 32', async () => {
  const { callText, call } = opened().agent()
  for (let at = 0; at < 32; at += 1) {
    await callText('fork', { action: 'start' })
    await callText('fork', { action: 'switch' })
  }
  expect((await call('fork', { action: 'start' })).content[0]?.text).toContain('32 forks are open')
})

test('calls that are sent together are made in order, and none is lost', async () => {
  const { workspace, agent } = opened()
  const [one, other] = [agent(), agent()]
  const write = (path: string) => one.callText('write_file', { path, content: 'new\n' })
  await Promise.all([one.callText('fork', { action: 'start', name: 'try' }), write('b.txt'), write('c.txt')])
  expect((await workspace.fs.readDir('/')).map(({ name }) => name)).toEqual(['a.txt'])
  await other.callText('fork', { action: 'switch', name: 'try' })
  const [, , merged, late] = await Promise.all([
    write('d.txt'),
    other.callText('write_file', { path: 'e.txt', content: 'new\n' }),
    one.callText('fork', { action: 'merge' }),
    write('f.txt'),
    write('g.txt'),
  ])
  expect(merged).toContain('merged try into the workspace: 4 paths')
  expect(late).toContain('f.txt')
  const names = (await workspace.fs.readDir('/')).map(({ name }) => name)
  expect(names).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt', 'f.txt', 'g.txt'])
})
