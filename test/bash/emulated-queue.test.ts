/** Commands of many clients: no command waits longer than its timeout, nor for those of another client. */
import { expect, onTestFinished, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { isFsError } from '../../src/errors.js'
import { memory } from '../../src/fs/backends/memory.js'
import { shellSession } from '../../src/shell/session.js'
import type { ExecRequest, Shell } from '../../src/shell/types.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

const workerFile = built('node/emulated-worker.js')

function open(count: number, maxCommands = 32): Workspace[] {
  const shell = emulatedShell({ worker: workerFile, maxCommands })
  const opened = Array.from({ length: count }, () => createWorkspace({ fs: memory(), shell }))
  onTestFinished(async () => {
    for (const workspace of opened) await workspace.shell?.close()
  })
  return opened
}

/** A command that runs until the test ends. */
function occupy(workspace: Workspace, more: Partial<ExecRequest> = {}): Promise<unknown> {
  return run(workspace, 'while true; do sleep 1; done', { timeoutMs: 600_000, ...more }).catch(() => {})
}

async function outcome(ran: Promise<{ stdout: string }>): Promise<string> {
  return ran.then(
    ({ stdout }) => stdout,
    (error) => (isFsError(error) ? `${error.code} ${JSON.stringify(error.facts)}` : String(error)),
  )
}

test('one client with many long commands leaves a worker to others', async () => {
  const [greedy, modest] = open(2) as [Workspace, Workspace]
  for (let i = 0; i < 20; i += 1) void occupy(greedy)
  for (let i = 0; i < 3; i += 1) expect(await outcome(run(modest, 'echo mine'))).toBe('mine\n')
})

test('many clients with long commands do not wait for each other', async () => {
  const clients = open(12)
  for (const client of clients.slice(1)) void occupy(client)
  expect(await outcome(run(clients[0] as Workspace, 'echo mine', { timeoutMs: 20_000 }))).toBe('mine\n')
})

test('one connection leaves a worker to others on the same workspace', async () => {
  const [shared] = open(1) as [Workspace]
  const [greedy, modest] = [{}, {}]
  for (let i = 0; i < 20; i += 1) void occupy(shared, { caller: greedy })
  expect(await outcome(run(shared, 'echo mine', { caller: modest }))).toBe('mine\n')
})

test('when all workers are busy, a command is refused within its timeout without having started', async () => {
  const [first, second, third] = open(3, 4) as [Workspace, Workspace, Workspace]
  for (let i = 0; i < 3; i += 1) void occupy(first)
  void occupy(second)
  expect(await outcome(run(third, 'echo late > late.txt', { timeoutMs: 1000 }))).toBe('OVERLOADED {"what":"commands"}')
  expect(await third.fs.readDir('/')).toEqual([])
})

test('a queued command can be cancelled, and does not start later', async () => {
  const [workspace] = open(1) as [Workspace]
  const controllers = Array.from({ length: 4 }, () => new AbortController())
  const busy = controllers.map(({ signal }) => occupy(workspace, { signal }))
  const cancelled = new AbortController()
  const waiting = outcome(run(workspace, 'echo late > late.txt', { signal: cancelled.signal }))
  cancelled.abort()
  expect(await waiting).toBe('ABORTED {}')
  for (const controller of controllers) controller.abort()
  await Promise.all(busy)
  expect(await outcome(run(workspace, 'ls'))).toBe('')
})

test('sessions of different connections never wait for each other’s commands', async () => {
  const [shared] = open(1) as [Workspace]
  const shell = shared.shell as Shell
  const connections = Array.from({ length: 6 }, () => {
    const caller = {}
    const sessions = Array.from({ length: 4 }, () => shellSession(shell, { cwd: '/' }))
    return { caller, sessions }
  })
  const [modest, ...greedy] = connections as [(typeof connections)[number], ...typeof connections]
  const request = { timeoutMs: 600_000, maxStreamBytes: 1000 }
  const stopped = new AbortController()
  const busy = greedy.flatMap(({ caller, sessions }) =>
    sessions.map((session) =>
      session
        .run({ ...request, command: 'while true; do sleep 1; done', caller, signal: stopped.signal })
        .catch(() => {}),
    ),
  )
  // 20 commands run by now, those of each connection as many as it may have.
  for (const [index, session] of modest.sessions.entries()) {
    await session.run({ ...request, timeoutMs: 60_000, command: `export own=${index}; cd /tmp`, caller: modest.caller })
  }
  for (const [index, session] of modest.sessions.entries()) {
    const ran = await session.run({ ...request, timeoutMs: 60_000, command: 'echo "$own"', caller: modest.caller })
    expect(new TextDecoder().decode(ran.stdout.bytes)).toBe(`${index}\n`)
  }
  stopped.abort()
  await Promise.all(busy)
})
