import type { MessagePortTransport } from '../web/message-port.js'

/** A tool as `tools/list` tells of it. */
export interface ListedTool {
  name: string
  description: string
}

export interface Connection {
  listTools(): Promise<ListedTool[]>
  callTool(name: string, args: unknown): Promise<{ content: Array<{ text: string }>; isError?: boolean }>
}

/** The few requests this page needs, as plain JSON-RPC over the in-page endpoint. */
export async function connect(transport: MessagePortTransport): Promise<Connection> {
  const waiting = new Map<unknown, { resolve(result: unknown): void; reject(error: Error): void }>()
  let lastId = 0

  transport.onmessage = (message) => {
    const { id, result, error } = message as { id?: number; result?: unknown; error?: { message: string } }
    const request = waiting.get(id)
    waiting.delete(id)
    if (error !== undefined) request?.reject(new Error(error.message))
    else request?.resolve(result)
  }

  function request<Result>(method: string, params: object): Promise<Result> {
    lastId += 1
    const id = lastId
    const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }))
    void transport.send({ jsonrpc: '2.0', id, method, params } as { jsonrpc: '2.0' })
    return answer as Promise<Result>
  }

  await transport.start()
  const clientInfo = { name: 'polyfs playground', version: '1' }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' } as { jsonrpc: '2.0' })

  return {
    listTools: async () => (await request<{ tools: ListedTool[] }>('tools/list', {})).tools,
    callTool: (name, args) => request('tools/call', { name, arguments: args }),
  }
}
