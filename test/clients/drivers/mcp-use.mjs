/** `mcp-use`: sessions with the protocol's own methods. */
import { MCPClient } from 'mcp-use/client'

export async function connect({ command, args, url }) {
  const server = url === undefined ? { command, args } : { url }
  const client = MCPClient.fromDict({ mcpServers: { files: server } })
  const session = await client.createSession('files')
  return {
    names: async () => (await session.listTools()).map(({ name }) => name),
    call: (name, input, { signal, onProgress } = {}) =>
      session.callTool(name, input, { signal, onprogress: onProgress, timeout: 300_000 }),
    close: () => client.closeAllSessions(),
  }
}
