/** What a page sees of the clients, and what it decides. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { maxClients } from '../../../node/ui/clients-seen.js'
import type { CallSeen } from '../../../src/engine/ui-protocol.js'
import { openPage, type Page, type UiSite, uiSite } from './ui-site.js'

async function client(site: UiSite, name = 'claude-code', version = '2.1.0'): Promise<Client> {
  const made = new Client({ name, version })
  await made.connect(new StreamableHTTPClientTransport(new URL(site.url)))
  onTestFinished(() => made.close())
  return made
}

function write(from: Client, path: string, content = 'new') {
  return from.callTool({ name: 'write_file', arguments: { path, content } })
}

function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content.map(({ text }) => text).join('\n')
}

function callsIn({ calls }: Page): Pick<CallSeen, 'tool' | 'state'>[] {
  return [...calls.values()].map(({ tool, state }) => ({ tool, state }))
}

async function waitingIn(page: Page): Promise<CallSeen> {
  await expect.poll(() => [...page.calls.values()].some(({ state }) => state === 'waiting')).toBe(true)
  return [...page.calls.values()].find(({ state }) => state === 'waiting') as CallSeen
}

test('a page sees who reads and changes what, while it happens and after', async () => {
  const site = await uiSite()
  await writeFile(join(site.root, 'a.txt'), 'one\n')
  const page = await openPage(site)
  const agent = await client(site)
  await agent.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })
  await write(agent, 'b.txt')
  await expect
    .poll(() => callsIn(page))
    .toEqual([
      { tool: 'read_file', state: 'done' },
      { tool: 'write_file', state: 'done' },
    ])
  const [read, written] = [...page.calls.values()]
  expect(read).toMatchObject({ kind: 'read', paths: [`${site.root}/a.txt`], args: '{"path":"a.txt"}' })
  expect(read?.answer).toContain('one')
  expect(written).toMatchObject({ kind: 'write', paths: [`${site.root}/b.txt`] })
  const [record] = await page.run('listChanges', {})
  expect(record).toMatchObject({ id: written?.changes?.[0], by: { name: 'claude-code', version: '2.1.0' } })
  await page.run('undoChange', { id: record?.id ?? '' })
  await expect(readFile(join(site.root, 'b.txt'))).rejects.toThrow('ENOENT')
  // A page that comes later sees the same.
  const { clients, calls } = await (await openPage(site)).activity()
  expect(clients).toMatchObject([{ name: 'claude-code', version: '2.1.0', asks: false }])
  expect(calls.map(({ id }) => id)).toEqual([read?.id, written?.id])
})

test('a change by a command has the name of its client, too', async () => {
  const site = await uiSite()
  const agent = await client(site)
  await agent.callTool({ name: 'bash', arguments: { command: 'echo hi > from-shell.txt' } })
  const page = await openPage(site)
  const [record] = await page.run('listChanges', {})
  expect(record).toMatchObject({ by: { name: 'claude-code' }, steps: [{ path: `${site.root}/from-shell.txt` }] })
})

test('a client that has to ask waits for the click, and reads go on', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  const agent = await client(site)
  const other = await client(site, 'cursor', '1')
  await expect.poll(() => page.people.at(-1)?.clients.length).toBe(2)
  const asking = page.people.at(-1)?.clients.find(({ name }) => name === 'claude-code')
  await page.setAsks(asking?.id ?? '', true)
  const written = write(agent, 'a.txt', 'allowed')
  const call = await waitingIn(page)
  expect(call).toMatchObject({ tool: 'write_file', client: asking?.id })
  expect(textOf(await agent.callTool({ name: 'list_dir', arguments: { path: '.' } }))).not.toContain('a.txt')
  expect((await write(other, 'b.txt')).isError).not.toBe(true)
  await page.decide(call.id, { allow: true })
  expect((await written).isError).not.toBe(true)
  expect(await readFile(join(site.root, 'a.txt'), 'utf8')).toBe('allowed')
})

test('a refused call changes nothing, and the agent reads why', async () => {
  const site = await uiSite({ ask: true })
  const page = await openPage(site)
  const agent = await client(site)
  const ran = agent.callTool({ name: 'bash', arguments: { command: 'touch made' } })
  await page.decide((await waitingIn(page)).id, { allow: false, word: 'use make_dir instead' })
  const result = await ran
  expect(result.isError).toBe(true)
  expect(textOf(result)).toBe(
    'The user did not allow this call of bash. Nothing was done. The user says: use make_dir instead',
  )
  await expect(readFile(join(site.root, 'made'))).rejects.toThrow('ENOENT')
  await expect.poll(() => callsIn(page)).toEqual([{ tool: 'bash', state: 'refused' }])
})

test('a call that nobody answers is refused, with what the agent can do', async () => {
  const site = await uiSite({ ask: true, askMs: 1000 })
  const agent = await client(site)
  const result = await write(agent, 'a.txt')
  expect(result.isError).toBe(true)
  expect(textOf(result)).toBe(
    "This call of write_file needs the user's approval, and nobody answered within 1 second, so it was refused. Nothing was done. Ask the user to allow it on the page that polyfs has open, then call again.",
  )
  await expect(readFile(join(site.root, 'a.txt'))).rejects.toThrow('ENOENT')
})

test('a call that is cancelled while it waits is never made', async () => {
  const site = await uiSite({ ask: true })
  const page = await openPage(site)
  const agent = await client(site)
  const controller = new AbortController()
  const call = agent.callTool(
    { name: 'write_file', arguments: { path: 'a.txt', content: 'x' } },
    { signal: controller.signal },
  )
  call.catch(() => {})
  const { id } = await waitingIn(page)
  controller.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(() => page.calls.get(id)?.state).toBe('cancelled')
  await page.decide(id, { allow: true })
  expect(await page.run('listChanges', {})).toEqual([])
})

test('who has to ask still has to when the page is gone, and one that comes later decides', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  const agent = await client(site)
  await page.setAsks(undefined, true)
  await page.close()
  const written = write(agent, 'a.txt')
  const later = await openPage(site)
  let waiting: CallSeen | undefined
  await expect
    .poll(async () => {
      waiting = (await later.activity()).calls.find(({ state }) => state === 'waiting')
      return waiting?.tool
    })
    .toBe('write_file')
  await later.decide(waiting?.id ?? '', { allow: true })
  expect((await written).isError).not.toBe(true)
})

test('a name that a client gives itself is one short line', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  await client(site, `evil\n\u001b[2J${'x'.repeat(500)}`, '1\u202e2')
  await expect.poll(() => page.people.at(-1)?.clients.length).toBe(1)
  const [seen] = page.people.at(-1)?.clients ?? []
  expect(seen?.name).toMatch(/^evil \[2Jx{80,100}$/)
  expect(seen?.name.length).toBeLessThanOrEqual(100)
  expect(seen?.version).toBe('1 2')
})

/** A call of the newest revision, which says in every request who calls. */
async function statelessCall({ url }: UiSite, name: string): Promise<void> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'list_dir',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_dir', arguments: { path: '.' }, _meta },
    }),
  })
  expect(await answer.text()).not.toContain('"error"')
}

test('of clients that take many names only so many are kept: the oldest that is gone falls out', async () => {
  const site = await uiSite()
  const page = await openPage(site)
  const connected = await client(site, 'connected')
  const asking = await client(site, 'asking')
  const idOf = (name: string) => page.people.at(-1)?.clients.find((each) => each.name === name)?.id ?? ''
  await expect.poll(() => idOf('asking')).not.toBe('')
  await page.setAsks(idOf('asking'), true)
  await expect.poll(() => page.people.at(-1)?.clients.filter(({ asks }) => asks).length).toBe(1)
  await asking.close()
  for (let i = 0; i < 3 * maxClients; i += 1) await statelessCall(site, `name ${i}`)
  await expect.poll(() => idOf(`name ${3 * maxClients - 1}`)).not.toBe('')
  const { clients } = await page.activity()
  const names = clients.map(({ name }) => name)
  expect(names.length).toBe(maxClients)
  expect(names).toEqual(expect.arrayContaining(['connected', 'asking', `name ${3 * maxClients - 1}`]))
  expect(names).not.toContain('name 0')
  expect(page.people.at(-1)?.clients).toEqual(clients)
  await connected.close()
})
