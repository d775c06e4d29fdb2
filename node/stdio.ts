import type { Readable, Writable } from 'node:stream'
import { type Served, serve, type Transport } from '../src/mcp/serve.js'

export interface StdioOptions {
  input?: Readable
  output?: Writable
  /** A longer line is refused and skipped; the connection goes on. */
  maxLineBytes?: number
}

export interface StdioServer {
  /** Settles when the client has gone or the server was closed. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Serves one client over standard input and output, one JSON-RPC message a line. Nothing else is ever written to the output. */
export function serveStdio(served: Served, options: StdioOptions = {}): StdioServer {
  const { input = process.stdin, output = process.stdout, maxLineBytes = 64 * 1024 * 1024 } = options
  let settle = () => {}
  const closed = new Promise<void>((resolve) => {
    settle = resolve
  })
  const transport = lineTransport(input, output, maxLineBytes, settle)
  const connection = serve(transport, served)
  return { closed, close: () => connection.close() }
}

/** The SDK's own copies what it holds for every chunk and hangs up past 10 MiB; this one keeps chunks apart until a line is whole. */
function lineTransport(input: Readable, output: Writable, maxLineBytes: number, onEnd: () => void): Transport {
  let pending: Buffer[] = []
  let pendingBytes = 0
  let skipping = false
  let closed = false

  const transport: Transport = {
    async start() {
      input.on('data', onData)
      input.once('end', close)
      input.once('close', close)
      // A client that hung up can't be told anything more.
      output.on('error', close)
    },
    async send(message) {
      await write(message)
    },
    async close() {
      close()
    },
  }

  function close(): void {
    if (closed) return
    closed = true
    input.off('data', onData)
    input.pause()
    transport.onclose?.()
    onEnd()
  }

  function write(message: unknown): Promise<void> {
    if (closed) return Promise.resolve()
    return new Promise((resolve) => {
      if (output.write(`${JSON.stringify(message)}\n`)) resolve()
      else output.once('drain', resolve)
    })
  }

  function onData(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end))
      endLine()
      start = end + 1
    }
    keep(chunk.subarray(start))
  }

  function keep(part: Buffer): void {
    if (part.length === 0) return
    pendingBytes += part.length
    if (pendingBytes > maxLineBytes) {
      skipping = true
      pending = []
    }
    if (!skipping) pending.push(part)
  }

  function endLine(): void {
    const line = Buffer.concat(pending).toString('utf8')
    const tooLong = skipping
    pending = []
    pendingBytes = 0
    skipping = false
    if (tooLong) void refuse(null, -32600, `Message longer than ${maxLineBytes} bytes`)
    else if (line.trim() !== '') receive(line)
  }

  function receive(line: string): void {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      void refuse(null, -32700, 'Parse error')
      return
    }
    const fault = faultOf(message)
    if (fault !== undefined) void refuse(idOf(message), -32600, fault)
    else transport.onmessage?.(message as Parameters<NonNullable<Transport['onmessage']>>[0])
  }

  function refuse(id: string | number | null, code: number, message: string): Promise<void> {
    return write({ jsonrpc: '2.0', id, error: { code, message } })
  }

  return transport
}

/** Why something is no JSON-RPC message; the SDK would drop it without a word. */
function faultOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return 'Invalid request: root must be object'
  if (!('jsonrpc' in message) || message.jsonrpc !== '2.0') return 'Invalid request: jsonrpc must be "2.0"'
  if ('id' in message && idOf(message) === null) return 'Invalid request: id must be a string or an integer'
  if ('method' in message)
    return typeof message.method === 'string' ? undefined : 'Invalid request: method must be a string'
  return 'result' in message || 'error' in message ? undefined : 'Invalid request: no method'
}

function idOf(message: unknown): string | number | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  const { id } = message
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null
}
