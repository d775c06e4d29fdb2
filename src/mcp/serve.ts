import { createMcpHandler, type Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { directCalls } from './direct-calls.js'
import { withExactCodes } from './exact-codes.js'
import { refusingMalformedCalls, refusingUnknownMethods } from './malformed-calls.js'
import { tellListeners } from './resources.js'
import { createConnection, createServer, type Served } from './server.js'

export { exactLine } from './exact-codes.js'
export { type SessionHandler, type SessionOptions, sessionHandler } from './http-sessions.js'
export type { Served } from './server.js'
export type { Transport }

/** Serves one connection over any duplex transport. Its first message decides the protocol revision, and both eras are spoken. */
export function serve(transport: Transport, served: Served): { close(): Promise<void> } {
  const { onFault } = served
  const session = {}
  const direct = directCalls(refusingMalformedCalls(withExactCodes(transport)))
  const connect = ({ era }: { era: 'modern' | 'legacy' }) => {
    const { server, call, callNow } = createConnection(served, session)
    // What a tool logs or asks goes by the SDK, which knows who wants to hear it and who can answer.
    const { logs, asks } = served.dialect
    if (era === 'legacy' && !logs && !asks) direct.begin(call, callNow)
    return refusingUnknownMethods(server)
  }
  return serveStdio(connect, { transport: direct.transport, ...(onFault && { onerror: onFault }) })
}

/** Answers HTTP requests one by one, without sessions, in every protocol revision. What an agent chooses holds for all clients. */
export function httpHandler(served: Served, options: { maxRequestBytes: number }): HttpHandler {
  const { onFault } = served
  const session = {}
  const handler = createMcpHandler(() => createServer(served, session), {
    maxRequestBodySize: options.maxRequestBytes,
    ...(onFault && { onerror: onFault }),
  })
  const stopTelling = tellListeners(handler.notify, served)
  return {
    fetch: handler.fetch,
    close() {
      stopTelling()
      return handler.close()
    },
  }
}

export type HttpHandler = Pick<ReturnType<typeof createMcpHandler>, 'fetch' | 'close'>
