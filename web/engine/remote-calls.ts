/** Remote calls between threads: an object of functions on one side, asynchronous versions of them on the other. */
import { type ErrorCode, FsError } from '../../src/errors.js'

/** The common part of a `MessagePort`, a `Worker` and a worker's global scope. */
export interface Channel {
  postMessage(message: unknown, transfer?: Transferable[]): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
  removeEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

// biome-ignore lint/suspicious/noExplicitAny: the types are known where functions are exposed and called.
export type Methods = Record<string, (...given: any[]) => unknown>

/** The functions as the other side sees them: all asynchronous, with arguments copied, except for ports. */
export type Remote<Exposed extends Methods> = {
  [Name in keyof Exposed]: (...given: Parameters<Exposed[Name]>) => Promise<Awaited<ReturnType<Exposed[Name]>>>
}

type Request = { call: number; name: string; given: unknown[] }
type Reply = { reply: number } & ({ result: unknown } | { fault: Fault })
export type Fault = { message: string; name: string; code?: ErrorCode; facts?: object }

/** Answers calls until the returned function is called. */
export function expose(channel: Channel, methods: Methods): () => void {
  async function answer({ data }: MessageEvent): Promise<void> {
    if (!isRequest(data)) return
    const { call, name, given } = data
    try {
      if (!Object.hasOwn(methods, name)) throw new Error(`Unknown method: ${name}`)
      const result = await methods[name]?.(...given)
      channel.postMessage({ reply: call, result } satisfies Reply, transferable([result]))
    } catch (error) {
      channel.postMessage({ reply: call, fault: faultOf(error) } satisfies Reply)
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
export function connectRemote<Exposed extends Methods>(channel: Channel): RemoteConnection<Exposed> {
  const calls = new Map<number, { resolve(result: unknown): void; reject(fault: unknown): void }>()
  let count = 0
  let ended: Error | undefined

  function receive({ data }: MessageEvent): void {
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
      channel.postMessage({ call: number, name, given } satisfies Request, transferable(given))
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

/** Ports are transferred; everything else is copied. */
function transferable(values: readonly unknown[]): Transferable[] {
  return values.filter((value): value is MessagePort => value instanceof MessagePort)
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
  return typeof data === 'object' && data !== null && 'call' in data && 'name' in data
}

function isReply(data: unknown): data is Reply {
  return typeof data === 'object' && data !== null && 'reply' in data
}
