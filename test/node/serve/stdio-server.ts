/** The built command as a process that can be ended at any moment. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { cliCommand } from '../cli/run-cli.js'

export interface StdioServer {
  /** Calls a tool; undefined when the server ended without a response. */
  call(tool: string, args: object): Promise<{ text: string; isError: boolean } | undefined>
  /** Ends the process, and returns how it ended. */
  end(how: 'SIGKILL' | 'SIGTERM' | 'end of input'): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  stderr(): string
}

export async function startServer(
  root: string,
  state: string,
  variables: Record<string, string> = {},
): Promise<StdioServer> {
  const { command, args, env } = await cliCommand(['--dialect', 'clarvis', root], state)
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(command, args, {
    stdio: 'pipe',
    env: { ...process.env, ...env, ...variables },
  })
  const closed = once(child, 'close') as Promise<[code: number | null, signal: NodeJS.Signals | null]>
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  // The process has ended; the missing response shows it.
  child.stdin.on('error', () => {})
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })

  const waiting = new Map<number, (message: Answer | undefined) => void>()
  createInterface(child.stdout).on('line', (line) => {
    const message: Answer = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  void closed.then(() => {
    for (const settle of waiting.values()) settle(undefined)
    waiting.clear()
  })

  let lastId = 0
  function request(method: string, params: object): Promise<Answer | undefined> {
    const id = ++lastId
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(undefined)
    return new Promise((settle) => {
      waiting.set(id, settle)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  }

  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)

  return {
    async call(tool, given) {
      const answer = await request('tools/call', { name: tool, arguments: given })
      if (answer === undefined) return undefined
      const { content, isError = false } = answer.result
      return { text: content[0].text, isError }
    },
    async end(how) {
      if (how === 'end of input') child.stdin.end()
      else child.kill(how)
      const [code, signal] = await closed
      return { code, signal }
    },
    stderr: () => stderr,
  }
}

interface Answer {
  id: number
  result: { content: [{ text: string }]; isError?: boolean }
}
