/** The platform globals the portable core may use: what every browser, worker and Node has, and what of Node is used where it exists. */
declare var process:
  | {
      getBuiltinModule?<Name extends keyof ModulesOfNode>(name: Name): ModulesOfNode[Name] | undefined
    }
  | undefined
interface ModulesOfNode {
  'node:crypto': {
    hash?(algorithm: 'sha256', content: Uint8Array | string): string
    createHash(algorithm: 'sha1'): { update(bytes: Uint8Array): void; digest(): Uint8Array<ArrayBuffer> }
  }
  'node:zlib': {
    deflateSync(bytes: Uint8Array): Uint8Array<ArrayBuffer>
    deflateRawSync(bytes: Uint8Array): Uint8Array<ArrayBuffer>
  }
}
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>
  encodeInto(text: string, into: Uint8Array): { read: number; written: number }
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
}
declare class URL {
  constructor(url: string, base?: string)
  readonly href: string
  readonly origin: string
  readonly protocol: string
  username: string
  password: string
  readonly host: string
  readonly hostname: string
  readonly port: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
}
interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
declare class AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}
declare const crypto: {
  getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>
  readonly subtle: { digest(algorithm: 'SHA-1' | 'SHA-256', bytes: Uint8Array): Promise<ArrayBuffer> }
}
declare class CompressionStream {
  constructor(format: 'deflate' | 'deflate-raw' | 'gzip')
  readonly readable: {
    getReader(): {
      read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: undefined }>
      cancel(): Promise<void>
    }
  }
  readonly writable: {
    getWriter(): {
      write(bytes: Uint8Array<ArrayBuffer>): Promise<void>
      close(): Promise<void>
      abort(reason?: unknown): Promise<void>
    }
  }
}
declare class DecompressionStream extends CompressionStream {}
declare class MessageChannel {
  readonly port1: MessagePort
  readonly port2: MessagePort
}
interface MessagePort {
  onmessage: ((event: { readonly data: unknown }) => void) | null
  postMessage(message: unknown): void
  close(): void
}
declare function fetch(
  url: string,
  options: {
    method: string
    headers: Record<string, string>
    credentials: 'omit'
    redirect?: 'manual'
    body?: Uint8Array<ArrayBuffer>
    signal?: AbortSignal
  },
): Promise<{
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly headers: { forEach(visit: (value: string, name: string) => void): void }
  readonly body: Request['body']
}>
declare function setTimeout(run: () => void, delayMs: number): unknown
declare const performance: { now(): number }
declare function clearTimeout(timer: unknown): void
declare function btoa(latin1: string): string
declare class Request {
  constructor(url: string, options: { method: string; headers: Record<string, string> })
  readonly method: string
  readonly headers: { get(name: string): string | null }
  readonly signal: AbortSignal
  readonly body: {
    getReader(): {
      read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: undefined }>
      cancel(): Promise<void>
    }
  } | null
  arrayBuffer(): Promise<ArrayBuffer>
}
declare class ReadableStream {
  constructor(source: {
    pull(controller: { enqueue(bytes: Uint8Array): void; close(): void }): Promise<void>
    cancel(): Promise<void>
  })
  getReader(): ReturnType<NonNullable<Request['body']>['getReader']>
}
declare class Response {
  constructor(
    body: string | ArrayBuffer | ReadableStream | null,
    options?: { status?: number; statusText?: string; headers?: Record<string, string> },
  )
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly headers: { forEach(visit: (value: string, name: string) => void): void }
  readonly body: Request['body']
  text(): Promise<string>
}
declare function atob(base64: string): string
