/** `@openai/agents`: servers that an `Agent` is given in `mcpServers`. */
import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents'

export async function connect({ command, args, url }) {
  const server =
    url === undefined
      ? new MCPServerStdio({ name: 'files', command, args, clientSessionTimeoutSeconds: 300, timeout: 300_000 })
      : new MCPServerStreamableHttp({ name: 'files', url, timeout: 300_000 })
  await server.connect()
  return {
    names: async () => (await server.listTools()).map(({ name }) => name),
    call: (name, input, { signal } = {}) => server.callToolResult(name, input, null, { signal }),
    close: () => server.close(),
  }
}
