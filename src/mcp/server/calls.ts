import { callTool, callToolSync } from '../../tools/call-tool.js'
import type { ToolResult } from '../../tools/dialect.js'
import { onBehalfOf } from '../../workspace/on-behalf-of.js'
import type { CallContext, ClientInfo, Workspace } from '../../workspace/workspace.js'
import type { ConnectionState } from './elicitation.js'
import type { Served } from './served.js'

/** Runs a call as the client sent it. Throws a `ToolProtocolError` where the dialect answers with one. */
export type CallFromClient = (
  params: { name: string; arguments?: Record<string, unknown> | undefined },
  context: CallContext,
) => Promise<ToolResult>

/** Runs a call that can be answered synchronously; undefined for all others, of which nothing has been done. */
export type CallSync = (params: Parameters<CallFromClient>[0]) => ToolResult | undefined

export interface Calls {
  call: CallFromClient
  callSync: CallSync
}

export interface CallsOptions {
  /** The part of the workspace that the calls may reach; all of it unless given. */
  narrowed?: (() => Promise<Workspace>) | undefined
  /** Who calls, unless the call itself says it. */
  client?: (() => ClientInfo | undefined) | undefined
  /** Called before every call. */
  onCall?: (() => void) | undefined
}

/** Calls of one connection. */
export function callsOf(
  { workspace, dialect, onFault }: Served,
  session: ConnectionState,
  { narrowed, client: clientOf, onCall }: CallsOptions = {},
): Calls {
  const asCaller = callers()
  let isReady = false
  void workspace.ready
    .catch(() => {})
    .then(() => {
      isReady = true
    })

  return {
    async call({ name, arguments: args }, context) {
      onCall?.()
      const client = context.client ?? clientOf?.()
      const options = { ...context, session, ...(client && { client }), ...(onFault && { onFault }) }
      const within = asCaller(narrowed === undefined ? workspace : await narrowed(), client)
      const { facts: _, ...result } = await callTool(within, dialect, name, args, options)
      return result
    },
    callSync({ name, arguments: args }) {
      if (!isReady || narrowed !== undefined) return undefined
      onCall?.()
      return callToolSync(workspace, dialect, name, args)
    },
  }
}

/** The workspace on which a client's changes are recorded as its own. Most connections have one client, so the last one is held. */
function callers(): (workspace: Workspace, client: ClientInfo | undefined) => Workspace {
  let last: { of: Workspace; client: ClientInfo; workspace: Workspace } | undefined
  return (of, client) => {
    if (client === undefined) return of
    const isSame = last?.of === of && last.client.name === client.name && last.client.version === client.version
    if (last === undefined || !isSame) last = { of, client, workspace: onBehalfOf(of, client) }
    return last.workspace
  }
}
