/**
 * Answers plain tool calls without the SDK, whose overhead is larger than a small read. The responses equal the SDK's byte for byte. All
 * other messages go to the SDK, and so do calls with more than a name, arguments and a progress token.
 */
import type { Transport } from '@modelcontextprotocol/server'
import { ToolProtocolError } from '../../tools/call-tool.js'
import type { ToolResult } from '../../tools/dialect.js'
import type { CallFromClient, CallSync, Calls } from '../server/calls.js'
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
  /** To connect the SDK to. */
  transport: Transport
  /** Answers calls from now on. Not for the newest revision, whose responses carry more than the result. */
  begin(calls: Calls): void
  /** Answers no more calls; running ones finish. */
  end(): void
}

/** False for dialects that log or ask questions: the SDK knows what the client supports. */
export function allowsDirectCalls({ dialect: { logs, asks } }: Served): boolean {
  return !logs && !asks
}

/** `transport` must reject malformed calls itself. */
export function directCalls(transport: Transport): DirectCalls {
  const running = new Map<Id, AbortController>()
  let call: CallFromClient | undefined
  let callSync: CallSync | undefined
  /** Messages that the SDK may not have handled yet; it does so by the next turn of the event loop. No call overtakes them. */
  let unhandled = 0

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
    if (call !== undefined && unhandled === 0 && isPlainCall(message)) answer(call, message, extra)
    else if (!isCancelled(message)) pass(message, extra)
  }
  transport.onerror = (error) => inner.onerror?.(error)
  transport.onclose = () => {
    inner.onclose?.()
    for (const controller of running.values()) controller.abort(new Error('Connection closed'))
    running.clear()
  }

  function pass(message: Message, extra: Extra): void {
    unhandled += 1
    setTimeout(() => {
      unhandled -= 1
    }, 0)
    inner.onmessage?.(message, extra)
  }

  function answer(run: CallFromClient, request: Call, extra: Extra): void {
    const result = callSync?.(request.params)
    if (result === undefined) void answerAsync(run, request, extra)
    // A client that disconnected gets no response.
    else void transport.send({ result: ordered(result), jsonrpc: '2.0', id: request.id }).catch(() => {})
  }

  async function answerAsync(run: CallFromClient, { id, params }: Call, extra: Extra): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    const { signal } = controller
    const detach = extra?.closeSSEStream
    const response = await run(params, { signal, ...progress(id, params), ...(detach && { detach }) }).then(
      (result) => ({ result: ordered(result), jsonrpc: '2.0' as const, id }),
      (error: unknown) => ({ jsonrpc: '2.0' as const, id, error: asError(error) }),
    )
    if (running.get(id) === controller) running.delete(id)
    // A client that disconnected gets no response.
    if (!signal.aborted) await transport.send(response).catch(() => {})
  }

  function progress(id: Id, { _meta }: Call['params']) {
    if (_meta === undefined) return undefined
    const notify: ProgressedCall['mcpReq']['notify'] = (notification) =>
      transport.send({ jsonrpc: '2.0', ...notification }, { relatedRequestId: id })
    return progressOf({ mcpReq: { _meta, notify } })
  }

  function isCancelled(message: Message): boolean {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return false
    const { requestId, reason } = (message.params ?? {}) as { requestId?: Id; reason?: unknown }
    const controller = requestId === undefined ? undefined : running.get(requestId)
    controller?.abort(reason)
    return controller !== undefined
  }

  return {
    transport: inner,
    begin(calls) {
      call = calls.call
      callSync = calls.callSync
    },
    end() {
      call = undefined
    },
  }
}

/** True for calls in which the SDK would find nothing else to handle. */
function isPlainCall(message: Message): message is Message & Call {
  if (!('method' in message) || message.method !== 'tools/call' || !('id' in message)) return false
  const params = message.params as Call['params']
  for (const key in params) if (key !== 'name' && key !== 'arguments' && key !== '_meta') return false
  for (const key in params._meta) if (key !== 'progressToken') return false
  return params.arguments === undefined || !Object.hasOwn(params.arguments, '__proto__')
}

/** The keys in the SDK's order. */
function ordered({ content, structuredContent, isError }: ToolResult): Record<string, unknown> {
  return { content, ...(structuredContent && { structuredContent }), ...(isError !== undefined && { isError }) }
}

function asError(error: unknown): { code: number; message: string } {
  if (error instanceof ToolProtocolError) return { code: error.code, message: error.message }
  return { code: internalError, message: error instanceof Error ? error.message : 'Internal error' }
}
