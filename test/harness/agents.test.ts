import { expect, test } from 'vitest'
import { oracle } from '../../harness/agents/oracle.js'
import { replayed } from '../../harness/agents/replayed.js'
import { nop, scripted } from '../../harness/agents/scripted.js'
import { openEpisode } from '../../harness/episode/episode.js'
import type { Task } from '../../harness/types.js'

const files = { '/a.txt': 'one\n' }
const work = { instruction: 'Go.', signal: new AbortController().signal }
const calls = [
  { tool: 'write_file', args: { path: 'b.txt', content: 'two\n' } },
  { tool: 'read_file', args: { path: 'missing.txt' } },
  { tool: 'teleport' },
  { tool: 'delete', args: { path: 'a.txt' } },
]

test('scripted calls are made in order, whatever they answer', async () => {
  const episode = await openEpisode({ files })
  expect(await scripted(calls, { answer: 'done' }).run({ episode, ...work })).toEqual({ answer: 'done' })
  const made = episode.trace.events.flatMap((event) => (event.type === 'call' ? [event.tool] : []))
  expect(made).toEqual(['write_file', 'read_file', 'teleport', 'delete'])
  expect((await episode.changes()).map(({ change, path }) => `${change} ${path}`)).toEqual([
    'deleted /a.txt',
    'added /b.txt',
  ])
})

test('scripted calls end with the budget, and with the signal', async () => {
  const episode = await openEpisode({ files, budget: { calls: 1 } })
  await scripted(calls).run({ episode, ...work })
  expect(episode.trace.events.filter(({ type }) => type === 'call')).toHaveLength(1)
  const stopper = new AbortController()
  stopper.abort(new Error('enough'))
  await expect(scripted(calls).run({ episode, ...work, signal: stopper.signal })).rejects.toThrow('enough')
})

test.each(['fs', 'clarvis'] as const)('protocol errors of a dialect end nobody: %s', async (name) => {
  const { loadDialect } = await import('../../src/dialects/registry.js')
  const episode = await openEpisode({ files, dialect: await loadDialect(name) })
  await scripted([{ tool: 'teleport' }, { tool: 'also_unknown', args: [] }]).run({ episode, ...work })
  expect(episode.trace.events.filter(({ type }) => type === 'call')).toHaveLength(2)
})

test('a replayed run makes the same calls and messages, and gives the same answer', async () => {
  const original = await openEpisode({ files })
  original.trace.add({
    type: 'message',
    role: 'assistant',
    text: 'I write.',
    usage: { inputTokens: 3, outputTokens: 4 },
  })
  const { answer } = await scripted(calls, { answer: 'done' }).run({ episode: original, ...work })
  original.trace.add({ type: 'end', outcome: 'finished', answer })
  const episode = await openEpisode({ files })
  expect(await replayed(original.trace).run({ episode, ...work })).toEqual({ answer: 'done' })
  episode.trace.add({ type: 'end', outcome: 'finished', answer })
  expect(episode.trace.transcriptHash()).toBe(original.trace.transcriptHash())
  expect(await episode.stateHash()).toBe(await original.stateHash())
})

test('the oracle runs the solution of the task, and says when there is none', async () => {
  const episode = await openEpisode({ files })
  const task: Task = {
    id: 't',
    instruction: 'Go.',
    files,
    score: [],
    solve: async ({ tools }) => void (await tools.call('delete', { path: 'a.txt' })),
  }
  expect(await oracle.run({ episode, ...work, task })).toEqual({ answer: '' })
  expect(await episode.changes()).toEqual([{ path: '/a.txt', change: 'deleted', kind: 'file' }])
  const { solve: _, ...unsolved } = task
  await expect(oracle.run({ episode, ...work, task: unsolved })).rejects.toThrow('add solution/solve.sh')
  await expect(oracle.run({ episode, ...work })).rejects.toThrow('needs the task')
})

test('nop does nothing', async () => {
  const episode = await openEpisode({ files })
  expect(await nop.run({ episode, ...work })).toEqual({ answer: '' })
  expect(episode.trace.events).toHaveLength(1)
})
