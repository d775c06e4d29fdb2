/** The built command, which takes raw bytes, and all lines it sends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { cliCommand } from '../cli/run-cli.js'

export interface Reply {
  id: string | number | null
  result?: { content?: Array<{ text: string }>; isError?: boolean; protocolVersion?: string }
  error?: { code: number; message: string }
}

export interface RawServer {
  readonly child: ChildProcess
  /** All responses, in order. */
  readonly replies: Reply[]
  write(bytes: string | Buffer): void
  /** The next response with this id. */
  reply(id: string | number | null): Promise<Reply>
  /** Sends a request and returns its response. */
  request(id: string | number, method: string, params?: object): Promise<Reply>
  call(id: string | number, name: string, args: object): Promise<Reply>
  /** How the process ends. */
  readonly closed: Promise<[code: number | null, signal: NodeJS.Signals | null]>
  stderr(): string
}

export async function startRaw(given: readonly string[], variables: Record<string, string> = {}): Promise<RawServer> {
  const { command, args, env } = await cliCommand(given)
  const child = spawn(command, args, { stdio: 'pipe', env: { ...process.env, ...env, ...variables } })
  const closed = once(child, 'close') as RawServer['closed']
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
  const replies: Reply[] = []
  const waiting = new Map<string | number | null, Array<(reply: Reply) => void>>()
  const unclaimed: Reply[] = []
  createInterface(child.stdout).on('line', (line) => {
    const reply: Reply = JSON.parse(line)
    replies.push(reply)
    const claim = waiting.get(reply.id)?.shift()
    if (claim) claim(reply)
    else unclaimed.push(reply)
  })

  function reply(id: string | number | null): Promise<Reply> {
    const at = unclaimed.findIndex((each) => each.id === id)
    if (at !== -1) return Promise.resolve(unclaimed.splice(at, 1)[0] as Reply)
    return new Promise((resolve) => waiting.set(id, [...(waiting.get(id) ?? []), resolve]))
  }
  const write = (bytes: string | Buffer) => void child.stdin.write(bytes)
  const request = (id: string | number, method: string, params: object = {}) => {
    write(`${rpc(id, method, params)}\n`)
    return reply(id)
  }
  const server = { child, replies, write, reply, request, closed, stderr: () => stderr }
  return { ...server, call: (id, name, args) => request(id, 'tools/call', { name, arguments: args }) }
}

export function rpc(id: string | number | undefined, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), method, params })
}

/** The handshake of the protocol revision that most clients speak. */
export async function initialized(server: RawServer): Promise<RawServer> {
  await server.request('hello', 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  server.write(`${rpc(undefined, 'notifications/initialized')}\n`)
  return server
}
