/** A model's API on this machine that streams what a test says, in the format of OpenAI or Anthropic, to pages of other origins too. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** `cut` ends the connection in the middle, `stall` sends nothing more. */
export type Piece = { text: string } | { tool: string; args: unknown } | 'cut' | 'stall'
export type Reply = readonly Piece[] | { status: number; body?: string; headers?: Record<string, string> }

export interface Received {
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown> & { messages: Record<string, unknown>[] }
}

export interface FakeEndpoint {
  url: string
  received: Received[]
  /** What requests get, one after another; may be added to. */
  replies: Reply[]
  close(): Promise<void>
}

/** Every answer counts 100 tokens in and 10 out. */
export async function fakeEndpoint(replies: Reply[] = []): Promise<FakeEndpoint> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    allowPages(response)
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    let sent = ''
    for await (const chunk of request) sent += chunk
    received.push({ path: String(request.url), headers: request.headers, body: JSON.parse(sent) })
    const reply = replies[received.length - 1] ?? [{ text: 'There is no more to say.' }]
    if ('status' in reply)
      return response
        .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
        .end(reply.body ?? '{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const format = String(request.url).includes('/messages') ? anthropic : openAi
    await format(reply, response, received.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    received,
    replies,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function allowPages(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-headers', '*')
  response.setHeader('access-control-allow-methods', '*')
}

type Format = (pieces: readonly Piece[], response: ServerResponse, turn: number) => Promise<void>

/** False ends the answer here. */
function goesOn(piece: Piece, response: ServerResponse): piece is Exclude<Piece, string> {
  if (piece === 'cut') response.destroy()
  return piece !== 'cut' && piece !== 'stall'
}

/** Arguments are sent in pieces, as models write them; text that is given as such need not be JSON. */
function inPieces(args: unknown): string[] {
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return [text.slice(0, 3), text.slice(3)]
}

const openAi: Format = async (pieces, response, turn) => {
  const send = (delta: object, rest: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: `chat-${turn}`, object: 'chat.completion.chunk', created: 0, model: 'fake', choices: [{ index: 0, delta, finish_reason: null, ...rest }] })}\n\n`,
    )
  send({ role: 'assistant' })
  let calls = 0
  for (const piece of pieces) {
    if (!goesOn(piece, response)) return
    if ('text' in piece) for (const word of piece.text.match(/\s*\S+/g) ?? []) send({ content: word })
    else {
      const [begin, ...rest] = inPieces(piece.args)
      send({
        tool_calls: [
          {
            index: calls,
            id: `call-${turn}-${calls}`,
            type: 'function',
            function: { name: piece.tool, arguments: begin },
          },
        ],
      })
      for (const more of rest) send({ tool_calls: [{ index: calls, function: { arguments: more } }] })
      calls += 1
    }
  }
  send({}, { finish_reason: calls > 0 ? 'tool_calls' : 'stop' })
  response.write(
    `data: ${JSON.stringify({ id: `chat-${turn}`, object: 'chat.completion.chunk', created: 0, model: 'fake', choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } })}\n\n`,
  )
  response.end('data: [DONE]\n\n')
}

const anthropic: Format = async (pieces, response, turn) => {
  const send = (event: { type: string } & Record<string, unknown>) =>
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  send({
    type: 'message_start',
    message: {
      id: `m${turn}`,
      type: 'message',
      role: 'assistant',
      model: 'fake',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 100, output_tokens: 1 },
    },
  })
  let index = 0
  for (const piece of pieces) {
    if (!goesOn(piece, response)) return
    if ('text' in piece) {
      send({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } })
      for (const word of piece.text.match(/\s*\S+/g) ?? [])
        send({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: word } })
    } else {
      send({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `toolu_${turn}_${index}`, name: piece.tool, input: {} },
      })
      for (const part of inPieces(piece.args))
        send({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: part } })
    }
    send({ type: 'content_block_stop', index })
    index += 1
  }
  const stop = pieces.some((piece) => typeof piece === 'object' && 'tool' in piece) ? 'tool_use' : 'end_turn'
  send({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 10 } })
  send({ type: 'message_stop' })
  response.end()
}
