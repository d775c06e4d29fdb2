/** Binds a dialect to the MCP SDK, with its low-level handlers, because a dialect owns every byte of its errors. */
import { Server, type ServerContext } from '@modelcontextprotocol/server'
import { describeTool, offeredTools, ToolProtocolError } from '../../tools/call-tool.js'
import { Questions } from '../../tools/questions.js'
import type { CallContext } from '../../workspace/workspace.js'
import { type Calls, callsOf } from './calls.js'
import { callerOf } from './client-info.js'
import { asClientInfo } from './client-name.js'
import { clientRoots } from './client-roots.js'
import { serveCompletions } from './completions.js'
import { type ConnectionState, createElicitation } from './elicitation.js'
import { progressOf } from './progress.js'
import { servePrompts } from './prompts.js'
import { asProtocolError, rejectCursor } from './protocol-errors.js'
import { serveResources } from './resources.js'
import type { Served } from './served.js'
import { completes, describeServer } from './server-info.js'

/** One server for one connection, or for one stateless request. */
export function createServer(served: Served, session: ConnectionState): Server {
  return createConnection(served, session).server
}

/** The server, and the calls behind its `tools/call`. */
export function createConnection(served: Served, session: ConnectionState): { server: Server; calls: Calls } {
  const { workspace, dialect } = served
  const elicitation = dialect.asks ? createElicitation(session) : undefined
  const { serverInfo, ...introduction } = describeServer(dialect)
  const server = new Server(serverInfo, { ...introduction, ...elicitation?.options })
  const tools = offeredTools(dialect, workspace)
  const narrowed = dialect.followsClientRoots ? clientRoots(server, workspace) : undefined

  const notifyChanges = dialect.resources && serveResources(server, dialect.resources, workspace, dialect)

  server.setRequestHandler('tools/list', ({ params }) => {
    rejectCursor(params?.cursor)
    notifyChanges?.()
    return { tools: tools.map(describeTool) }
  })

  const client = () => asClientInfo(server.getClientVersion())
  const calls = callsOf(served, session, { narrowed, client, onCall: notifyChanges })
  introduce(server, () => served.onClient?.(client() ?? unnamed, session))
  part(server, () => served.onClientGone?.(session))

  server.setRequestHandler('tools/call', async ({ params }, context) => {
    try {
      const logs = dialect.logs && { onLog: logOf(context) }
      const asked = elicitation?.contextOf(params.name, server, context)
      const detach = context.http?.closeSSE
      const { signal } = context.mcpReq
      return {
        ...(await calls.call(params, {
          signal,
          ...callerOf(context),
          ...progressOf(context),
          ...logs,
          ...asked,
          ...(detach && { detach }),
        })),
      }
    } catch (error) {
      if (error instanceof Questions && elicitation) return elicitation.ask(params.name, error)
      if (error instanceof ToolProtocolError) throw asProtocolError(error)
      throw error
    }
  })

  if (dialect.prompts) servePrompts(server, dialect.prompts, elicitation)
  if (completes(dialect)) serveCompletions(server, dialect, workspace)
  return { server, calls }
}

const unnamed = { name: 'unnamed' }

/** Calls `run` when the client has introduced itself. */
function introduce(server: Server, run: () => void): void {
  const before = server.oninitialized
  server.oninitialized = () => {
    before?.()
    run()
  }
}

/** Sends log messages; the SDK drops those below the level that the client asked for. */
function logOf({ mcpReq }: ServerContext): NonNullable<CallContext['onLog']> {
  // A client that disconnected gets none.
  return ({ level, message }) => void mcpReq.log(level, message).catch(() => {})
}

/** Calls `run` when the connection has ended. */
function part(server: Server, run: () => void): void {
  const before = server.onclose
  server.onclose = () => {
    before?.()
    run()
  }
}
