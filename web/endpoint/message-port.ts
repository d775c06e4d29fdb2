/** MCP over a `MessagePort`; the binding is described in `docs/message-port.md`. */

/** The part that every message has. The receiver checks the rest. */
export interface JsonRpcMessage {
  jsonrpc: '2.0'
}

/**
 * One end of a port. It depends on no SDK: it has the shape of `Transport` in both versions of the official SDK and in the AI SDK.
 * Messages are delivered only after `start`, so none is lost before the handlers are set.
 */
export class MessagePortTransport {
  onmessage?: ((message: JsonRpcMessage) => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  /** Called once, whichever end closes and however often. */
  onclose?: (() => void) | undefined
  /** Lets the AI SDK negotiate the newest protocol revision; without it, it speaks an older one. */
  readonly supportsProtocolVersionDiscovery = true
  /** Fulfilled when the connection has ended. */
  readonly closed: Promise<void>

  readonly #port: MessagePort
  #state: 'new' | 'open' | 'closed' = 'new'
  #settleClosed = () => {}

  constructor(port: MessagePort) {
    this.#port = port
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve
    })
  }

  async start(): Promise<void> {
    if (this.#state !== 'new') throw new Error(`The transport is ${this.#state} already`)
    this.#state = 'open'
    this.#port.addEventListener('message', ({ data }) => this.#receive(data))
    this.#port.addEventListener('messageerror', () => {
      this.onerror?.(new Error('A message could not be read'))
      this.#end()
    })
    // In browsers that have this event: the page or worker at the other end is closed.
    this.#port.addEventListener('close', () => this.#end())
    this.#port.start()
  }

  async send(message: JsonRpcMessage): Promise<void> {
    if (this.#state !== 'open') throw new Error(`The transport is ${this.#state === 'new' ? 'not started' : 'closed'}`)
    this.#port.postMessage(message)
  }

  async close(): Promise<void> {
    this.#end()
  }

  #receive(data: unknown): void {
    if (this.#state !== 'open') return
    if (data === null) this.#end()
    else if (isJsonRpcMessage(data)) this.onmessage?.(data)
    else this.onerror?.(new Error('Not a JSON-RPC message'))
  }

  #end(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#port.postMessage(null)
    this.#port.close()
    this.#settleClosed()
    this.onclose?.()
  }
}

function isJsonRpcMessage(data: unknown): data is JsonRpcMessage {
  return typeof data === 'object' && data !== null && 'jsonrpc' in data && data.jsonrpc === '2.0'
}
