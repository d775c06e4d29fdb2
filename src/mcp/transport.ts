/** The connection that a server speaks over. Declared here, so that programs which use this package need no SDK for its types. */

/** A message of JSON-RPC: a request, a notification, or a response. */
export interface TransportMessage {
  jsonrpc: '2.0'
  id?: string | number | undefined
  method?: string | undefined
  params?: Record<string, unknown> | undefined
  result?: Record<string, unknown> | undefined
  error?: { code: number; message: string; data?: unknown } | undefined
}

/** Has the shape of `Transport` in both major versions of the official SDK, whose transports can be passed. */
export interface Transport {
  start(): Promise<void>
  send(message: TransportMessage, options?: object): Promise<void>
  close(): Promise<void>
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  /**
   * Set by the server, and called with each message that arrives. Typed as a method, whose parameters TypeScript compares in both
   * directions: the versions of the SDK narrow them differently.
   */
  onmessage?: { receive(message: TransportMessage, extra?: object): void }['receive'] | undefined
  sessionId?: string | undefined
}
