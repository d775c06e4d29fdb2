/**
 * Calls of tools past the SDK, which takes longer to pass one on than a small read takes. What it would answer is answered, byte for byte;
 * every other message is left to it, and so is a call that carries more than a name, arguments and a token for progress.
 */
import type { Transport } from '@modelcontextprotocol/server'
import { ToolProtocolError, type ToolResult } from '../../tools/dialect.js'
import type { CallFromClient, CallNow, Calls } from '../server/calls.js'
import { type ProgressedCall, progressOf } from '../server/progress.js'
import type { Served } from '../server/served.js'

type Receive = NonNullable<Transport['onmessage']>
type Message = Parameters<Receive>[0]
type Extra = Parameters<Receive>[1]
type Id = string | number

interface Call {
  id: Id
  params: { name: string; arguments?: Record<string, unknown>; _meta?: { progressToken?: string | number } }
}

const internalError = -32603

export interface DirectCalls {
  /** For the SDK. */
  transport: Transport
  /** From here on calls are answered by these. Only for the eras before the newest, whose answers carry no more than the result. */
  begin(calls: Calls): void
  /** From here on none is; those under way go on. */
  end(): void
}

/** What a tool logs or asks goes by the SDK, which knows who wants to hear it and who can answer. */
export function isCalledDirectly({ dialect: { logs, asks } }: Served): boolean {
  return !logs && !asks
}

/** `transport` refuses malformed calls itself. */
export function directCalls(transport: Transport): DirectCalls {
  const underWay = new Map<Id, AbortController>()
  let call: CallFromClient | undefined
  let callNow: CallNow | undefined
  /** Messages that the SDK may not have dealt with. It takes no longer than to the next turn, and no call overtakes them. */
  let ahead = 0

  const inner: Transport = {
    start: () => transport.start(),
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
    get sessionId() {
      return transport.sessionId
    },
    setSupportedProtocolVersions: (versions) => transport.setSupportedProtocolVersions?.(versions),
  }

  transport.onmessage = (message, extra) => {
    if (call !== undefined && ahead === 0 && isPlainCall(message)) answer(call, message, extra)
    else if (!isCancelled(message)) pass(message, extra)
  }
  transport.onerror = (error) => inner.onerror?.(error)
  transport.onclose = () => {
    inner.onclose?.()
    for (const controller of underWay.values()) controller.abort(new Error('Connection closed'))
    underWay.clear()
  }

  function pass(message: Message, extra: Extra): void {
    ahead += 1
    setTimeout(() => {
      ahead -= 1
    }, 0)
    inner.onmessage?.(message, extra)
  }

  function answer(run: CallFromClient, asked: Call, extra: Extra): void {
    const result = callNow?.(asked.params)
    if (result === undefined) void answerLater(run, asked, extra)
    // Whoever hung up is not told.
    else void transport.send({ result: ordered(result), jsonrpc: '2.0', id: asked.id }).catch(() => {})
  }

  async function answerLater(run: CallFromClient, { id, params }: Call, extra: Extra): Promise<void> {
    const controller = new AbortController()
    underWay.set(id, controller)
    const { signal } = controller
    const detach = extra?.closeSSEStream
    const response = await run(params, { signal, ...progress(id, params), ...(detach && { detach }) }).then(
      (result) => ({ result: ordered(result), jsonrpc: '2.0' as const, id }),
      (error: unknown) => ({ jsonrpc: '2.0' as const, id, error: asError(error) }),
    )
    if (underWay.get(id) === controller) underWay.delete(id)
    // Whoever hung up is not told.
    if (!signal.aborted) await transport.send(response).catch(() => {})
  }

  function progress(id: Id, { _meta }: Call['params']) {
    if (_meta === undefined) return undefined
    const notify: ProgressedCall['mcpReq']['notify'] = (told) =>
      transport.send({ jsonrpc: '2.0', ...told }, { relatedRequestId: id })
    return progressOf({ mcpReq: { _meta, notify } })
  }

  function isCancelled(message: Message): boolean {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return false
    const { requestId, reason } = (message.params ?? {}) as { requestId?: Id; reason?: unknown }
    const controller = requestId === undefined ? undefined : underWay.get(requestId)
    controller?.abort(reason)
    return controller !== undefined
  }

  return {
    transport: inner,
    begin(calls) {
      call = calls.call
      callNow = calls.callNow
    },
    end() {
      call = undefined
    },
  }
}

/** What the SDK would understand as nothing more either. */
function isPlainCall(message: Message): message is Message & Call {
  if (!('method' in message) || message.method !== 'tools/call' || !('id' in message)) return false
  const params = message.params as Call['params']
  for (const key in params) if (key !== 'name' && key !== 'arguments' && key !== '_meta') return false
  for (const key in params._meta) if (key !== 'progressToken') return false
  return params.arguments === undefined || !Object.hasOwn(params.arguments, '__proto__')
}

/** As the SDK orders it. */
function ordered({ content, structuredContent, isError }: ToolResult): Record<string, unknown> {
  return { content, ...(structuredContent && { structuredContent }), ...(isError !== undefined && { isError }) }
}

function asError(error: unknown): { code: number; message: string } {
  if (error instanceof ToolProtocolError) return { code: error.code, message: error.message }
  return { code: internalError, message: error instanceof Error ? error.message : 'Internal error' }
}
