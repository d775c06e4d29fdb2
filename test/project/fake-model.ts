/** A model's API on this machine that answers as a test says, in either format. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type Provider = 'openai' | 'anthropic'

/** What the model says: text, and calls with their arguments as they are written. */
export interface Said {
  text?: string
  calls?: readonly (readonly [name: string, args: unknown])[]
}

export type Reply = Said | { status: number; body?: string; headers?: Record<string, string> } | 'stall'

export interface Received {
  path: string
  headers: IncomingMessage['headers']
  body: { model: string; messages: Record<string, unknown>[]; tools: unknown[] } & Record<string, unknown>
}

/** Each request gets the next reply, and the last one again after that. Every message counts 100 tokens in and 10 out. */
export async function fakeModel(provider: Provider, replies: readonly Reply[]) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    received.push({ path: String(request.url), headers: request.headers, body: JSON.parse(text) })
    const reply = replies[Math.min(received.length, replies.length) - 1] ?? 'stall'
    if (reply === 'stall') return
    if ('status' in reply) {
      response.writeHead(reply.status, reply.headers).end(reply.body ?? '')
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(formats[provider](reply, received.length)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, received }
}

const formats = {
  openai: ({ text, calls = [] }: Said, turn: number) => ({
    choices: [
      {
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          content: text ?? null,
          ...(calls.length > 0 && {
            tool_calls: calls.map(([name, args], i) => ({
              id: `call-${turn}-${i}`,
              type: 'function',
              function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
            })),
          }),
        },
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 10 },
  }),
  anthropic: ({ text, calls = [] }: Said, turn: number) => ({
    type: 'message',
    role: 'assistant',
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    content: [
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map(([name, input], i) => ({ type: 'tool_use', id: `call-${turn}-${i}`, name, input })),
    ],
    usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 10 },
  }),
}
