import type { Answer } from './match-answer.js'

/** The client's side of a JSON-RPC connection, over whatever carries its messages. */
export interface Rpc {
  request(method: string, params?: unknown): Promise<Answer>
  /** The answer with this id to something that was not sent as a request; `null` for one without an id. */
  answerTo(id: number | null): Promise<Answer>
  /** To be called with every message that arrives. */
  receive(message: unknown): void
  /** To be called when no more can arrive. */
  end(reason: string): void
}

/** An answer that takes longer never comes. On a loaded machine the browser's storage can stand still for half a minute. */
const longestMs = 240_000

export function createRpc(send: (message: object) => void, patienceMs = longestMs): Rpc {
  const waiting = new Map<number | null, Waiting>()
  let sent = 0
  let ended: string | undefined

  function answerTo(id: number | null): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      if (ended !== undefined) return reject(new Error(ended))
      const timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs)
      waiting.set(id, { resolve, reject, timer })
    })
  }

  return {
    answerTo,
    request(method, params) {
      sent += 1
      const answer = answerTo(sent)
      send({ jsonrpc: '2.0', id: sent, method, ...(params !== undefined && { params }) })
      return answer
    },
    receive(message) {
      // What the server sends of its own accord is not an answer.
      if (typeof message === 'object' && message !== null && 'method' in message) return
      const { id = null, ...answer } = message as { id?: number | null } & Answer
      const waiter = waiting.get(id)
      if (waiter === undefined) return
      waiting.delete(id)
      clearTimeout(waiter.timer)
      waiter.resolve(answer)
    },
    end(reason) {
      ended = reason
      for (const { reject, timer } of waiting.values()) {
        clearTimeout(timer)
        reject(new Error(reason))
      }
      waiting.clear()
    },
  }
}

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
  timer: ReturnType<typeof setTimeout>
}

/** The first exchange of every connection. */
export async function initialize({ request }: Rpc, notify: (message: object) => void): Promise<void> {
  const answer = await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'vectors', version: '1' },
  })
  if ('error' in answer) throw new Error(`initialize failed: ${answer.error.message}`)
  notify({ jsonrpc: '2.0', method: 'notifications/initialized' })
}
