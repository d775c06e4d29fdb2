/** The loop with models that stream, fail, stall, call unknown tools and write broken arguments. */
import { describe, expect, test } from 'vitest'
import { createAgent } from '../../agent/agent.js'
import { AgentError } from '../../agent/agent-error.js'
import { ModelError } from '../../models/model.js'
import { call, setting, text } from './fake-models.js'

const passing = () => new ModelError('The host is busy', { retryable: true })

describe('a turn', () => {
  test('streams text, makes calls, and ends when the model calls nothing', async () => {
    const { agent, model, events, read } = setting([
      [
        text('I '),
        text('look.'),
        { type: 'writing', id: 'x', tool: 'read_file', text: '{"pa' },
        call('read_file', { path: 'a.txt' }, 'x'),
      ],
      [
        call('write_file', { path: 'a.txt', content: 'uno\n' }, 'y'),
        { type: 'usage', usage: { inputTokens: 5, outputTokens: 2 } },
      ],
      [text('Done.'), { type: 'usage', usage: { inputTokens: 7, cachedTokens: 5, outputTokens: 1 } }],
    ])
    const turn = await agent.send('Translate a.txt')
    expect(turn.end).toEqual({ reason: 'done', atMs: 0 })
    expect(turn.usage).toEqual({ inputTokens: 12, cachedTokens: 5, outputTokens: 3 })
    expect(await read('a.txt')).toBe('uno\n')
    expect(turn.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tools',
      'assistant',
      'tools',
      'assistant',
    ])
    expect(turn.messages[1]).toEqual({
      role: 'assistant',
      parts: [
        { type: 'text', text: 'I look.' },
        { type: 'call', id: 'x', tool: 'read_file', args: '{"path":"a.txt"}' },
      ],
    })
    expect(turn.messages[2]).toEqual({
      role: 'tools',
      results: [{ id: 'x', tool: 'read_file', text: '1\tone\n[1 line, hash 2c8b08da5ce60398]', isError: false }],
    })
    expect(turn.calls.map(({ tool, kind, state, changes }) => [tool, kind, state, changes.length])).toEqual([
      ['read_file', 'read', 'done', 0],
      ['write_file', 'change', 'done', 1],
    ])
    expect(events.map((event) => (event.type === 'call' ? `call ${event.call.state}` : event.type))).toEqual(
      'turn text text writing answer|call asking|call running|call done|answer|call asking|call running|call done|text answer end'
        .split('|')
        .flatMap((part) => (part.startsWith('call') ? [part] : part.split(' '))),
    )
    // Every request has the whole conversation, and the tools with their schemas.
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 5])
    expect(model.requests[0]?.tools.find(({ name }) => name === 'read_file')?.inputSchema).toMatchObject({
      type: 'object',
    })
  })

  test('continues a conversation that was stored as JSON', async () => {
    const first = setting([[text('Hello.')]])
    await first.agent.send('Hi')
    const second = setting([[text('Again.')]], { conversation: JSON.parse(JSON.stringify(first.agent.conversation)) })
    const turn = await second.agent.send('And?')
    expect(turn.id).toBe('turn-2')
    expect(second.model.requests[0]?.messages).toEqual([
      { role: 'user', text: 'Hi' },
      { role: 'assistant', parts: [{ type: 'text', text: 'Hello.' }] },
      { role: 'user', text: 'And?' },
    ])
  })

  test('ends at the limit of steps, and another prompt goes on', async () => {
    const looping = Array.from({ length: 3 }, () => [call('read_file', { path: 'a.txt' })])
    const { agent } = setting([...looping, [text('Enough.')]], { maxSteps: 3 })
    expect((await agent.send('Read')).end).toEqual({ reason: 'steps', atMs: 0 })
    expect((await agent.send('Go on')).end).toEqual({ reason: 'done', atMs: 0 })
  })

  test.each(['length', 'refused'] as const)('ends with the reason that the model gives: %s', async (reason) => {
    const { agent } = setting([[text('It is'), { type: 'end', reason }]])
    expect((await agent.send('Why?')).end).toEqual({ reason, atMs: 0 })
  })

  test('is refused while another one goes on', async () => {
    const { agent } = setting([['stall']])
    const turn = agent.send('One')
    await expect(agent.send('Two')).rejects.toThrow(
      new AgentError('AT_WORK', 'The agent is at work: stop it first, or wait'),
    )
    agent.stop()
    await turn
  })

  test('gives a model that answers with nothing its end', async () => {
    const { agent } = setting([[]])
    const turn = await agent.send('Hello?')
    expect(turn.end).toEqual({ reason: 'done', atMs: 0 })
    expect(turn.messages).toEqual([{ role: 'user', text: 'Hello?' }])
  })
})

describe('a call that is wrong', () => {
  const cases: [string, string, string | object, RegExp][] = [
    [
      'of an unknown tool',
      'remove_everything',
      {},
      /^There is no tool "remove_everything"\. The tools are: read_file, /,
    ],
    [
      'with broken JSON',
      'read_file',
      '{"path": "a.t',
      /^read_file was not called: the arguments are not valid JSON \(.+\)\. Correct the call/,
    ],
    ['with a list', 'read_file', '["a.txt"]', /^read_file was not called: the arguments are not an object\. Correct/],
    ['with arguments that do not fit the schema', 'read_file', { path: 5 }, /path/],
    ['of a file that is not there', 'read_file', { path: 'c.txt' }, /^not_found: c\.txt does not exist/],
  ]
  test.each(cases)('%s is answered, and the model goes on', async (_, tool, args, answer) => {
    const { agent, model } = setting([[call(tool, args, 'x')], [text('I see.')]])
    const turn = await agent.send('Go')
    expect(turn.end).toEqual({ reason: 'done', atMs: 0 })
    const result = model.requests[1]?.messages.at(-1)
    expect(result).toMatchObject({
      role: 'tools',
      results: [{ id: 'x', isError: true, text: expect.stringMatching(answer) }],
    })
    expect(turn.calls[0]?.state).toMatch(/^(wrong|failed)$/)
  })

  test('because the answer was cut off is explained as such', async () => {
    const { agent } = setting([
      [call('write_file', '{"path":"a.txt","content":"aaaa'), { type: 'end', reason: 'length' }],
      [],
    ])
    const [first] = (await agent.send('Write')).calls
    expect(first?.output).toContain('Your answer reached its limit of length')
  })

  test('with no arguments at all is a call without arguments', async () => {
    const { agent } = setting([[call('list_dir', '')], []])
    expect((await agent.send('List')).calls[0]).toMatchObject({ args: {}, state: 'done' })
  })

  test('does not keep the others of the same answer from being made, in their order', async () => {
    const { agent, read } = setting([
      [
        call('write_file', { path: 'n', content: '1' }),
        call('nonsense', {}),
        call('edit_file', { path: 'n', old_string: '1', new_string: '2' }),
      ],
      [],
    ])
    const { calls } = await agent.send('Go')
    expect(calls.map(({ state }) => state)).toEqual(['done', 'wrong', 'done'])
    expect(await read('n')).toBe('2\n')
  })

  test('with an id that is missing or was used before gets another one', async () => {
    const same = () => call('read_file', { path: 'a.txt' }, 'call_0')
    const { agent, model } = setting([[same(), same()], [same(), call('read_file', { path: 'a.txt' }, '')], []])
    const { calls } = await agent.send('Read')
    expect(new Set(calls.map(({ id }) => id)).size).toBe(4)
    for (const { messages } of model.requests) {
      const made = messages
        .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
        .flatMap((part) => (part.type === 'call' ? part.id : []))
      const answered = messages
        .flatMap((message) => (message.role === 'tools' ? message.results : []))
        .map(({ id }) => id)
      expect(answered).toEqual(made)
    }
  })

  test('whose tool throws is a failure that the model sees', async () => {
    const tools = {
      listTools: async () => [{ name: 't', description: '', inputSchema: {} }],
      callTool: () => Promise.reject(new Error('no connection')),
    }
    const { agent } = setting([[call('t', {})], []], { tools })
    expect((await agent.send('Go')).calls[0]).toMatchObject({ state: 'failed', output: 't failed: no connection' })
  })
})

describe('a model that fails', () => {
  test('for a passing reason is asked again, and what it had written is dropped', async () => {
    const { agent, events } = setting([[text('Half an'), passing()], [passing()], [text('Whole.')]])
    const turn = await agent.send('Go')
    expect(turn.end).toEqual({ reason: 'done', atMs: 0 })
    expect(turn.messages.at(-1)).toEqual({ role: 'assistant', parts: [{ type: 'text', text: 'Whole.' }] })
    expect(events.filter(({ type }) => type === 'retry')).toHaveLength(2)
  })

  test('too often ends the turn with its words', async () => {
    const { agent, model } = setting(
      Array.from({ length: 9 }, () => [passing()]),
      { retries: 2 },
    )
    expect((await agent.send('Go')).end).toEqual({ reason: 'failed', message: 'The host is busy', atMs: 0 })
    expect(model.requests).toHaveLength(3)
  })

  test('for good is asked once; what it wrote stays, without its calls', async () => {
    const { agent, model } = setting([
      [text('I begin.'), call('write_file', { path: 'x', content: '' }), new ModelError('No such key')],
      [text('Now it works.')],
    ])
    const turn = await agent.send('Go')
    expect(turn.end).toEqual({ reason: 'failed', message: 'No such key', atMs: 0 })
    expect(turn.calls).toEqual([])
    // The conversation is one that a model's API accepts.
    expect((await agent.send('Again')).end).toEqual({ reason: 'done', atMs: 0 })
    expect(model.requests[1]?.messages).toEqual([
      { role: 'user', text: 'Go' },
      { role: 'assistant', parts: [{ type: 'text', text: 'I begin.' }] },
      { role: 'user', text: 'Again' },
    ])
  })

  test('to send anything is given up and asked again', async () => {
    const { agent, model } = setting([[text('Hm'), 'stall'], [text('Here.')]], { stallMs: 20 })
    const turn = await agent.send('Go')
    expect(turn.end).toEqual({ reason: 'done', atMs: 0 })
    expect(model.requests[0]?.signal.aborted).toBe(true)
  })

  test('waits as long as its host says, and Stop ends the waiting', async () => {
    const busy = new ModelError('Too many requests', { retryable: true, retryAfterMs: 3_600_000 })
    const { agent, events } = setting([[busy]], { onEvent: ({ type }) => type === 'retry' && agent.stop() })
    expect((await agent.send('Go')).end).toEqual({ reason: 'stopped', atMs: 0 })
    expect(events.find((event) => event.type === 'retry')).toMatchObject({ delayMs: 60_000 })
  })

  test('with an error that is a mistake in its code ends the turn', async () => {
    const { agent } = setting([[new TypeError('undefined is not a function')]])
    expect((await agent.send('Go')).end).toMatchObject({ reason: 'failed', message: 'undefined is not a function' })
  })
})

describe('Stop', () => {
  test('while the model writes: what is written stays, and the next prompt goes on', async () => {
    const { agent, model } = setting(
      [[text('I begin'), call('read_file', { path: 'a.txt' }), 'stall'], [text('Yes?')]],
      {
        onEvent: (event) => event.type === 'text' && setTimeout(() => agent.stop()),
      },
    )
    const turn = await agent.send('Go')
    expect(turn.end).toEqual({ reason: 'stopped', atMs: 0 })
    expect(turn.messages).toEqual([
      { role: 'user', text: 'Go' },
      { role: 'assistant', parts: [{ type: 'text', text: 'I begin' }] },
    ])
    await agent.send('And now?')
    expect(model.requests).toHaveLength(2)
  })

  test('while a tool runs that does not listen: every call has an answer', async () => {
    const tools = {
      listTools: async () => [{ name: 'sleep', description: '', inputSchema: {} }],
      callTool: () => new Promise<never>(() => {}),
    }
    const { agent } = setting([[call('sleep', {}), call('sleep', {})]], {
      tools,
      onEvent: (event) => event.type === 'call' && event.call.state === 'running' && setTimeout(() => agent.stop()),
    })
    const turn = await agent.send('Go')
    expect(turn.end).toEqual({ reason: 'stopped', atMs: 0 })
    expect(turn.calls.map(({ state, output }) => [state, output?.slice(0, 24)])).toEqual([
      ['stopped', 'The user stopped the age'],
      ['stopped', 'Not called: the user sto'],
    ])
    expect(turn.messages.at(-1)).toMatchObject({ role: 'tools', results: [{ isError: true }, { isError: true }] })
  })

  test('aborts the signal of the tool', async () => {
    let signal: AbortSignal | undefined
    const tools = {
      listTools: async () => [{ name: 'sleep', description: '', inputSchema: {} }],
      callTool: (_: string, __: unknown, options: { signal?: AbortSignal } = {}) => {
        signal = options.signal
        agent.stop()
        return new Promise<never>(() => {})
      },
    }
    const { agent } = setting([[call('sleep', {})]], { tools })
    await agent.send('Go')
    expect(signal?.aborted).toBe(true)
  })
})

describe('steering', () => {
  test('reaches the model with the results of its calls', async () => {
    const { agent, model } = setting([[call('read_file', { path: 'a.txt' })], [text('Yes, b.')]], {
      onEvent: (event) => event.type === 'call' && event.call.state === 'running' && agent.steer('No, b.txt'),
    })
    const turn = await agent.send('Read')
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tools' },
      { role: 'user', text: 'No, b.txt' },
    ])
    expect(turn.end).toEqual({ reason: 'done', atMs: 0 })
    expect(agent.waiting).toEqual([])
  })

  test('of a model that is about to end makes it go on', async () => {
    const { agent, model } = setting([[text('Done.')], [text('That, too.')]], {
      onEvent: (event) => event.type === 'text' && event.text === 'Done.' && agent.steer('And c.txt'),
    })
    const turn = await agent.send('Write b.txt')
    expect(model.requests).toHaveLength(2)
    expect(turn.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  test('an agent that is not at work fails', () => {
    const { agent } = setting([])
    expect(() => agent.steer('Go')).toThrow(new AgentError('NOT_AT_WORK', 'The agent is not at work: begin a turn'))
  })
})

test('an agent without a history can do everything but undo', async () => {
  const { model, workspace } = setting([[call('write_file', { path: 'x', content: '' })], []])
  const { tools } = await import('../../src/dialects/tool-definitions.js')
  const agent = createAgent({ model, tools: tools(workspace) })
  const turn = await agent.send('Go')
  expect(turn.point).toBeUndefined()
  expect(turn.calls[0]?.changes).toEqual([])
  await expect(agent.undoTurn(turn.id)).rejects.toMatchObject({ name: 'AgentError', code: 'NO_HISTORY' })
})
