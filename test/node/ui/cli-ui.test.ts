/** `polyfs ui` and `--ui` as they are installed, with servers that clients have started. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { parseArguments } from '../../../node/cli/arguments.js'
import { cliCommand, runCli, temporaryDirectory } from '../cli/run-cli.js'
import { address, pageAt, places, start } from './started-ui.js'

/** A client that starts a server of its own. */
async function stdioClient(root: string, state: string, name: string, flags: readonly string[] = []): Promise<Client> {
  const { command, args, env } = await cliCommand([...flags, root], state)
  const client = new Client({ name, version: '1.2' })
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...env, PATH: process.env.PATH ?? '' },
    stderr: 'ignore',
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

test('one page shows all servers on its directory, those from before and those from after it', async () => {
  const { root, state } = await places()
  const before = await stdioClient(root, state, 'before')
  const ui = await start(['ui', root], state)
  const page = await pageAt(await ui.printed(address))
  const after = await stdioClient(root, state, 'after')
  const names = () =>
    page.people
      .at(-1)
      ?.clients.map(({ name, version }) => `${name} ${version}`)
      .sort()
  await expect.poll(names).toEqual(['after 1.2', 'before 1.2'])
  await before.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })
  await after.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: 'b' } })
  await expect
    .poll(() => [...page.calls.values()].map(({ tool, state: at }) => `${tool} ${at}`).sort())
    .toEqual(['read_file done', 'write_file done'])
  await expect.poll(() => page.changed).toEqual([[`${root}/b.txt`]])
  expect(await page.run('listChanges', {})).toMatchObject([{ by: { name: 'after', version: '1.2' } }])
  await page.run('undoChange', {})
  expect(existsSync(join(root, 'b.txt'))).toBe(false)
  // What the page asks for applies to servers that others have started.
  await page.setAsks(undefined, true)
  await expect.poll(() => page.people.at(-1)?.clients.every(({ asks }) => asks)).toBe(true)
  const written = after.callTool({ name: 'write_file', arguments: { path: 'c.txt', content: 'c' } })
  await expect.poll(() => [...page.calls.values()].some(({ state: at }) => at === 'waiting')).toBe(true)
  expect(existsSync(join(root, 'c.txt'))).toBe(false)
  const waiting = [...page.calls.values()].find(({ state: at }) => at === 'waiting')
  await page.decide(waiting?.id ?? '', { allow: true })
  expect((await written).isError).not.toBe(true)
  expect(await readFile(join(root, 'c.txt'), 'utf8')).toBe('c')
  await after.close()
  await expect.poll(names).toEqual(['before 1.2'])
})

test('a server that a client has started shows its page with --ui', async () => {
  const { root, state } = await places()
  const server = await start(['--ui', root], state)
  const page = await pageAt(await server.printed(address))
  expect((await page.about()).root).toBe(root)
  // Standard output is the client's alone.
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'claude', version: '3' } }
  server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize })}\n`)
  await expect.poll(() => page.people.at(-1)?.clients.map(({ name }) => name)).toEqual(['claude'])
  const { origin } = new URL(await server.printed(address))
  expect((await fetch(`${origin}/mcp`, { method: 'POST', body: '{}' })).status).toBe(404)
  const ended = new Promise((resolve) => server.child.once('exit', resolve))
  server.child.stdin?.end()
  expect(await ended).toBe(0)
})

test('what leads to the page is private, gone with it, and holds no token of an address', async () => {
  const { root, state } = await places()
  const ui = await start(['ui', root], state)
  const token = /token=(.*)/.exec(await ui.printed(address))?.[1] ?? ''
  const [directory = ''] = readdirSync(state)
  const folder = join(state, directory, 'ui')
  const [name = ''] = readdirSync(folder)
  expect(statSync(folder).mode & 0o077).toBe(0)
  expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
  expect(readFileSync(join(folder, name), 'utf8')).not.toContain(token)
  const ended = new Promise((resolve) => ui.child.once('exit', resolve))
  ui.child.kill()
  await ended
  expect(readdirSync(folder)).toEqual([])
})

test('the browser gets a file that leads to the page, not the address on its command line', async () => {
  const { root, state } = await places()
  const base = await temporaryDirectory()
  const [program, seen] = [join(base, 'browser'), join(base, 'seen')]
  const script = `#!/bin/sh\nprintf '%s\\n' "$1" > ${seen}.new\nmv ${seen}.new ${seen}\n`
  await writeFile(program, script, { mode: 0o755 })
  const server = await start(['--ui', root], state, { BROWSER: program })
  await expect.poll(() => existsSync(seen)).toBe(true)
  const opened = readFileSync(seen, 'utf8').trim()
  expect(opened).toMatch(/^file:\/\/.*\.html$/)
  const file = new URL(opened)
  expect(statSync(file).mode & 0o077).toBe(0)
  const leads = address.exec(readFileSync(file, 'utf8'))?.[0].replace(/">?$/, '') ?? ''
  expect((await (await pageAt(leads)).about()).root).toBe(root)
  const ended = new Promise((resolve) => server.child.once('exit', resolve))
  server.child.stdin?.end()
  await ended
  expect(existsSync(file)).toBe(false)
})

test.each([
  [['--shell', '.'], "--shell requires --ui, or 'polyfs ui'"],
  [['--ask', '.'], "--ask requires --ui, or 'polyfs ui'"],
  [['--ui', '--memory'], 'the page shows directories; leave out --memory'],
  [['ui', '--memory'], 'the page shows directories; leave out --memory'],
  [['ui', '--store', 'stored'], 'the page shows directories; leave out --store'],
  [['ui', '--ask-timeout', 'x', '.'], "--ask-timeout takes seconds, not 'x'"],
])('%j says what is wrong', async (given, message) => {
  const { code, stderr } = await runCli(given)
  expect({ code, stderr }).toEqual({ code: 2, stderr: `polyfs: ${message} (polyfs --help shows the options)\n` })
})

test("'polyfs ui' serves a database without the current directory, and that directory without anything else", async () => {
  const served = async (...given: string[]) => {
    const parsed = await parseArguments(['ui', ...given])
    return parsed.command === 'serve' && { directories: parsed.directories, sqlite: parsed.sqlite }
  }
  expect(await served('--sqlite', 'work.db')).toEqual({ directories: [], sqlite: { file: 'work.db' } })
  expect(await served()).toEqual({ directories: [{ directory: '.', access: 'read-write' }], sqlite: undefined })
})
