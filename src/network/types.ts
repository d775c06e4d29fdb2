/** What passes through the gate of the network: requests and answers as data, so that they can be sent to other threads, recorded and repeated. */
import type { Bytes } from '../fs/types.js'

/** In the order in which they are sent; a name may come several times. */
export type Headers = ReadonlyArray<readonly [name: string, value: string]>

export interface NetworkRequest {
  method: string
  url: string
  headers: Headers
  body?: Bytes
  /** Less than the limit of the rule. */
  timeoutMs?: number
}

export interface NetworkAnswer {
  status: number
  statusText: string
  /** Such as `1.1`; absent where the platform does not say. */
  httpVersion?: string
  headers: Headers
  /** As it was sent, in whatever encoding its headers say; in a page it is decoded. */
  body: Bytes
}

export interface NetworkFailure {
  /**
   * `REFUSED`: the rule does not allow it, and nothing was sent. `UNRESOLVED`: the name has no address. `TOO_LARGE`: the answer has more bytes than
   * the rule allows. `CERTIFICATE`: the server is not who it should be. `BROKEN`: the connection ended, or what came is no HTTP.
   */
  code: 'REFUSED' | 'UNRESOLVED' | 'UNREACHABLE' | 'TIMEOUT' | 'TOO_LARGE' | 'CERTIFICATE' | 'BROKEN'
  message: string
}

export type NetworkOutcome = { answer: NetworkAnswer } | { failure: NetworkFailure }

/** The one gate to the network, from `nodeNetwork` or `fetchNetwork`. It follows no redirects: each is a request of its own. */
export interface Network {
  exchange(request: NetworkRequest, options?: { signal?: AbortSignal }): Promise<NetworkOutcome>
  /** What the rule allows, one line for each origin, for messages. */
  readonly allowed: readonly string[]
  /** Of one command. */
  readonly limits: { exchanges: number; bytes: number }
}

/** A way to send one request, which the platform has. */
export interface Transport {
  /** Throws a `TransportError`. */
  send(request: SentRequest, options: TransportOptions): Promise<TransportAnswer>
}

export interface SentRequest {
  method: string
  url: URL
  headers: Headers
  body?: Bytes
}

export interface TransportOptions {
  signal: AbortSignal
  /** Addresses of private networks that the rule names for this origin. */
  addresses: readonly string[]
  maxHeaderBytes: number
}

export interface TransportAnswer extends Omit<NetworkAnswer, 'body'> {
  body: AsyncIterable<Uint8Array>
  /** The platform has decoded the body. */
  isDecoded?: boolean
}

export class TransportError extends Error {
  constructor(
    readonly code: NetworkFailure['code'],
    message: string,
  ) {
    super(message)
  }
}
