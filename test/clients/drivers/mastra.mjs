/** `@mastra/mcp`: each tool is one of Mastra, with `execute`; names begin with that of the server. */
import { MCPClient } from '@mastra/mcp'

export async function connect({ command, args, url }) {
  const server = { ...(url === undefined ? { command, args } : { url: new URL(url) }), enableProgressTracking: true }
  const client = new MCPClient({ servers: { files: server }, timeout: 300_000 })
  let onProgress = () => {}
  await client.progress.onUpdate('files', (progress) => onProgress(progress))
  const tools = await client.listTools()
  return {
    names: () => Object.keys(tools).map((name) => name.replace(/^files_/, '')),
    call(name, input, { signal, onProgress: listener = () => {} } = {}) {
      onProgress = listener
      return tools[`files_${name}`].execute(input, { abortSignal: signal })
    },
    close: () => client.disconnect(),
  }
}
