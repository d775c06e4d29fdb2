import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { cliCommand, temporaryDirectory } from './run-cli.js'

/** Stops a server a while after it was asked to run a command, and returns the patch that it writes. */
async function patchOfStopped(command: string, afterMs: number, stop: 'SIGTERM' | 'end of input'): Promise<string> {
  const [directory, out] = [await temporaryDirectory(), await temporaryDirectory()]
  const patch = join(out, 'changes.patch')
  const { command: node, args, env } = await cliCommand(['--overlay', directory, '--patch-out', patch])
  const server = spawn(node, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'test', version: '1' }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  await once(createInterface(server.stdout), 'line')
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/call', params: { name: 'bash', arguments: { command } } })
  setTimeout(() => (stop === 'SIGTERM' ? server.kill(stop) : server.stdin.end()), afterMs)
  await once(server, 'exit')
  return readFile(patch, 'utf8')
}

test.each(['SIGTERM', 'end of input'] as const)(
  'what a command had written when %s stops the server is kept',
  async (stop) => {
    let patch = ''
    // Nobody sees what the command has written until it ends, so it gets more time with each attempt.
    for (let afterMs = 500; !patch.includes('+written') && afterMs < 20_000; afterMs *= 2) {
      patch = await patchOfStopped('echo written > f; while :; do sleep 0.1; done', afterMs, stop)
    }
    expect(patch).toContain('+written')
  },
)
