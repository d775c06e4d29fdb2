/** HTTP requests that stand alone: no session, so what an agent chooses applies to every client of the handler. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import { withExactCodes } from '../server/exact-error-codes.js'
import { faultOf, invalidParams, rejectMalformedCalls } from '../server/malformed-calls.js'
import { rejectUnknownMethods } from '../server/protocol-errors.js'
import { notifyListeners } from '../server/resources.js'
import type { Served } from '../server/served.js'
import { createServer } from '../server/server.js'
import { errorResponse } from './error-response.js'
import { type HeaderArgument, headerArguments, headerFault } from './header-arguments.js'

const headersDisagree = -32020

export interface StatelessHandler {
  fetch(request: Request, body: unknown): Promise<Response>
  close(): Promise<void>
}

/** Answers the newest protocol revision, and the older ones too unless `legacy` says that sessions do. */
export function statelessHandler(
  served: Served,
  { legacy = 'stateless' }: { legacy?: 'stateless' | 'reject' } = {},
): StatelessHandler {
  const session = {}
  const inHeaders = new Map<unknown, HeaderArgument[]>(
    served.dialect.tools.map(({ name, schema }) => [name, headerArguments(schema().input)]),
  )
  // Without `onerror`, which reports every mistake of a client; the tools report internal errors themselves.
  const handler = createMcpHandler(connect, { legacy })
  const stopTelling = notifyListeners(handler.notify, served)

  function connect({ era }: { era: 'modern' | 'legacy' }) {
    const server = createServer(served, session)
    const sdkConnect = server.connect.bind(server)
    server.connect = (transport) => {
      const exact = withExactCodes(transport)
      return sdkConnect(era === 'legacy' ? rejectMalformedCalls(exact) : exact)
    }
    // The SDK answers an unknown method of the newest revision with the status 404, as the protocol requires.
    return era === 'legacy' ? rejectUnknownMethods(server) : server
  }

  function headerMismatch({ headers }: Request, body: unknown): string | undefined {
    const call = body as { method?: unknown; params?: { name?: unknown; arguments?: unknown } } | null | undefined
    if (call?.method !== 'tools/call') return undefined
    const wanted = inHeaders.get(call.params?.name)
    return wanted && headerFault(wanted, call.params?.arguments, headers)
  }

  return {
    async fetch(request, body) {
      const id = idOf(body)
      const fault = id === undefined || isRemoved(body) ? undefined : faultOf(body)
      // Status 200, like the SDK: the HTTP request itself is well-formed.
      if (fault !== undefined) return errorResponse(200, invalidParams, fault, { id })
      const mismatch = headerMismatch(request, body)
      if (mismatch !== undefined) return errorResponse(400, headersDisagree, mismatch, { id })
      return handler.fetch(request, { parsedBody: body })
    },
    close() {
      stopTelling()
      return handler.close()
    },
  }
}

/** Methods that the newest revision has removed: "unknown method" is reported before malformed params. */
function isRemoved(message: unknown): boolean {
  const method = typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined
  return method === 'resources/subscribe' || method === 'resources/unsubscribe'
}

function idOf(message: unknown): string | number | undefined {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
