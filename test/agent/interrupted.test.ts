/** A program that ends in the middle of a turn: whatever was stored last, the turn goes on, and no call that changes anything is made twice. */
import { describe, expect, test } from 'vitest'
import { createAgent } from '../../agent/agent.js'
import type { AgentOptions } from '../../agent/agent-options.js'
import type { Conversation } from '../../agent/conversation.js'
import type { Message } from '../../models/model.js'
import { call, fakeModel, type Said, setting, text } from './fake-models.js'

/** The program that ended does nothing any more. */
const never = () => new Promise<never>(() => {})

const append = (word: string) => call('bash', { command: `echo ${word} >> log.txt` })

/** What the agent of the second program is asked, and what it is answered. */
function continuing(conversation: Conversation, answers: readonly (readonly Said[])[], options: Partial<AgentOptions>) {
  const model = fakeModel(answers)
  const made: string[] = []
  const agent = createAgent({
    model,
    tools: { listTools: async () => listed, callTool: recording(made) },
    now: () => 0,
    conversation: structuredClone(conversation) as Conversation,
    ...options,
  })
  return { agent, model, made }
}

const listed = [
  { name: 'bash', description: '', inputSchema: {} },
  { name: 'read_file', description: '', inputSchema: {}, annotations: { readOnlyHint: true } },
]

function recording(made: string[]) {
  return async (_name: string, args: unknown) => {
    const { command = '' } = args as { command?: string }
    if (command !== '') made.push(command)
    return { content: [{ type: 'text' as const, text: `did ${command}` }] }
  }
}

/** Every call of every answer has one result right after it. */
function expectPaired(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const ids =
      message.role === 'assistant' ? message.parts.flatMap((part) => (part.type === 'call' ? [part.id] : [])) : []
    if (ids.length === 0) return
    const next = messages[index + 1]
    expect(next?.role === 'tools' ? next.results.map(({ id }) => id) : []).toEqual(ids)
  })
}

describe('a turn whose program ended', () => {
  const answers = [
    [text('First two.'), append('one'), append('two')],
    [call('read_file', { path: 'a.txt' }), append('three')],
    [text('Done.')],
  ]

  /** All that was stored one after another, with the commands that had been made by then. */
  async function stored() {
    const made: string[] = []
    const states: { conversation: Conversation; made: string[] }[] = []
    const keep = () => {
      states.push({ conversation: structuredClone(agent.conversation) as Conversation, made: [...made] })
    }
    const agent = createAgent({
      model: fakeModel(answers),
      tools: { listTools: async () => listed, callTool: recording(made) },
      now: () => 0,
      onEvent: keep,
      beforeCall: async () => keep(),
    })
    await agent.send('Go')
    return states
  }

  test('goes on from wherever it was stored, without a call that is made twice', async () => {
    const all = ['echo one >> log.txt', 'echo two >> log.txt', 'echo three >> log.txt']
    let interrupted = 0
    for (const { conversation, made: before } of await stored()) {
      const last = conversation.turns.at(-1)
      if (last === undefined || last.end !== undefined) continue
      const answered = last.messages.filter(({ role }) => role === 'assistant').length
      const { agent, model, made } = continuing(conversation, answers.slice(answered), {})
      const wasRunning = last.calls.filter(({ state, kind }) => state === 'running' && kind !== 'read')
      const turn = await agent.continueTurn()
      expect(turn.end).toMatchObject({ reason: 'done' })
      expect(agent.conversation.turns).toHaveLength(1)
      // One that was running may have been made or not; it is not made again, and the model is informed.
      const unknown = wasRunning.map(({ args }) => String(args?.command))
      interrupted += unknown.length
      expect(new Set([...before, ...made, ...unknown])).toEqual(new Set(all))
      expect([...before, ...made].filter((command, index, list) => list.indexOf(command) !== index)).toEqual([])
      for (const { id } of wasRunning) {
        expect(turn.calls.find((each) => each.id === id)).toMatchObject({ state: 'interrupted' })
        expect(JSON.stringify(model.requests[0]?.messages)).toContain('look before you repeat it')
      }
      expectPaired(turn.messages)
      expect(turn.messages.filter(({ role }) => role === 'assistant')).toHaveLength(answers.length)
    }
    expect(interrupted).toBeGreaterThan(2)
  })

  test('can be left: the next prompt is answered, and every call has a result', async () => {
    for (const { conversation, made: before } of await stored()) {
      const { agent, model, made } = continuing(conversation, [[text('Yes.')]], {})
      const { length } = conversation.turns
      await agent.send('Something else')
      expect(made).toEqual([])
      expect(before.length).toBeLessThan(4)
      expect(agent.conversation.turns).toHaveLength(length + 1)
      expectPaired(model.requests[0]?.messages ?? [])
      expect(agent.conversation.turns.every(({ end }) => end !== undefined)).toBe(true)
    }
  })

  test('asks again what was open, and makes the call once', async () => {
    const model = fakeModel([[append('one')]])
    const first = createAgent({ model, tools: { listTools: async () => listed, callTool: never }, approve: never })
    void first.send('Go')
    await expect.poll(() => first.conversation.turns[0]?.calls[0]?.state).toBe('asking')
    const asked: string[] = []
    const approve: AgentOptions['approve'] = ({ id }) => {
      asked.push(id)
      return { allow: true }
    }
    const { agent, made } = continuing(first.conversation, [[text('Done.')]], { approve })
    const turn = await agent.continueTurn()
    expect(asked).toEqual([turn.calls[0]?.id])
    expect(made).toEqual(['echo one >> log.txt'])
    expect(turn.calls.map(({ state }) => state)).toEqual(['done'])
    await expect(agent.continueTurn()).rejects.toMatchObject({ name: 'AgentError', code: 'NO_OPEN_TURN' })
  })

  test('makes no call before it was stored that it begins', async () => {
    const order: string[] = []
    const write = call('write_file', { path: 'a.txt', content: 'new\n' })
    const { agent, workspace } = setting([[write], [text('Done.')]], {
      beforeCall: async ({ state, tool }) => {
        await Promise.resolve()
        order.push(`stored ${tool} ${state}`)
      },
    })
    workspace.changes.subscribe(({ checkpoint }) => {
      if (checkpoint === undefined) order.push('changed')
    })
    await agent.send('Go')
    expect(order).toEqual(['stored write_file running', 'changed'])
  })

  test('knows what was undone', async () => {
    const { agent, read } = setting([[call('write_file', { path: 'a.txt', content: 'new\n' })], []])
    const { calls } = await agent.send('Go')
    const id = calls[0]?.id ?? ''
    await agent.undoCall(id)
    expect(await read('a.txt')).toBe('one\n')
    const again = setting([], { conversation: agent.conversation })
    expect(again.agent.isUndoable(id)).toBe(false)
  })
})
