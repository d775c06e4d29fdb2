import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { allowsDirectCalls, type DirectCalls, directCalls } from './fast/direct-calls.js'
import type { ConnectionState } from './server/elicitation.js'
import { withExactCodes } from './server/exact-error-codes.js'
import { rejectMalformedCalls } from './server/malformed-calls.js'
import { rejectUnknownMethods } from './server/protocol-errors.js'
import type { Served } from './server/served.js'
import { createConnection } from './server/server.js'

export { type HttpHandler, type HttpHandlerOptions, type HttpRequestOptions, httpHandler } from './http/handler.js'
export { type SessionHandler, type SessionOptions, type SessionStore, sessionHandler } from './http/sessions.js'
export type { Served } from './server/served.js'
export type { Transport }

/** Serves one connection over any duplex transport, in every protocol revision; the first message selects it. */
export function serve(transport: Transport, served: Served): { close(): Promise<void> } {
  const direct = directCalls(rejectMalformedCalls(withExactCodes(transport)))
  return serveConnected(direct, direct.transport, served, {})
}

/** The same for a transport that has its checks already, and whose plain calls `direct` answers. */
export function serveConnected(
  direct: Pick<DirectCalls, 'begin'>,
  transport: Transport,
  served: Served,
  session: ConnectionState,
): { close(): Promise<void> } {
  const { onFault } = served
  const connect = ({ era }: { era: 'modern' | 'legacy' }) => {
    const { server, calls } = createConnection(served, session)
    if (era === 'legacy' && allowsDirectCalls(served)) direct.begin(calls)
    return rejectUnknownMethods(server)
  }
  return serveStdio(connect, { transport, ...(onFault && { onerror: onFault }) })
}
