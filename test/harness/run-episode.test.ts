import { expect, test } from 'vitest'
import { scripted } from '../../harness/agents/scripted.js'
import { InfraError } from '../../harness/infra-error.js'
import { type RunEpisodeOptions, runEpisode } from '../../harness/run-episode.js'
import { parseTrace } from '../../harness/trace/trace.js'
import type { EpisodeAgent, Score, Scorer, Task } from '../../harness/types.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import type { Shell } from '../../src/shell/types.js'
import type { Workspace } from '../../src/workspace/workspace.js'

const job = { run: 'r', task: 't', agent: 'a', trial: 1, seed: 7 }

/** 1 when the file says yes. */
const saysYes: Scorer = async ({ episode }) => {
  const text = new TextDecoder().decode(await episode.workspace.fs.readFile('/answer.txt'))
  return [{ name: 'answer', value: text === 'yes' ? 1 : 0, reason: `it says ${text}` }]
}

function taskWith(score: Scorer = saysYes, options: Task['options'] = {}): Task {
  return { id: 't', instruction: 'Say yes.', files: { '/answer.txt': 'no' }, score: [score], options }
}

const write = (content: string) => ({ tool: 'write_file', args: { path: '/answer.txt', content } })

function run(agent: EpisodeAgent, options: Partial<RunEpisodeOptions> = {}) {
  return runEpisode({ task: taskWith(), agent, job, ...options })
}

test('passed: the whole result', async () => {
  const result = await run(scripted([{ tool: 'no_such_tool' }, write('yes')]))
  const { wallMs, transcriptHash, trace = '', ...rest } = result
  expect(rest).toEqual({
    ...job,
    outcome: 'passed',
    value: 1,
    scores: [{ name: 'answer', value: 1, reason: 'it says yes' }],
    usage: { calls: 2, failedCalls: 1, turns: 0, inputTokens: 0, outputTokens: 0 },
    attempts: 1,
  })
  expect(wallMs).toBeGreaterThanOrEqual(0)
  expect(transcriptHash).toMatch(/^[0-9a-f]{64}$/)
  expect(parseTrace(trace).events.map(({ type }) => type)).toEqual(['header', 'call', 'call', 'score', 'end'])
  expect(parseTrace(trace).header.seed).toBe(7)
})

test('the same run has the same hash, also with an agent that takes another time', async () => {
  const slow: EpisodeAgent = {
    name: 'slow',
    async run(work) {
      await new Promise((done) => setTimeout(done, 30))
      return scripted([write('yes')]).run(work)
    },
  }
  const [first, second] = [await run(scripted([write('yes')])), await run(slow)]
  expect(second.transcriptHash).toBe(first.transcriptHash)
})

test('failed: the reason is that of the first score below 1', async () => {
  expect(await run(scripted([write('maybe')]))).toMatchObject({
    outcome: 'failed',
    value: 0,
    reason: 'answer: it says maybe',
    attempts: 1,
  })
})

test('budget: what is left is scored, and the reason names what ran out', async () => {
  const wasteful = scripted([write('maybe'), write('yes')])
  expect(await run(wasteful, { budget: { calls: 1 } })).toMatchObject({
    outcome: 'budget',
    value: 0,
    reason: 'the budget of calls is used up',
  })
  expect(await run(wasteful, { budget: { calls: 2 } })).toMatchObject({ outcome: 'passed', value: 1 })
  const task = taskWith(saysYes, { budget: { calls: 1 } })
  expect(await run(wasteful, { task })).toMatchObject({ outcome: 'budget' })
  expect(await run(wasteful, { task, budget: { calls: 5 } })).toMatchObject({ outcome: 'passed' })
})

test('agent-error: an agent that throws scores 0 and is not scored', async () => {
  const scorer: Scorer = async () => {
    throw new Error('must not be called')
  }
  const agent: EpisodeAgent = {
    name: 'a',
    async run(work) {
      await scripted([write('yes')]).run(work)
      throw new Error('I am broken\nwith details')
    },
  }
  const result = await run(agent, { task: taskWith(scorer) })
  expect(result).toMatchObject({ outcome: 'agent-error', value: 0, reason: 'I am broken', attempts: 1 })
  expect(parseTrace(result.trace ?? '').events.at(-1)).toMatchObject({ type: 'end', outcome: 'agent-error' })
})

test('an agent that gives up with an error because its budget is used up is not an agent-error', async () => {
  const agent: EpisodeAgent = {
    name: 'a',
    async run({ episode }) {
      await episode.tools.call('write_file', { path: '/answer.txt', content: 'maybe' })
      const { isError } = await episode.tools.call('read_file', { path: '/answer.txt' })
      if (isError) throw new Error('refused')
      return { answer: '' }
    },
  }
  expect(await run(agent, { budget: { calls: 1 } })).toMatchObject({ outcome: 'budget' })
})

test('infra: a scorer that throws is missing data, and is tried again', async () => {
  let tries = 0
  const scorer: Scorer = async () => {
    tries += 1
    throw new Error('no judge')
  }
  const result = await run(scripted([]), { task: taskWith(scorer) })
  expect(result).toMatchObject({ outcome: 'infra', reason: 'a scorer failed: no judge', attempts: 3, scores: [] })
  expect(result).not.toHaveProperty('value')
  expect(tries).toBe(3)
})

test('infra that passes by leaves the result of the attempt that worked', async () => {
  let tries = 0
  const agent: EpisodeAgent = {
    name: 'a',
    run: async (work) => {
      tries += 1
      if (tries === 1) throw new InfraError('the model is out of reach')
      return scripted([write('yes')]).run(work)
    },
  }
  expect(await run(agent)).toMatchObject({ outcome: 'passed', attempts: 2 })
  tries = 0
  expect(await run(agent, { retries: 0 })).toMatchObject({ outcome: 'infra', attempts: 1 })
})

test('infra: a command that the clock of the machine ends, so that it would end in another way again', async () => {
  const none = { bytes: new Uint8Array(), cut: false }
  const shell = (workspace: Workspace): Shell => ({
    ...emulatedShell()(workspace),
    exec: async () => ({ ended: 'timeout', byWallClock: true, stdout: none, stderr: none }),
  })
  let tries = 0
  const agent: EpisodeAgent = {
    name: 'a',
    async run(work) {
      tries += 1
      return scripted([tries === 1 ? { tool: 'bash', args: { command: 'make' } } : write('yes')]).run(work)
    },
  }
  expect(await run(agent, { shell })).toMatchObject({ outcome: 'passed', attempts: 2 })
  tries = 0
  const reason = "a command was ended by the machine's clock: make"
  expect(await run(agent, { shell, retries: 0 })).toMatchObject({ outcome: 'infra', reason, scores: [] })
})

test('infra: an agent that ignores its signal is left behind when the safety net ends it', async () => {
  const agent: EpisodeAgent = { name: 'a', run: () => new Promise(() => {}) }
  expect(await run(agent, { maxWallMs: 30, retries: 1 })).toMatchObject({
    outcome: 'infra',
    reason: 'it took longer than 0.03 s',
    attempts: 2,
  })
  expect(await run(agent, { task: { ...taskWith(), timeoutMs: 20 }, retries: 0 })).toMatchObject({
    reason: 'it took longer than 0.02 s',
  })
})

test('a safety net that is longer than a timer can be does not end anything', async () => {
  const patient: EpisodeAgent = {
    name: 'patient',
    async run(work) {
      await new Promise((done) => setTimeout(done, 20))
      return scripted([write('yes')]).run(work)
    },
  }
  expect(await run(patient, { task: { ...taskWith(), timeoutMs: 1e13 } })).toMatchObject({ outcome: 'passed' })
  expect(await run(patient, { maxWallMs: Number.POSITIVE_INFINITY })).toMatchObject({ outcome: 'passed' })
})

test('infra: an episode that can not be opened', async () => {
  const task = { ...taskWith(), options: { shell: {} as NonNullable<Task['options']>['shell'] } }
  expect(await run(scripted([]), { task: task as Task, retries: 0 })).toMatchObject({
    outcome: 'infra',
    reason: expect.stringContaining('the episode could not be opened: '),
  })
})

test('an abort gives no result', async () => {
  const abort = new AbortController()
  const agent: EpisodeAgent = {
    name: 'a',
    run: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        abort.abort(new Error('Ctrl-C'))
      }),
  }
  await expect(run(agent, { signal: abort.signal })).rejects.toThrow('Ctrl-C')
  await expect(run(scripted([]), { signal: abort.signal })).rejects.toThrow('Ctrl-C')
})

test('what an agent does after its answer counts in no way', async () => {
  let late = Promise.resolve<unknown>(undefined)
  const agent: EpisodeAgent = {
    name: 'a',
    async run({ episode }) {
      await episode.tools.call('write_file', { path: '/answer.txt', content: 'maybe' })
      late = new Promise((done) => setTimeout(done, 5)).then(() =>
        episode.tools.call('write_file', { path: '/answer.txt', content: 'yes' }),
      )
      return { answer: '' }
    },
  }
  const scorer: Scorer = async (scored) => {
    await late
    return saysYes(scored)
  }
  const result = await run(agent, { task: taskWith(scorer) })
  expect(result).toMatchObject({ outcome: 'failed', usage: { calls: 1 } })
  expect(result.trace).not.toContain('"yes"')
})

test('calls that an agent did not wait for are finished before it is scored', async () => {
  const agent: EpisodeAgent = {
    name: 'a',
    async run({ episode }) {
      void episode.tools.call('write_file', { path: '/answer.txt', content: 'maybe' })
      void episode.tools.call('write_file', { path: '/answer.txt', content: 'yes' })
      return { answer: '' }
    },
  }
  expect(await run(agent)).toMatchObject({ outcome: 'passed', usage: { calls: 2 } })
})

test('usage and cost are those of the messages', async () => {
  const said = { type: 'message', role: 'assistant', text: 'x' } as const
  const agent: EpisodeAgent = {
    name: 'a',
    async run({ episode: { trace } }) {
      trace.add({ type: 'message', role: 'user', text: 'x' })
      trace.add({ ...said, usage: { inputTokens: 10, outputTokens: 2, cost: 0.5 } })
      trace.add({ ...said, usage: { inputTokens: 20, outputTokens: 3, cost: 0.25 } })
      trace.add(said)
      return { answer: '' }
    },
  }
  expect((await run(agent)).usage).toEqual({
    calls: 0,
    failedCalls: 0,
    turns: 3,
    inputTokens: 30,
    outputTokens: 5,
    cost: 0.75,
  })
})

test('an agent of the user that answers nothing is scored all the same', async () => {
  const agent = { name: 'a', run: async () => undefined } as unknown as EpisodeAgent
  expect(await run(agent)).toMatchObject({ outcome: 'agent-error' })
  const other = { name: 'a', run: async () => ({}) } as unknown as EpisodeAgent
  const answers: string[] = []
  const scorer: Scorer = async ({ answer }): Promise<Score[]> => {
    answers.push(answer)
    return [{ name: 's', value: 1, reason: '' }]
  }
  expect(await run(other, { task: taskWith(scorer) })).toMatchObject({ outcome: 'passed' })
  expect(answers).toEqual([''])
})
