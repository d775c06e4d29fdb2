/** Rejects malformed requests before the SDK drops them, reports them as internal errors, or answers with pages of schema. */
import type { Transport } from '@modelcontextprotocol/server'
import { isRecord } from '../../text/is-record.js'

type Receive = NonNullable<Transport['onmessage']>
type Message = Parameters<Receive>[0]

export const invalidParams = -32602

/** Parameters of requests that must be strings, and that may be. */
const strings: Readonly<Record<string, { needed?: string; optional?: string }>> = {
  'tools/list': { optional: 'cursor' },
  'prompts/list': { optional: 'cursor' },
  'prompts/get': { needed: 'name' },
  'resources/list': { optional: 'cursor' },
  'resources/templates/list': { optional: 'cursor' },
  'resources/read': { needed: 'uri' },
  'resources/subscribe': { needed: 'uri' },
  'resources/unsubscribe': { needed: 'uri' },
}

/** Makes the transport answer malformed requests itself. */
export function rejectMalformedCalls(transport: Transport): Transport {
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

/** Why a message is malformed; undefined for a well-formed one. */
export function faultOf(message: unknown): string | undefined {
  if (!isRecord(message) || typeof message.method !== 'string') return undefined
  const { method, params = {} } = message
  if (!isRecord(params) || !isMeta(params._meta)) return 'Invalid params'
  const { arguments: args } = params
  if (method === 'tools/call') {
    if (message.params === undefined) return 'Invalid params'
    if (typeof params.name !== 'string') return 'Missing tools/call param: name'
    return args === undefined || isRecord(args) ? undefined : 'Invalid params'
  }
  if (method === 'completion/complete' && !isCompletion(params)) return 'Invalid completion/complete params'
  const { needed, optional } = strings[method] ?? {}
  if (needed !== undefined && typeof params[needed] !== 'string') return `Missing ${method} param: ${needed}`
  if (optional !== undefined && !['string', 'undefined'].includes(typeof params[optional])) {
    return `Invalid ${method} param: ${optional}`
  }
  const areStrings =
    args === undefined || (isRecord(args) && Object.values(args).every((each) => typeof each === 'string'))
  return method === 'prompts/get' && !areStrings ? 'Invalid prompts/get param: arguments' : undefined
}

function isCompletion({ ref, argument }: Record<string, unknown>): boolean {
  if (!isRecord(ref) || !isRecord(argument)) return false
  const isRef = ref.type === 'ref/prompt' ? typeof ref.name === 'string' : typeof ref.uri === 'string'
  return isRef && typeof argument.name === 'string' && typeof argument.value === 'string'
}

function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isRecord(meta)) return false
  const { progressToken: token } = meta
  return token === undefined || typeof token === 'string' || Number.isSafeInteger(token)
}
