/// <reference types="vite/types/importMeta.d.ts" />
/** Tasks, scores and agents work in a page as they do in Node. */
import { expect, test } from 'vitest'
import { chat } from '../../../harness/agents/chat.js'
import { oracle } from '../../../harness/agents/oracle.js'
import { nop } from '../../../harness/agents/scripted.js'
import { openEpisode } from '../../../harness/episode/episode.js'
import { loadSuite } from '../../../harness/tasks/load-suite.js'
import { scoreRun } from '../../../harness/tasks/score-run.js'
import type { EpisodeAgent, Task } from '../../../harness/types.js'
import { openAiModel } from '../../../models/openai-model.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import { sample } from '../../scale.js'

const shell = emulatedShell()

/** The sample tasks, as bytes. */
const samples: Record<string, string> = import.meta.glob(
  '../../../examples/tasks/{csv-report,refactor,find-and-delete,json-config}/**',
  {
    query: '?raw',
    import: 'default',
    eager: true,
  },
)

async function run(task: Task, agent: EpisodeAgent) {
  const episode = await openEpisode({ shell, ...task.options, files: task.files })
  const { signal } = new AbortController()
  const { answer } = await agent.run({ episode, instruction: task.instruction, signal, task })
  return { ...(await scoreRun({ episode, task, trace: episode.trace, answer })), answer, episode }
}

test('the solutions of sample tasks score 1, and nothing scores 0', async () => {
  const files = Object.entries(samples).map(([path, text]) => [path.replace('../../../examples/tasks', ''), text])
  const { tasks } = await loadSuite(memory(Object.fromEntries(files)), '/')
  expect(tasks.map(({ id }) => id)).toEqual(['csv-report', 'find-and-delete', 'json-config', 'refactor'])
  for (const task of sample(tasks, { every: 2 })) {
    const [solved, undone] = [await run(task, oracle), await run(task, nop)]
    expect([task.id, solved.value, undone.value]).toEqual([task.id, 1, 0])
  }
})

test("a model is asked with the page's own fetch", async () => {
  const said = {
    choices: [{ message: { role: 'assistant', content: 'Done.' } }],
    usage: { prompt_tokens: 2, completion_tokens: 1 },
  }
  const given = globalThis.fetch
  const requests: { url: string; body: string }[] = []
  globalThis.fetch = async (url, init) => {
    requests.push({ url: String(url), body: new TextDecoder().decode(init?.body as Uint8Array) })
    return new Response(JSON.stringify(said))
  }
  try {
    const model = openAiModel({ baseUrl: 'https://example.com/v1', model: 'm' })
    const task: Task = { id: 't', instruction: 'Go.', files: { 'a.txt': 'a' }, score: [] }
    expect((await run(task, chat({ model }))).answer).toBe('Done.')
  } finally {
    globalThis.fetch = given
  }
  expect(requests.map(({ url }) => url)).toEqual(['https://example.com/v1/chat/completions'])
  expect(JSON.parse(requests[0]?.body ?? '').messages).toEqual([{ role: 'user', content: 'Go.' }])
})
