import type { Readable, Writable } from 'node:stream'
import { serveLazily } from '../../src/mcp/fast/lazy-sdk.js'
import type { Served, Transport } from '../../src/mcp/serve.js'
import { lineReader } from './line-reader.js'

export interface StdioOptions {
  input?: Readable
  output?: Writable
  /** A longer line is rejected and skipped; the connection stays open. */
  maxMessageBytes?: number
}

export interface StdioServer {
  /** Fulfilled when the client has disconnected or the server was closed. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Serves one client over standard input and output, one JSON-RPC message per line. Nothing else is written to the output. */
export function serveStdio(served: Served, options: StdioOptions = {}): StdioServer {
  const { input = process.stdin, output = process.stdout, maxMessageBytes = 64 * 1024 * 1024 } = options
  let settle = () => {}
  const closed = new Promise<void>((resolve) => {
    settle = resolve
  })
  const transport = lineTransport(input, output, maxMessageBytes, settle)
  const connection = serveLazily(transport, served)
  return { closed, close: () => connection.close() }
}

/** A client that has closed its input may still read; responses are sent for this long. */
const shutdownMs = 5000

/** Characters after which buffered output is written. */
const maxUnwritten = 1024 * 1024

/** Beyond these limits of unanswered requests the input is paused, as when the client does not read the output. */
const maxUnanswered = { requests: 20_000, bytes: 256 * 1024 * 1024 }

/** Replaces the SDK's transport, which copies its buffer with every chunk and disconnects beyond 10 MiB. */
function lineTransport(input: Readable, output: Writable, maxMessageBytes: number, onEnd: () => void): Transport {
  const lines = lineReader(maxMessageBytes, { onLine: receive, onRejected: rejectUnparsed })
  /** Ids of unanswered requests, and the length of their lines. */
  const unanswered = new Map<string | number, number>()
  let heldBytes = 0
  let unwritten = ''
  let receiving = false
  let ended = false
  let closed = false

  const transport: Transport = {
    async start() {
      input.on('data', receiveChunk)
      input.once('end', end)
      input.once('close', end)
      input.once('error', close)
      output.on('drain', resumeInput)
      // The client has disconnected.
      output.on('error', close)
    },
    async send(message) {
      if ('id' in message && !('method' in message)) answered(message.id)
      write(message)
    },
    async close() {
      close()
    },
  }

  function end(): void {
    if (ended) return
    ended = true
    if (unanswered.size === 0) close()
    else setTimeout(close, shutdownMs)
  }

  function close(): void {
    if (closed) return
    flush()
    closed = true
    input.off('data', receiveChunk)
    input.pause()
    transport.onclose?.()
    onEnd()
  }

  /** Batches responses that are ready together: every single write would wake the client. */
  function write(message: unknown): void {
    if (closed) return
    if (unwritten === '' && !receiving) process.nextTick(flush)
    unwritten += `${JSON.stringify(message)}\n`
    if (unwritten.length > maxUnwritten) flush()
  }

  function flush(): void {
    if (unwritten === '') return
    const text = unwritten
    unwritten = ''
    output.write(text)
  }

  function receiveChunk(chunk: Buffer): void {
    receiving = true
    try {
      lines.push(chunk)
    } finally {
      receiving = false
      flush()
    }
  }

  function receive(line: string, bytes: number): void {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      reject(null, -32700, 'Parse error')
      return
    }
    const id = idOf(message)
    const fault = faultOf(message) ?? (isRequest(message) && unanswered.has(id ?? '') ? duplicate : undefined)
    if (fault !== undefined) {
      reject(id, -32600, fault)
      return
    }
    if (isRequest(message) && id !== null) {
      unanswered.set(id, bytes)
      heldBytes += bytes
    }
    // A cancelled request gets no response.
    const cancelled = cancelledBy(message)
    if (cancelled !== undefined) answered(cancelled)
    transport.onmessage?.(message as Parameters<NonNullable<Transport['onmessage']>>[0])
    if (isFull()) input.pause()
  }

  function answered(id: unknown): void {
    const key = id as string | number
    const bytes = unanswered.get(key)
    if (bytes === undefined) return
    unanswered.delete(key)
    heldBytes -= bytes
    // After the response has been written.
    if (ended && unanswered.size === 0) setImmediate(close)
    else resumeInput()
  }

  function isFull(): boolean {
    return unanswered.size > maxUnanswered.requests || heldBytes > maxUnanswered.bytes || output.writableNeedDrain
  }

  function resumeInput(): void {
    if (!closed && input.isPaused() && !isFull()) input.resume()
  }

  function rejectUnparsed(reason: string, id: string | number | null): void {
    // A running request with this id gets its own response.
    reject(id !== null && unanswered.has(id) ? null : id, -32600, reason)
  }

  function reject(id: string | number | null, code: number, message: string): void {
    write({ jsonrpc: '2.0', id, error: { code, message } })
  }

  return transport
}

const duplicate = 'Invalid request: a request with this id is in progress'

function isRequest(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'method' in message && 'id' in message
}

function cancelledBy(message: unknown): unknown {
  const { method, params } = message as { method?: string; params?: { requestId?: unknown } | null }
  return method === 'notifications/cancelled' ? params?.requestId : undefined
}

/** Why a value is not a JSON-RPC message; the SDK would drop it silently. */
function faultOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return 'Invalid request: root must be object'
  if (!('jsonrpc' in message) || message.jsonrpc !== '2.0') return 'Invalid request: jsonrpc must be "2.0"'
  if ('id' in message && idOf(message) === null) return 'Invalid request: id must be a string or an integer'
  if ('method' in message) {
    if (typeof message.method !== 'string') return 'Invalid request: method must be a string'
    const stray = Object.keys(message).find((key) => !['jsonrpc', 'id', 'method', 'params'].includes(key))
    return stray === undefined ? undefined : 'Invalid request: only jsonrpc, id, method and params are known'
  }
  return 'result' in message || 'error' in message ? undefined : 'Invalid request: no method'
}

function idOf(message: unknown): string | number | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  const { id } = message
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null
}
