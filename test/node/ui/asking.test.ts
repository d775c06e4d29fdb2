/** `--ask` holds from the first message of a client to the last, whatever ends: with the command as it is installed. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CallSeen } from '../../../src/engine/ui-protocol.js'
import { address, pageAt, places, type Started, start } from './started-ui.js'
import type { Page } from './ui-site.js'

interface Answer {
  id: number
  result: { content: [{ text: string }]; isError?: boolean }
}

interface RawClient extends Started {
  send(...messages: object[]): void
  /** The text of an answer, once it is there. */
  answerTo(id: number): Promise<string>
}

/** A client that sends what it wants without waiting for anything. */
async function rawClient(root: string, state: string): Promise<RawClient> {
  const started = await start([root], state)
  const answers = () =>
    started
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line): Answer => JSON.parse(line))
  return {
    ...started,
    send: (...messages) => {
      started.child.stdin?.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
    },
    async answerTo(id) {
      await expect.poll(() => answers().some((answer) => answer.id === id), { timeout: 50_000 }).toBe(true)
      return answers().find((answer) => answer.id === id)?.result.content[0].text ?? ''
    },
  }
}

function initialize(name: string): object[] {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } }
  return [
    { jsonrpc: '2.0', id: 0, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ]
}

function call(id: number, name: string, given: object): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } }
}

async function waitingFor(page: Page, tool: string): Promise<CallSeen> {
  const found = () => [...page.calls.values()].find((one) => one.tool === tool && one.state === 'waiting')
  await expect.poll(() => found()?.tool, { timeout: 50_000 }).toBe(tool)
  return found() as CallSeen
}

/** Ends it so that it can do nothing any more. */
async function kill({ child }: Started): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

test('calls that a client sends with its first message wait for the page, and reads do not', async () => {
  const { root, state } = await places()
  const ui = await start(['ui', '--ask', root], state)
  const page = await pageAt(await ui.printed(address))
  const client = await rawClient(root, state)
  client.send(
    ...initialize('hasty'),
    call(1, 'write_file', { path: 'written.txt', content: 'x' }),
    call(2, 'bash', { command: 'touch made.txt' }),
    call(3, 'read_file', { path: 'a.txt' }),
  )
  expect(await client.answerTo(3)).toContain('one')
  await page.decide((await waitingFor(page, 'bash')).id, { allow: false })
  const write = await waitingFor(page, 'write_file')
  expect(await client.answerTo(2)).toContain('The user did not allow this call of bash. Nothing was done.')
  expect(readdirSync(root)).toEqual(['a.txt'])
  await page.decide(write.id, { allow: true })
  await client.answerTo(1)
  expect(readdirSync(root)).toEqual(['a.txt', 'written.txt'])
})

test('a page that was killed goes on asking, until the user opens another one', async () => {
  const { root, state } = await places()
  const ui = await start(['ui', '--ask', root], state)
  const page = await pageAt(await ui.printed(address))
  const before = await rawClient(root, state)
  before.send(...initialize('before'), call(1, 'write_file', { path: 'before.txt', content: 'x' }))
  await waitingFor(page, 'write_file')
  await kill(ui)
  const after = await rawClient(root, state)
  after.send(...initialize('after'), call(1, 'write_file', { path: 'after.txt', content: 'x' }))
  const refused = await after.answerTo(1)
  expect(refused).toBe(
    `This call of write_file needs the user's approval: the page of polyfs that is to be asked (process ${ui.child.pid}) has ended without being stopped, so it was refused. Nothing was done. Ask the user to start \`polyfs ui\` for this directory again, then call again.`,
  )
  // The open question is asked on the next page. That does not ask new clients.
  const next = await start(['ui', root], state)
  const later = await pageAt(await next.printed(address))
  after.send(call(2, 'write_file', { path: 'after.txt', content: 'x' }))
  await after.answerTo(2)
  expect(existsSync(join(root, 'after.txt'))).toBe(true)
  let waiting: CallSeen | undefined
  const find = async () => {
    waiting = (await later.activity()).calls.find(({ state: at }) => at === 'waiting')
    return waiting?.tool
  }
  await expect.poll(find, { timeout: 50_000 }).toBe('write_file')
  expect(existsSync(join(root, 'before.txt'))).toBe(false)
  await later.decide(waiting?.id ?? '', { allow: true })
  await before.answerTo(1)
  expect(existsSync(join(root, 'before.txt'))).toBe(true)
})
