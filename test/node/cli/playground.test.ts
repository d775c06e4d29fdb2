/** What `npm start` runs after the build: prints the playground's address, and serves it there. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { cliCommand } from './run-cli.js'

const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

test('npm start prints the address of the playground, and serves it beside the MCP endpoint', async () => {
  const [built, started] = scripts.start.split(' && ')
  expect(built).toBe('node build/build.mjs --quiet cli playground')
  const [node, file, ...args] = started.split(' ')
  expect([node, file]).toEqual(['node', 'dist/node/cli.js'])
  const { stdout, address } = await start(args)

  const page = await fetch(address)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin')
  expect(page.headers.get('cross-origin-embedder-policy')).toBe('require-corp')
  const html = await page.text()
  expect(html).toContain('<title>polyfs playground</title>')
  const files = [...html.matchAll(/(?:src|href)="(.+?)"/g)].map(([, name]) => name ?? '')
  expect(files.length).toBeGreaterThan(2)
  for (const name of [...files, 'offline-worker.js']) {
    expect([name, (await fetch(new URL(name, address))).status]).toEqual([name, 200])
  }

  const [, endpoint = ''] = /serves a tree in memory at (\S+) /.exec(stdout()) ?? []
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('"serverInfo":{"name":"polyfs"')
})

test('npm start uses the same port each time, and says so when it is taken', async () => {
  const [, ...args] = scripts.start.split(' && ')[1].split(' ').slice(1)
  const [port] = scripts.start.match(/(?<=--http )\d+/)
  const first = await start(args)
  const second = await start(args)
  const addresses = [first.address, second.address]
  // Another program of this machine may have the port already.
  const hasFirst = first.address === `http://127.0.0.1:${port}/`
  expect(new Set(addresses).size).toBe(2)
  expect(second.stdout()).toContain(`Port ${port} is taken, so another one is used.`)
  expect(first.stdout().includes('is taken')).toBe(!hasFirst)
})

async function start(given: readonly string[]): Promise<{ stdout(): string; address: string }> {
  const { command, args, env } = await cliCommand(given)
  const server = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  onTestFinished(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill()
    expect(await ended).toBe(0)
  })
  let said = ''
  for await (const line of createInterface({ input: server.stdout })) {
    said += `${line}\n`
    const [, address] = /^Open (http:\S+) for the playground: /.exec(line) ?? []
    if (address !== undefined) return { stdout: () => said, address }
    if (line.startsWith('Stop with')) break
  }
  throw new Error(`No playground is served; has it been built?\n${said}`)
}
