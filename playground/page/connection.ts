import type { MessagePortTransport } from '../../web/endpoint/message-port.js'
import { ownClientName } from './authors.js'

/** One MCP message, as the traffic log shows it. */
export interface TrafficEntry {
  direction: 'sent' | 'received'
  atMs: number
  bytes: number
  message: object
  /** Time since the request that this message answers. */
  tookMs?: number
  /** The request that this message answers: its method, and the tool of a call. */
  answers?: string
}

/** A tool as `tools/list` describes it. */
export interface ListedTool {
  name: string
  title?: string
  description: string
  inputSchema: JsonSchema
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean }
}

export interface JsonSchema {
  type?: string
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  enum?: unknown[]
  default?: unknown
  items?: JsonSchema
}

export interface CallResult {
  content: Array<{ type: string; text?: string; data?: string; mimeType?: string }>
  structuredContent?: object
  isError?: boolean
}

export interface Connection {
  listTools(): Promise<ListedTool[]>
  /** An aborted call fails at once, and the server gets a cancellation. */
  callTool(name: string, args: unknown, options?: { signal?: AbortSignal }): Promise<CallResult>
  /** Any other request of the protocol. */
  request<Result>(method: string, params: object): Promise<Result>
  close(): Promise<void>
}

type Answer = { id?: number; result?: unknown; error?: { code: number; message: string } }

/** An MCP client with the few requests this page needs. Every message is reported to `onMessage`. */
export async function connect(
  transport: MessagePortTransport,
  onMessage: (entry: TrafficEntry) => void,
): Promise<Connection> {
  const pending = new Map<
    unknown,
    { sentMs: number; what: string; resolve(result: unknown): void; reject(error: Error): void }
  >()
  let lastId = 0

  function report(
    direction: TrafficEntry['direction'],
    message: object,
    request?: { sentMs: number; what: string },
  ): void {
    const bytes = new TextEncoder().encode(JSON.stringify(message)).length
    const answered = request && { tookMs: performance.now() - request.sentMs, answers: request.what }
    onMessage({ direction, atMs: Date.now(), bytes, message, ...answered })
  }

  transport.onmessage = (message) => {
    const { id, result, error } = message as Answer
    const request = pending.get(id)
    pending.delete(id)
    report('received', message, request)
    if (error !== undefined) request?.reject(new Error(`${error.message} (${error.code})`))
    else request?.resolve(result)
  }
  transport.onclose = () => {
    for (const { reject } of pending.values()) reject(new Error('The connection was closed'))
    pending.clear()
  }

  async function send(message: object): Promise<void> {
    report('sent', message)
    await transport.send(message as { jsonrpc: '2.0' })
  }

  function request<Result>(method: string, params: object, signal?: AbortSignal): Promise<Result> {
    lastId += 1
    const id = lastId
    const cancel = () => {
      pending.get(id)?.reject(new Error('Cancelled'))
      pending.delete(id)
      void send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
    }
    signal?.addEventListener('abort', cancel, { once: true })
    const answer = new Promise<unknown>((resolve, reject) => {
      pending.set(id, { sentMs: performance.now(), what: summaryOf({ method, params }) ?? method, resolve, reject })
    })
    void send({ jsonrpc: '2.0', id, method, params })
    return answer.finally(() => signal?.removeEventListener('abort', cancel)) as Promise<Result>
  }

  await transport.start()
  const clientInfo = { name: ownClientName, version: '1' }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' })

  return {
    listTools: async () => (await request<{ tools: ListedTool[] }>('tools/list', {})).tools,
    callTool: (name, args, { signal } = {}) => request('tools/call', { name, arguments: args }, signal),
    request: (method, params) => request(method, params),
    close: () => transport.close(),
  }
}

/** A request or notification in a few words. */
export function summaryOf(message: object): string | undefined {
  const { method, params } = message as { method?: string; params?: { name?: string } }
  if (method === undefined) return undefined
  return `${method}${params?.name === undefined ? '' : ` ${params.name}`}`
}
