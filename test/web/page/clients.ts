/** What each official client sees over one connection. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { MessagePortTransport } from '../../../web/index.js'

export type ClientName = 'v2 legacy' | 'v2 modern' | 'v1'

const identity = { name: 'test', version: '1' }

const makers = {
  'v2 legacy': () => new Client(identity),
  'v2 modern': () => new Client(identity, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  v1: () => new ClientV1(identity),
} satisfies Record<ClientName, () => Client | ClientV1>

/** Lists the tools, calls them and closes. */
export async function visit(name: ClientName, transport: MessagePortTransport) {
  const client = makers[name]()
  await client.connect(transport)
  const seen = await look(client)
  await transport.closed
  return seen
}

/** The same over HTTP. */
export async function visitAddress(name: ClientName, url: URL) {
  const client = makers[name]()
  const transport = client instanceof Client ? new StreamableHTTPClientTransport(url) : new HttpTransportV1(url)
  // Each client uses the transport of its own SDK version.
  await client.connect(transport as never)
  return look(client)
}

async function look(client: Client | ClientV1) {
  const { tools } = await client.listTools()
  const call = async (tool: string, args: Record<string, unknown>) => {
    const { content, isError = false } = await client.callTool({ name: tool, arguments: args })
    return { content, isError }
  }
  const seen = {
    version: client instanceof Client ? client.getNegotiatedProtocolVersion() : undefined,
    server: client.getServerVersion()?.name,
    tools: tools.map((tool) => tool.name),
    list: await call('list_dir', {}),
    read: await call('read_file', { path: 'notes/todo.txt' }),
    missing: await call('read_file', { path: 'missing.txt' }),
  }
  await client.close()
  return seen
}
