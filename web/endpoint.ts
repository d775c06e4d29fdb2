import type { Dialect } from '../src/dialects/dialect.js'
import { serve } from '../src/mcp/serve.js'
import type { Workspace } from '../src/workspace.js'
import { MessagePortTransport } from './message-port.js'

export interface ServeFilesOptions {
  /** Shared by all connections. */
  workspace: Workspace
  dialect: Dialect
}

export interface FileEndpoint {
  /** A new connection, for a client in this page: `await client.connect(files.connect())`. */
  connect(): MessagePortTransport
  /** The same as a port, to be transferred to a worker, an iframe or another window. Whoever holds it may use the files. */
  port(): MessagePort
  /** Ends all connections; there can be no new ones. */
  close(): Promise<void>
}

/** An MCP server in the page. Every connection has a server and a port of its own. */
export function serveFiles(options: ServeFilesOptions): FileEndpoint {
  const servers = new Set<{ close(): Promise<void> }>()
  let closed = false

  function port(): MessagePort {
    if (closed) throw new Error('The endpoint is closed')
    const { port1, port2 } = new MessageChannel()
    const transport = new MessagePortTransport(port1)
    const server = serve(transport, options)
    servers.add(server)
    void transport.closed.then(() => servers.delete(server))
    return port2
  }

  return {
    port,
    connect: () => new MessagePortTransport(port()),
    async close() {
      closed = true
      await Promise.all([...servers].map((server) => server.close()))
    },
  }
}
