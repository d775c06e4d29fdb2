import { expect, test } from 'vitest'
import { openEpisode } from '../../harness/episode/episode.js'
import { type AtifTrajectory, toAtif } from '../../harness/trace/atif.js'
import { parseTrace } from '../../harness/trace/trace.js'

async function trajectory(): Promise<AtifTrajectory> {
  const episode = await openEpisode({ files: { 'a.txt': 'one\n' }, task: 'sample', seed: 4 })
  const { trace, tools } = episode
  trace.add({ type: 'message', role: 'system', text: 'be brief' })
  trace.add({ type: 'message', role: 'user', text: 'read it' })
  const usage = { inputTokens: 10, outputTokens: 5, cost: 0.25 }
  trace.add({ type: 'message', role: 'assistant', text: 'reading', model: 'm-1', usage })
  await tools.call('read_file', { path: 'a.txt' })
  await tools.call('read_file', 'a.txt')
  trace.add({ type: 'message', role: 'assistant', text: 'one', usage: { inputTokens: 20, outputTokens: 1 } })
  trace.add({ type: 'score', name: 'right', value: 1, reason: 'it is' })
  trace.add({ type: 'end', outcome: 'finished', answer: 'one' })
  return toAtif(parseTrace(trace.toJsonl()))
}

test('a trace becomes steps whose ids follow each other, with calls and what they gave', async () => {
  const { steps, ...rest } = await trajectory()
  expect(steps.map(({ step_id, source, message }) => [step_id, source, message])).toEqual([
    [1, 'system', 'be brief'],
    [2, 'user', 'read it'],
    [3, 'agent', 'reading'],
    [4, 'agent', 'one'],
  ])
  expect(steps[2]).toMatchObject({
    model_name: 'm-1',
    metrics: { prompt_tokens: 10, completion_tokens: 5, cost_usd: 0.25 },
    tool_calls: [
      { tool_call_id: 'call-1', function_name: 'read_file', arguments: { path: 'a.txt' } },
      { tool_call_id: 'call-2', function_name: 'read_file', arguments: { value: 'a.txt' } },
    ],
    observation: { results: [{ source_call_id: 'call-1', content: expect.stringContaining('one') }, {}] },
    extra: { calls: { 'call-2': { failed: true } } },
  })
  expect(rest).toMatchObject({
    schema_version: 'ATIF-v1.7',
    session_id: 'sample-4',
    agent: { name: 'agent', model_name: 'm-1' },
    final_metrics: { total_prompt_tokens: 30, total_completion_tokens: 6, total_cost_usd: 0.25, total_steps: 4 },
    extra: { task: 'sample', outcome: 'finished', scores: [{ name: 'right', value: 1 }] },
  })
})

test('calls of an agent without messages are a step of its own, and every observation has its call', async () => {
  const episode = await openEpisode({ files: {} })
  await episode.tools.call('list_dir', {})
  episode.trace.add({ type: 'message', role: 'user', text: 'go on' })
  await episode.tools.call('no_such_tool', {})
  const { steps } = toAtif(episode.trace)
  expect(steps.map(({ source }) => source)).toEqual(['agent', 'user', 'agent'])
  for (const { tool_calls: calls = [], observation } of steps) {
    expect(observation?.results.map(({ source_call_id: id }) => id) ?? []).toEqual(
      calls.map((call) => call.tool_call_id),
    )
  }
})
