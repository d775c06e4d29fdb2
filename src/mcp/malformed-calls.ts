/** Calls that are no calls. The SDK drops some without a word, and tells of the others in pages of JSON. */
import { ProtocolError, type Server, type Transport } from '@modelcontextprotocol/server'

type Receive = NonNullable<Transport['onmessage']>
type Message = Parameters<Receive>[0]

const invalidParams = -32602
const unknownMethod = -32601

/** The transport itself, answering such calls on its own. */
export function refusingMalformedCalls(transport: Transport): Transport {
  let receive: Receive | undefined
  return Object.defineProperty(transport, 'onmessage', {
    get: () => (receive === undefined ? undefined : checked),
    set: (given: Receive | undefined) => {
      receive = given
    },
  })

  function checked(message: Message, extra?: Parameters<Receive>[1]): void {
    const fault = faultOf(message)
    if (fault === undefined) receive?.(message, extra)
    else if ('id' in message && message.id !== undefined)
      void transport.send({ jsonrpc: '2.0', id: message.id, error: { code: invalidParams, message: fault } })
  }
}

/** Names the method that is not there. */
export function refuseUnknownMethods(server: Server): void {
  server.fallbackRequestHandler = async ({ method }) => {
    throw new ProtocolError(unknownMethod, `Method not found: ${method}`)
  }
}

function faultOf(message: Message): string | undefined {
  if (!('method' in message)) return undefined
  // What came over the wire is whatever the client sent.
  const params: unknown = message.params
  const isCall = message.method === 'tools/call'
  if (params === undefined) return isCall ? 'Invalid params' : undefined
  if (!isRecord(params) || !isMeta(params._meta)) return 'Invalid params'
  if (!isCall) return undefined
  if (!('name' in params) || typeof params.name !== 'string') return 'Missing tools/call param: name'
  const args = 'arguments' in params ? params.arguments : undefined
  return args === undefined || isRecord(args) ? undefined : 'Invalid params'
}

function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isRecord(meta)) return false
  const { progressToken: token } = meta
  return token === undefined || typeof token === 'string' || Number.isSafeInteger(token)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
