import { expect, test } from 'vitest'
import { clarvis } from '../../src/dialects/clarvis/tools.js'
import { memory } from '../../src/fs/backends/memory.js'
import { callTool } from '../../src/tools/call-tool.js'
import type { Dialect, Tool } from '../../src/tools/dialect.js'
import { boundedInFlight } from '../../src/tools/in-flight-limits.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'

const workspace = createWorkspace({ fs: memory() })

/** Tools whose calls run until they are let go, and a list of those that have begun. */
function stage(limits: { calls: number; ofOneTool: number }) {
  const begun: string[] = []
  const running: Array<() => void> = []
  const tool = (name: string): Tool => ({
    ...(clarvis.tools[0] as Tool),
    name,
    call: async (args) => {
      begun.push(`${name} ${(args as { n: number }).n}`)
      await new Promise<void>((resolve) => running.push(resolve))
      return { content: [] }
    },
  })
  const dialect = boundedInFlight({ ...clarvis, tools: [tool('slow'), tool('quick')] } as Dialect, limits)
  const call = (name: string, n: number, signal?: AbortSignal) =>
    callTool(workspace, dialect, name, { n }, signal ? { signal } : {})
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const finishOne = async () => {
    running.shift()?.()
    await settle()
  }
  return { begun, running, call, settle, finishOne }
}

test('no more run at once than allowed, and none is forgotten', async () => {
  const { begun, running, call, settle, finishOne } = stage({ calls: 3, ofOneTool: 3 })
  const calls = Array.from({ length: 10 }, (_, n) => call('slow', n))
  await settle()
  expect(begun).toHaveLength(3)
  while (running.length > 0) await finishOne()
  await Promise.all(calls)
  expect(begun).toEqual(Array.from({ length: 10 }, (_, n) => `slow ${n}`))
})

test('many calls of one tool leave room for others', async () => {
  const { begun, call, settle } = stage({ calls: 3, ofOneTool: 2 })
  for (let n = 0; n < 5; n += 1) void call('slow', n)
  void call('quick', 0)
  await settle()
  expect(begun).toEqual(['slow 0', 'slow 1', 'quick 0'])
})

test('a waiting call of another tool is taken before the rest of a long line', async () => {
  const { begun, call, settle, finishOne } = stage({ calls: 1, ofOneTool: 1 })
  for (let n = 0; n < 4; n += 1) void call('slow', n)
  void call('quick', 0)
  await settle()
  await finishOne()
  await finishOne()
  expect(begun).toEqual(['slow 0', 'slow 1', 'quick 0'])
})

test('one that is cancelled while it waits never runs, and makes no place', async () => {
  const { begun, call, settle, finishOne } = stage({ calls: 1, ofOneTool: 1 })
  const cancel = new AbortController()
  void call('slow', 0)
  const waiting = call('slow', 1, cancel.signal)
  void call('slow', 2)
  await settle()
  cancel.abort()
  expect((await waiting).isError).toBe(true)
  await finishOne()
  expect(begun).toEqual(['slow 0', 'slow 2'])
})
