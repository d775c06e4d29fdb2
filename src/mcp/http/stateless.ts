/** The newest protocol revision over HTTP: every request stands alone, and what an agent chooses holds for all who ask here. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import { faultOf, invalidParams } from '../server/malformed-calls.js'
import { tellListeners } from '../server/resources.js'
import { createServer, type Served } from '../server/server.js'
import { refusal } from './error-response.js'
import { type HeaderArgument, headerArguments, headerFault } from './header-arguments.js'

const headersDisagree = -32020

export interface StatelessHandler {
  fetch(request: Request, body: unknown): Promise<Response>
  close(): Promise<void>
}

export function statelessHandler(served: Served): StatelessHandler {
  const shared = {}
  const inHeaders = new Map<unknown, HeaderArgument[]>(
    served.dialect.tools.map(({ name, schema }) => [name, headerArguments(schema().input)]),
  )
  // Without a listener for errors: it would hear of all that clients get wrong, and faults of ours are told by the tools.
  const handler = createMcpHandler(() => createServer(served, shared), { legacy: 'reject' })
  const stopTelling = tellListeners(handler.notify, served)

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
      // As the SDK does it: what is wrong inside of a message is no fault of the request that carried it.
      if (fault !== undefined) return refusal(200, invalidParams, fault, id)
      const mismatch = headerMismatch(request, body)
      if (mismatch !== undefined) return refusal(400, headersDisagree, mismatch, id)
      return handler.fetch(request, { parsedBody: body })
    },
    close() {
      stopTelling()
      return handler.close()
    },
  }
}

/** Methods that sessions have and the newest revision does not: that they are not there comes before how they are called. */
function isRemoved(message: unknown): boolean {
  const method = typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined
  return method === 'resources/subscribe' || method === 'resources/unsubscribe'
}

function idOf(message: unknown): string | number | undefined {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
