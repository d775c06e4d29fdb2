import { serveConnected } from './fast/connected.js'
import { directCalls } from './fast/direct-calls.js'
import { withExactCodes } from './server/exact-error-codes.js'
import { rejectMalformedCalls } from './server/malformed-calls.js'
import type { Served } from './server/served.js'
import type { Transport } from './transport.js'

export { type HttpHandler, type HttpHandlerOptions, type HttpRequestOptions, httpHandler } from './http/handler.js'
export { type SessionHandler, type SessionOptions, type SessionStore, sessionHandler } from './http/sessions.js'
export type { Served } from './server/served.js'
export type { Transport, TransportMessage } from './transport.js'

/** Serves one connection over any duplex transport, in every protocol revision; the first message selects it. */
export function serve(transport: Transport, served: Served): { close(): Promise<void> } {
  const direct = directCalls(rejectMalformedCalls(withExactCodes(transport)))
  return serveConnected(direct, direct.transport, served, {})
}
