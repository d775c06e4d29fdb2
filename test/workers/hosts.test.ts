/** The same endpoint in Node, Bun and Deno, as examples/servers has it. Hosts that are not installed are skipped. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { transformWithOxc } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { headers, messageIn, newestRequest, token } from './running-worker.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const hosts: Record<string, { command: string; args: string[] }> = {
  Node: { command: process.execPath, args: ['node.js'] },
  Bun: { command: 'bun', args: ['bun.js'] },
  Deno: { command: 'deno', args: ['run', '--allow-env', '--allow-net', '--allow-read', 'deno.js'] },
}

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'polyfs-hosts-'))
  await mkdir(join(directory, 'node_modules'))
  await symlink(root, join(directory, 'node_modules/polyfs'), 'junction')
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
  const examples = join(root, 'examples/servers')
  for (const file of (await readdir(examples)).filter((name) => name.endsWith('.ts'))) {
    const { code } = await transformWithOxc(await readFile(join(examples, file), 'utf8'), file)
    await writeFile(join(directory, file.replace('.ts', '.js')), code.replaceAll('./endpoint.ts', './endpoint.js'))
  }
})

afterAll(() => rm(directory, { recursive: true, force: true }))

describe.each(Object.entries(hosts))('%s', (_, { command, args }) => {
  test('serves workspaces by name, in a session and without one', async (context) => {
    if (!isInstalled(command)) context.skip(`${command} is not installed`)
    const child = spawn(command, args, {
      cwd: directory,
      env: { ...process.env, TOKEN: token, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const address = await firstLine(child)
      const at = (path: string) => address.replace('/mcp/NAME', path)
      expect((await fetch(at('/healthz'))).status).toBe(200)
      expect((await fetch(at('/mcp/a'), { method: 'POST', body: '{}' })).status).toBe(401)

      const write = { name: 'write_file', arguments: { path: 'f', content: 'one\n' } }
      const written = await messageIn(await fetch(at('/mcp/a'), newestRequest('tools/call', write)))
      expect(written.error).toBeUndefined()

      const post = (body: object, more = {}) =>
        fetch(at('/mcp/a'), { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) })
      const clientInfo = { name: 'test', version: '1' }
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
      const begun = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
      await begun.text()
      const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
      const read = { name: 'read_file', arguments: { path: 'f' } }
      const answer = await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: read }, session)
      expect(JSON.stringify(await messageIn(answer))).toContain('one')
      expect((await fetch(at('/mcp/a'), { method: 'DELETE', headers: { ...headers, ...session } })).status).toBe(200)
      const late = await post({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: read }, session)
      expect(late.status).toBe(404)
    } finally {
      child.kill()
    }
  })
})

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', resolve)
  })
}
