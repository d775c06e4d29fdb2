import { type CallContext, callTool, callToolNow, type ToolResult } from '../../tools/dialect.js'
import type { Workspace } from '../../workspace.js'
import type { Remembered } from './elicitation.js'
import type { Served } from './served.js'

/** A call as the client sent it. Throws a `ToolProtocolError` where the dialect answers with one. */
export type CallFromClient = (
  params: { name: string; arguments?: Record<string, unknown> | undefined },
  context: CallContext,
) => Promise<ToolResult>

/** The same for calls that can be answered without waiting; undefined for all others, of which nothing has been done. */
export type CallNow = (params: Parameters<CallFromClient>[0]) => ToolResult | undefined

export interface Calls {
  call: CallFromClient
  callNow: CallNow
}

export interface CallsOptions {
  /** What the calls may reach, where that is less than the whole workspace. */
  narrowed?: (() => Promise<Workspace>) | undefined
  /** Heard before every call. */
  onCall?: (() => void) | undefined
}

/** The tools of what is served, as one connection calls them. */
export function callsOf(
  { workspace, dialect, onFault }: Served,
  session: Remembered,
  { narrowed, onCall }: CallsOptions = {},
): Calls {
  let isReady = false
  void workspace.ready
    .catch(() => {})
    .then(() => {
      isReady = true
    })

  return {
    async call({ name, arguments: args }, context) {
      onCall?.()
      const options = { ...context, session, ...(onFault && { onFault }) }
      const within = narrowed === undefined ? workspace : await narrowed()
      const { facts: _, ...result } = await callTool(within, dialect, name, args, options)
      return result
    },
    callNow({ name, arguments: args }) {
      if (!isReady || narrowed !== undefined) return undefined
      onCall?.()
      return callToolNow(workspace, dialect, name, args)
    },
  }
}
