/** Binds a dialect to the MCP SDK. The low-level handlers are used because a dialect owns every byte of its errors. */
import { Server, type ServerContext } from '@modelcontextprotocol/server'
import { type CallContext, describeTool, offeredTools, Questions, ToolProtocolError } from '../../tools/dialect.js'
import { type Calls, callsOf } from './calls.js'
import { clientRoots } from './client-roots.js'
import { serveCompletions } from './completions.js'
import { createAsking, type Remembered } from './elicitation.js'
import { progressOf } from './progress.js'
import { servePrompts } from './prompts.js'
import { asProtocolError, refuseCursor } from './protocol-errors.js'
import { serveResources } from './resources.js'
import type { Served } from './served.js'
import { completes, introductionOf } from './server-info.js'

/** One server for one connection, or for one stateless request. */
export function createServer(served: Served, session: Remembered): Server {
  return createConnection(served, session).server
}

/** The server, and what it does to call a tool. */
export function createConnection(served: Served, session: Remembered): { server: Server; calls: Calls } {
  const { workspace, dialect } = served
  const asking = dialect.asks ? createAsking(session) : undefined
  const { serverInfo, ...introduction } = introductionOf(dialect)
  const server = new Server(serverInfo, { ...introduction, ...asking?.options })
  const tools = offeredTools(dialect, workspace)
  const narrowed = dialect.heedsRoots ? clientRoots(server, workspace) : undefined

  const tellOfChanges = dialect.resources && serveResources(server, dialect.resources, workspace, dialect)

  server.setRequestHandler('tools/list', ({ params }) => {
    refuseCursor(params?.cursor)
    tellOfChanges?.()
    return { tools: tools.map(describeTool) }
  })

  const calls = callsOf(served, session, { narrowed, onCall: tellOfChanges })

  server.setRequestHandler('tools/call', async ({ params }, context) => {
    try {
      const logs = dialect.logs && { onLog: logOf(context) }
      const asked = asking?.contextOf(params.name, server, context)
      const detach = context.http?.closeSSE
      const { signal } = context.mcpReq
      return {
        ...(await calls.call(params, { signal, ...progressOf(context), ...logs, ...asked, ...(detach && { detach }) })),
      }
    } catch (error) {
      if (error instanceof Questions && asking) return asking.ask(params.name, error)
      if (error instanceof ToolProtocolError) throw asProtocolError(error)
      throw error
    }
  })

  if (dialect.prompts) servePrompts(server, dialect.prompts, asking)
  if (completes(dialect)) serveCompletions(server, dialect, workspace)
  return { server, calls }
}

/** Heard by clients that asked for as much; the SDK knows which. */
function logOf({ mcpReq }: ServerContext): NonNullable<CallContext['onLog']> {
  // Whoever hung up is not told.
  return ({ level, message }) => void mcpReq.log(level, message).catch(() => {})
}
