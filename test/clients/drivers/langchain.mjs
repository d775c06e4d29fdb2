/** `@langchain/mcp-adapters`: each tool is a `DynamicStructuredTool`; an error is thrown. */
import { MultiServerMCPClient } from '@langchain/mcp-adapters'

export async function connect({ command, args, url }) {
  let onProgress = () => {}
  const server = url === undefined ? { transport: 'stdio', command, args } : { transport: 'http', url }
  const client = new MultiServerMCPClient({
    mcpServers: { files: { ...server, outputHandling: 'content' } },
    useStandardContentBlocks: true,
    onProgress: (progress) => onProgress(progress),
  })
  const tools = await client.getTools()
  return {
    names: () => tools.map(({ name }) => name),
    async call(name, input, { signal, onProgress: listener = () => {} } = {}) {
      onProgress = listener
      const found = tools.find((tool) => tool.name === name)
      const content = await found.invoke(input, { signal, timeout: 300_000 })
      return { content: Array.isArray(content) ? content : [{ type: 'text', text: content }] }
    },
    close: () => client.close(),
  }
}
