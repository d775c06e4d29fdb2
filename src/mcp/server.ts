/** Binds a dialect to the MCP SDK. The low-level handlers are used because a dialect owns every byte of its errors. */
import { Server, type ServerContext } from '@modelcontextprotocol/server'
import {
  type CallContext,
  callTool,
  callToolNow,
  type Dialect,
  describeTool,
  offeredTools,
  Questions,
  ToolProtocolError,
  type ToolResult,
} from '../dialects/dialect.js'
import { version } from '../version.js'
import type { Workspace } from '../workspace.js'
import { createAsking, type Remembered } from './asking.js'
import { clientRoots } from './client-roots.js'
import { completes, serveCompletions } from './completions.js'
import { asProtocolError } from './exact-codes.js'
import { refuseCursor } from './malformed-calls.js'
import { progressOf } from './progress.js'
import { servePrompts } from './prompts.js'
import { serveResources } from './resources.js'

/** What a connection serves. Workspaces are shared between connections; the rest is made anew for each. */
export interface Served {
  workspace: Workspace
  dialect: Dialect
  /** Told of faults that are ours; the client only learns that there was one. */
  onFault?: (fault: unknown) => void
}

/** One server for one connection, or for one stateless request. */
export function createServer(served: Served, session: Remembered): Server {
  return createConnection(served, session).server
}

/** A call as the client sent it. Throws a `ToolProtocolError` where the dialect answers with one. */
export type CallFromClient = (
  params: { name: string; arguments?: Record<string, unknown> | undefined },
  context: CallContext,
) => Promise<ToolResult>

/** The same for calls that can be answered without waiting; undefined for all others, of which nothing has been done. */
export type CallNow = (params: Parameters<CallFromClient>[0]) => ToolResult | undefined

/** The server, and what it does to call a tool. */
export function createConnection(
  { workspace, dialect, onFault }: Served,
  session: Remembered,
): { server: Server; call: CallFromClient; callNow: CallNow } {
  const asking = dialect.asks ? createAsking(session) : undefined
  const server = new Server(dialect.serverInfo ?? { name: 'polyfs', version }, {
    capabilities: {
      tools: {},
      ...(dialect.resources && { resources: { subscribe: true } }),
      ...(dialect.prompts && { prompts: {} }),
      ...(dialect.logs && { logging: {} }),
      ...(completes(dialect) && { completions: {} }),
    },
    ...asking?.options,
    ...(dialect.instructions !== undefined && { instructions: dialect.instructions }),
  })
  const tools = offeredTools(dialect, workspace)
  const narrowed = dialect.heedsRoots ? clientRoots(server, workspace) : async () => workspace

  const tellOfChanges = dialect.resources && serveResources(server, dialect.resources, workspace, dialect)

  server.setRequestHandler('tools/list', ({ params }) => {
    refuseCursor(params?.cursor)
    tellOfChanges?.()
    return { tools: tools.map(describeTool) }
  })

  const call: CallFromClient = async ({ name, arguments: args }, context) => {
    tellOfChanges?.()
    const options = { ...context, session, ...(onFault && { onFault }) }
    const { facts: _, ...result } = await callTool(await narrowed(), dialect, name, args, options)
    return result
  }

  let isReady = false
  void workspace.ready
    .catch(() => {})
    .then(() => {
      isReady = true
    })

  const callNow: CallNow = ({ name, arguments: args }) => {
    if (!isReady || dialect.heedsRoots) return undefined
    tellOfChanges?.()
    return callToolNow(workspace, dialect, name, args)
  }

  server.setRequestHandler('tools/call', async ({ params }, context) => {
    try {
      const logs = dialect.logs && { onLog: logOf(context) }
      const asked = asking?.contextOf(params.name, server, context)
      const detach = context.http?.closeSSE
      const { signal } = context.mcpReq
      return {
        ...(await call(params, { signal, ...progressOf(context), ...logs, ...asked, ...(detach && { detach }) })),
      }
    } catch (error) {
      if (error instanceof Questions && asking) return asking.ask(params.name, error)
      if (error instanceof ToolProtocolError) throw asProtocolError(error)
      throw error
    }
  })

  if (dialect.prompts) servePrompts(server, dialect.prompts, asking)
  if (completes(dialect)) serveCompletions(server, dialect, workspace)
  return { server, call, callNow }
}

/** Heard by clients that asked for as much; the SDK knows which. */
function logOf({ mcpReq }: ServerContext): NonNullable<CallContext['onLog']> {
  // Whoever hung up is not told.
  return ({ level, message }) => void mcpReq.log(level, message).catch(() => {})
}
