/** Binds a dialect to a server of version 1 of the MCP SDK, for hosts that are built on it. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import { callTool, describeTool, offeredTools, ToolProtocolError } from '../tools/call-tool.js'
import type { Session } from '../workspace/workspace.js'
import { progressOf } from './server/progress.js'
import type { Served } from './server/served.js'

/**
 * Gives `server` the tools of a dialect. It must declare the capability `tools` and have no tools of its own: its handlers for
 * `tools/list` and `tools/call` are replaced. Roots that a client announces are ignored.
 */
export function bindTools(server: Server, { workspace, dialect, onFault }: Served): void {
  const session: Session = {}
  const tools = offeredTools(dialect, workspace).map(describeTool)

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))

  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification, _meta }) => {
    const progress = progressOf({ mcpReq: { _meta, notify: sendNotification } })
    const options = { signal, session, ...progress, ...(onFault && { onFault }) }
    try {
      const { facts: _, ...result } = await callTool(workspace, dialect, params.name, params.arguments, options)
      return result
    } catch (error) {
      if (error instanceof ToolProtocolError) throw new ExactMcpError(error.code, error.message)
      throw error
    }
  })
}

/** Undoes the SDK's prefix: the dialect owns every byte of the message. */
class ExactMcpError extends McpError {
  constructor(code: number, message: string) {
    super(code, message)
    this.message = message
  }
}
