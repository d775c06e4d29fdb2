/** Remote calls between threads or over a connection: an object of functions on one side, asynchronous versions of them on the other. */
import { type ErrorCode, FsError } from '../errors.js'

/** The common part of a `MessagePort`, a `Worker`, a worker's global scope and a connection. */
export interface Channel {
  postMessage(message: unknown, transfer: never[]): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  removeEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
}

/** Picks the values that are transferred rather than copied; none unless given. */
export type Transferred = (values: readonly unknown[]) => unknown[]

// biome-ignore lint/suspicious/noExplicitAny: the types are known where functions are exposed and called.
export type Methods = Record<string, (...given: any[]) => unknown>

/** The functions as the other side sees them: all asynchronous, with arguments copied, except for what is transferred. */
export type Remote<Exposed extends Methods> = {
  [Name in keyof Exposed]: (...given: Parameters<Exposed[Name]>) => Promise<Awaited<ReturnType<Exposed[Name]>>>
}

type Request = { call: number; name: string; given: unknown[] }
type Reply = { reply: number } & ({ result: unknown } | { fault: Fault })
export type Fault = { message: string; name: string; code?: ErrorCode; facts?: object }

/** Answers calls until the returned function is called. */
export function expose(channel: Channel, methods: Methods, transferred: Transferred = nothing): () => void {
  async function answer({ data }: { readonly data: unknown }): Promise<void> {
    if (!isRequest(data)) return
    const { call, name, given } = data
    try {
      if (!Object.hasOwn(methods, name)) throw new Error(`Unknown method: ${name}`)
      const result = await methods[name]?.(...given)
      channel.postMessage({ reply: call, result } satisfies Reply, transferred([result]) as never[])
    } catch (error) {
      channel.postMessage({ reply: call, fault: faultOf(error) } satisfies Reply, [])
    }
  }
  channel.addEventListener('message', answer)
  return () => channel.removeEventListener('message', answer)
}

export interface RemoteConnection<Exposed extends Methods> {
  remote: Remote<Exposed>
  /** Ends the connection: every pending and later call fails with `reason`. */
  end(reason: Error): void
}

/** Calls the functions that the other side of the channel exposes. */
export function connectRemote<Exposed extends Methods>(
  channel: Channel,
  transferred: Transferred = nothing,
): RemoteConnection<Exposed> {
  const calls = new Map<number, { resolve(result: unknown): void; reject(fault: unknown): void }>()
  let count = 0
  let ended: Error | undefined

  function receive({ data }: { readonly data: unknown }): void {
    if (!isReply(data)) return
    const call = calls.get(data.reply)
    calls.delete(data.reply)
    if ('fault' in data) call?.reject(asError(data.fault))
    else call?.resolve(data.result)
  }
  channel.addEventListener('message', receive)

  function call(name: string, given: unknown[]): Promise<unknown> {
    if (ended !== undefined) return Promise.reject(ended)
    count += 1
    const number = count
    return new Promise((resolve, reject) => {
      calls.set(number, { resolve, reject })
      channel.postMessage({ call: number, name, given } satisfies Request, transferred(given) as never[])
    })
  }

  const remote = new Proxy({} as Remote<Exposed>, {
    // Without a `then`, so that the proxy is not taken for a promise.
    get: (_, name) => (name === 'then' ? undefined : (...given: unknown[]) => call(String(name), given)),
  })
  return {
    remote,
    end(reason) {
      ended ??= reason
      channel.removeEventListener('message', receive)
      for (const { reject } of calls.values()) reject(reason)
      calls.clear()
    },
  }
}

function nothing(): unknown[] {
  return []
}

/** Turns an error into data that can be sent. */
export function faultOf(error: unknown): Fault {
  if (error instanceof FsError) {
    const { message, name, code, facts } = error
    return { message, name, code, facts }
  }
  return error instanceof Error
    ? { message: error.message, name: error.name }
    : { message: String(error), name: 'Error' }
}

/** Turns the data back into an error. */
export function asError({ message, name, code, facts }: Fault): Error {
  // The sender paired the code with its facts.
  if (code !== undefined) return new FsError(code, facts as FsError['facts'])
  return Object.assign(new Error(message), { name })
}

function isRequest(data: unknown): data is Request {
  if (typeof data !== 'object' || data === null || !('call' in data && 'name' in data && 'given' in data)) return false
  return typeof data.call === 'number' && typeof data.name === 'string' && Array.isArray(data.given)
}

function isReply(data: unknown): data is Reply {
  return typeof data === 'object' && data !== null && 'reply' in data
}
