/** `@ai-sdk/mcp`: each tool is one of the AI SDK, with `execute`. */
import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio'

export async function connect({ command, args, url }) {
  const transport = url === undefined ? new StdioTransport({ command, args }) : { type: 'http', url }
  const client = await createMCPClient({ transport })
  const tools = await client.tools()
  return {
    names: () => Object.keys(tools),
    call: (name, input, { signal } = {}) =>
      tools[name].execute(input, { toolCallId: '1', messages: [], abortSignal: signal }),
    close: () => client.close(),
  }
}
