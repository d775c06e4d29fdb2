/** However a command ends, no process is left: a tree of processes that try to escape, ended in seven ways. */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeShell } from '../../../node/shell/node-shell.js'
import type { ExecRequest } from '../../../src/shell/types.js'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'

/** Each writes its pid to a file of its name. */
const shapes = {
  plain: `sh -c 'echo $$ > plain; exec sleep 600' &`,
  session: `setsid sh -c 'echo $$ > session; exec sleep 600' &`,
  daemon: `(setsid sh -c 'sh -c "echo \\$\\$ > daemon; exec sleep 600" &' >/dev/null 2>&1 &)`,
  nohup: `nohup sh -c 'echo $$ > nohup; exec sleep 600' >/dev/null 2>&1 &`,
  deaf: `sh -c 'trap "" TERM HUP INT; echo $$ > deaf; while :; do sleep 1; done' &`,
  piped: `sh -c 'echo $$ > piped; exec sleep 600' | cat &`,
}
const tree = `${Object.values(shapes).join('\n')}\n`

async function start(end: string, request: Partial<ExecRequest> = {}) {
  const cwd = await temporaryDirectory()
  const shell = nodeShell({ hostPath: (virtual) => virtual })
  onTestFinished(() => shell.close())
  const command = tree + end
  const running = shell.exec({ command, cwd, timeoutMs: 120_000, maxStreamBytes: 10_000, ...request })
  return { cwd, running }
}

async function pidsIn(directory: string, names = Object.keys(shapes)): Promise<number[]> {
  const read = (name: string) => Number(fs.readFileSync(join(directory, name), 'utf8'))
  const written = () => names.every((name) => fs.existsSync(join(directory, name)) && read(name) > 0)
  await expect.poll(written, { timeout: 60_000 }).toBe(true)
  return names.map(read)
}

async function expectGone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isRunning), { timeout: 30_000 }).toEqual([])
}

/** A zombie counts as ended. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test.skipIf(process.platform !== 'linux')('a timeout leaves nothing running', async () => {
  const { cwd, running } = await start('while [ ! -e deaf ]; do sleep 0.05; done; sleep 600', {
    timeoutMs: 8000,
    graceMs: 200,
  })
  const pids = await pidsIn(cwd)
  expect((await running).ended).toBe('timeout')
  await expectGone(pids)
})

test.skipIf(process.platform !== 'linux')('a cancelled call leaves nothing running', async () => {
  const abort = new AbortController()
  const { cwd, running } = await start('sleep 600', { signal: abort.signal })
  const pids = await pidsIn(cwd)
  abort.abort()
  expect((await running).ended).toBe('aborted')
  await expectGone(pids)
})

test.skipIf(process.platform !== 'linux')('too much output leaves nothing running', async () => {
  const { cwd, running } = await start('while [ ! -e go ]; do sleep 0.05; done; yes', { onOutputLimit: 'end' })
  const pids = await pidsIn(cwd)
  fs.writeFileSync(join(cwd, 'go'), '')
  expect((await running).ended).toBe('output-limit')
  await expectGone(pids)
})

test.skipIf(process.platform !== 'linux').each<[string, (server: ChildProcess) => void]>([
  ['a client that hangs up', (server) => server.stdin?.end()],
  ['a server that is asked to end', (server) => server.kill('SIGTERM')],
  ['a server whose terminal is closed', (server) => server.kill('SIGHUP')],
  ['a server that is killed', (server) => server.kill('SIGKILL')],
])('%s leaves nothing running', async (_name, end) => {
  const root = await temporaryDirectory()
  const { command, args, env } = await cliCommand(['--dialect', 'clarvis', root])
  const server = spawn(command, args, { stdio: 'pipe', env: { ...process.env, ...env } })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  onTestFinished(() => void server.kill('SIGKILL'))
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  // A process without the mark that is in the group.
  const cleared = `env -i sh -c 'echo $$ > cleared; exec sleep 600' &\n`
  const call = { name: 'bash', arguments: { command: `${tree}${cleared}sleep 600` } }
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call })}\n`)
  const pids = await pidsIn(root, [...Object.keys(shapes), 'cleared'])
  end(server)
  await expectGone(pids)
  await ended
})
