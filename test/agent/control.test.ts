/** Approvals, undo and branches. */

import { describe, expect, test } from 'vitest'
import { AgentError } from '../../agent/agent-error.js'
import { type ApprovalRules, approvals, cautiousRules, kindOf } from '../../agent/approvals.js'
import { isFsError } from '../../src/errors.js'
import { editText } from '../../src/ops/edit-text.js'
import { writeFiles } from '../../src/ops/write-files.js'
import { call, setting, text } from './fake-models.js'

describe('approvals', () => {
  test('know the kinds of our own tools by their hints', async () => {
    const { model, agent } = setting([[]])
    await agent.send('Go')
    const kinds = Object.fromEntries((model.requests[0]?.tools ?? []).map((tool) => [tool.name, kindOf(tool)]))
    expect(kinds).toMatchObject({
      read_file: 'read',
      grep: 'read',
      write_file: 'change',
      delete: 'change',
      make_dir: 'add',
      copy: 'add',
    })
  })

  test('of a tool without hints are those of one that changes things', () => {
    expect(kindOf({})).toBe('change')
    expect(kindOf({ annotations: {} })).toBe('change')
    expect(kindOf({ annotations: { readOnlyHint: false, destructiveHint: false } })).toBe('add')
  })

  test('are asked by kind; a no with a word reaches the model, and nothing was done', async () => {
    const asked: string[] = []
    const rules: ApprovalRules = { kinds: { ...cautiousRules }, tools: {} }
    const approve = approvals({
      rules,
      ask({ tool, args }) {
        asked.push(`${tool} ${String(args.path)}`)
        return args.path === 'a.txt' ? { allow: false, word: 'leave a.txt alone' } : { allow: true }
      },
    })
    const { agent, read } = setting(
      [
        [
          call('read_file', { path: 'a.txt' }),
          call('write_file', { path: 'a.txt', content: '' }),
          call('write_file', { path: 'b.txt', content: 'b\n' }),
        ],
        [text('Fine.')],
      ],
      { approve },
    )
    const { calls } = await agent.send('Empty all')
    expect(asked).toEqual(['write_file a.txt', 'write_file b.txt'])
    expect(calls.map(({ state }) => state)).toEqual(['done', 'denied', 'done'])
    expect(calls[1]?.output).toBe(
      'Not called: the user does not allow this call of write_file. They say: leave a.txt alone',
    )
    expect(await read('a.txt')).toBe('one\n')
    expect(await read('b.txt')).toBe('b\n')
  })

  test('that are always given are not asked again, and rules of a tool are stronger than those of its kind', async () => {
    let asked = 0
    const rules: ApprovalRules = { kinds: { ...cautiousRules }, tools: { delete: 'deny' } }
    const approve = approvals({
      rules,
      ask({ tool }) {
        asked += 1
        rules.tools[tool] = 'allow'
        return { allow: true }
      },
    })
    const write = (path: string) => call('write_file', { path, content: '' })
    const { agent } = setting([[write('x'), write('y'), call('delete', { path: 'x' })], []], { approve })
    const { calls } = await agent.send('Go')
    expect(asked).toBe(1)
    expect(calls.map(({ state }) => state)).toEqual(['done', 'done', 'denied'])
  })

  test('are not taken from the names of objects', () => {
    const approve = approvals({ rules: { kinds: cautiousRules, tools: {} }, ask: () => ({ allow: false }) })
    const signal = new AbortController().signal
    expect(approve({ id: '', tool: 'constructor', kind: 'change', args: {} }, signal)).toEqual({ allow: false })
  })

  test('that nobody gives end with Stop', async () => {
    const { agent } = setting([[call('write_file', { path: 'x', content: '' })]], {
      approve: () => new Promise(() => {}),
      onEvent: (event) => event.type === 'call' && event.call.state === 'asking' && setTimeout(() => agent.stop()),
    })
    const turn = await agent.send('Go')
    expect([turn.end?.reason, turn.calls[0]?.state]).toEqual(['stopped', 'stopped'])
  })
})

describe('undo', () => {
  const write = (path: string, content: string, id: string) => call('write_file', { path, content }, id)

  test('of a call takes back what it changed, and of a turn the rest', async () => {
    const { agent, read } = setting([
      [write('a.txt', '1\n', 'x'), write('b.txt', '2\n', 'y'), write('b.txt', '3\n', 'z')],
      [],
    ])
    const turn = await agent.send('Go')
    expect(agent.isUndoable('x')).toBe(true)
    await agent.undoCall('x')
    expect(agent.isUndoable('x')).toBe(false)
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['one\n', '3\n'])
    await agent.undoTurn(turn.id)
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['one\n', 'two\n'])
  })

  test('of a turn leaves what others have changed', async () => {
    const { agent, workspace, read } = setting([[write('a.txt', '1\n', 'x')], []])
    const turn = await agent.send('Go')
    await workspace.run(writeFiles, { files: [{ path: 'b.txt', content: 'mine\n' }] })
    await agent.undoTurn(turn.id)
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['one\n', 'mine\n'])
  })

  test('of what was changed since is a conflict, and changes nothing', async () => {
    const { agent, workspace, read } = setting([[write('a.txt', '1\n', 'x')], []])
    await agent.send('Go')
    await workspace.run(writeFiles, { files: [{ path: 'a.txt', content: 'mine\n' }] })
    await expect(agent.undoCall('x')).rejects.toSatisfy((error) => isFsError(error, 'CONFLICT'))
    expect(await read('a.txt')).toBe('mine\n')
    expect(agent.isUndoable('x')).toBe(true)
  })

  test('of a turn keeps the lines that others changed in its files, as one change', async () => {
    const { agent, workspace, read } = setting([
      [write('a.txt', 'one\n1\n2\n3\n', 'x'), write('a.txt', 'ONE\n1\n2\n3\n', 'y'), write('new.txt', 'new\n', 'z')],
      [],
    ])
    await workspace.run(writeFiles, { files: [{ path: 'a.txt', content: 'one\n1\n2\n' }] })
    const turn = await agent.send('Go')
    await workspace.run(writeFiles, { files: [{ path: 'a.txt', content: 'ONE\n1 mine\n2\n3\n' }] })
    const known = (await workspace.history.list()).length
    await expect(agent.undoTurn(turn.id)).rejects.toMatchObject({
      code: 'CONFLICT',
      facts: { overlaps: [{ path: '/a.txt', reason: 'lines', lines: [{ first: 1, last: 2 }] }] },
    })
    await workspace.run(writeFiles, { files: [{ path: 'a.txt', content: 'ONE\n1\n2 mine\n2\n3\n' }] })
    expect(await agent.undoTurn(turn.id, { overlaps: 'refuse' })).toEqual([])
    expect(await read('a.txt')).toBe('one\n1\n2 mine\n2\n')
    expect((await workspace.history.list()).length).toBe(known + 2)
    expect(agent.isUndoable('x')).toBe(false)
  })

  test('of a turn can leave out what others changed in the same lines, and names it', async () => {
    const { agent, workspace, read } = setting([[write('a.txt', '1\n', 'x'), write('b.txt', '2\n', 'y')], []])
    const turn = await agent.send('Go')
    await workspace.run(writeFiles, { files: [{ path: 'a.txt', content: 'mine\n' }] })
    const [mine] = await workspace.history.list({ limit: 1 })
    expect(await agent.undoTurn(turn.id, { overlaps: 'skip' })).toEqual([
      { path: '/a.txt', reason: 'lines', lines: [{ first: 1, last: 1 }], changes: [mine?.id] },
    ])
    expect([await read('a.txt'), await read('b.txt')]).toEqual(['mine\n', 'two\n'])
    expect([agent.isUndoable('x'), agent.isUndoable('y')]).toEqual([true, false])
    await agent.undoTurn(turn.id, { overlaps: 'discard' })
    expect(await read('a.txt')).toBe('one\n')
  })

  test('and rewinding are refused while the agent works', async () => {
    const { agent } = setting([[write('a.txt', '1\n', 'x'), text('…'), 'stall']])
    const turn = agent.send('Go')
    await expect(agent.undoCall('x')).rejects.toThrow('at work')
    await expect(agent.rewind('turn-1')).rejects.toThrow('at work')
    agent.stop()
    await turn
  })
})

describe('branches', () => {
  test('are forks of the conversation and of the files, and both can be gone back to', async () => {
    const write = (content: string) => [call('write_file', { path: 'a.txt', content })]
    const { agent, model, read, workspace } = setting([
      write('1\n'),
      [],
      write('2\n'),
      [],
      write('3\n'),
      [text('Three.')],
    ])
    await agent.send('One')
    const second = await agent.send('Two')
    await workspace.run(writeFiles, { files: [{ path: 'mine.txt', content: 'mine\n' }] })
    const left = await agent.rewind(second.id)
    expect(await read('a.txt')).toBe('1\n')
    expect(agent.conversation.turns.map(({ prompt }) => prompt)).toEqual(['One'])
    await agent.send('Three')
    expect(await read('a.txt')).toBe('3\n')
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === 'user')).toEqual([
      { role: 'user', text: 'One' },
      { role: 'user', text: 'Three' },
    ])
    const other = await agent.resume(left)
    expect([await read('a.txt'), await read('mine.txt')]).toEqual(['2\n', 'mine\n'])
    expect(agent.conversation.turns.map(({ prompt }) => prompt)).toEqual(['One', 'Two'])
    await agent.resume(other)
    expect(await read('a.txt')).toBe('3\n')
    // What others wrote belongs to no branch.
    expect(await read('mine.txt')).toBe('mine\n')
  })

  test('keep what others changed in the same files, and are left only when that is possible or not wanted', async () => {
    const lines = (...changed: string[]) => ['one', '1', '2', '3', '4', ...changed].map((line) => `${line}\n`).join('')
    const { agent, read, workspace } = setting([
      [call('write_file', { path: 'c.txt', content: lines('agent') })],
      [],
      [call('edit_file', { path: 'c.txt', old_string: 'agent', new_string: 'agent 2' })],
      [],
    ])
    await agent.send('Make it')
    const second = await agent.send('Edit it')
    const mine = (from: string, to: string) =>
      workspace.run(editText, { path: 'c.txt', edits: [{ kind: 'literal', find: from, replace: to }] })
    await mine('one', 'mine')
    const left = await agent.rewind(second.id)
    expect(await read('c.txt')).toBe(lines('agent').replace('one', 'mine'))
    await mine('2', 'also mine')
    const other = await agent.resume(left)
    expect(await read('c.txt')).toBe('mine\n1\nalso mine\n3\n4\nagent 2\n')
    await mine('agent 2', 'mine, not the agent’s')
    await expect(agent.resume(other)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(agent.conversation.turns.map(({ prompt }) => prompt)).toEqual(['Make it', 'Edit it'])
    await agent.resume(other, { overlaps: 'skip' })
    expect(await read('c.txt')).toBe('mine\n1\nalso mine\n3\n4\nmine, not the agent’s\n')
  })

  test('a turn that does not exist is not gone back to', async () => {
    const { agent } = setting([])
    await expect(agent.rewind('turn-9')).rejects.toThrow(new AgentError('UNKNOWN_TURN', 'There is no turn turn-9'))
  })
})
