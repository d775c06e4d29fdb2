import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { type DirectCalls, directCalls, isCalledDirectly } from './fast/direct-calls.js'
import type { Remembered } from './server/elicitation.js'
import { withExactCodes } from './server/exact-error-codes.js'
import { refusingMalformedCalls } from './server/malformed-calls.js'
import { refusingUnknownMethods } from './server/protocol-errors.js'
import type { Served } from './server/served.js'
import { createConnection } from './server/server.js'

export { type HttpHandler, type HttpHandlerOptions, type HttpRequestOptions, httpHandler } from './http/handler.js'
export { type SessionHandler, type SessionOptions, sessionHandler } from './http/sessions.js'
export type { Served } from './server/served.js'
export type { Transport }

/** Serves one connection over any duplex transport. Its first message decides the protocol revision, and both eras are spoken. */
export function serve(transport: Transport, served: Served): { close(): Promise<void> } {
  const direct = directCalls(refusingMalformedCalls(withExactCodes(transport)))
  return serveBehind(direct, direct.transport, served, {})
}

/** The same for a transport that is checked already, and behind which calls are answered directly. */
export function serveBehind(
  { begin }: Pick<DirectCalls, 'begin'>,
  transport: Transport,
  served: Served,
  session: Remembered,
): { close(): Promise<void> } {
  const { onFault } = served
  const connect = ({ era }: { era: 'modern' | 'legacy' }) => {
    const { server, calls } = createConnection(served, session)
    if (era === 'legacy' && isCalledDirectly(served)) begin(calls)
    return refusingUnknownMethods(server)
  }
  return serveStdio(connect, { transport, ...(onFault && { onerror: onFault }) })
}
