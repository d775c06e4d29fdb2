/** Bodies of requests on their way in: how much of all of them is held at once, and how slowly one may come. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { messageScanner } from '../../src/mcp/server/message-bounds.js'
import { gatheredBytes } from './chunk-buffer.js'

export interface HttpBodiesOptions {
  /** Of one body. */
  maxBytes: number
  /** Of all that are not whole or not answered yet. Beyond it the largest that is not whole is refused, so that small ones always find room. */
  maxHeldBytes: number
  /** A body may take this long, and longer the more of it has come. */
  graceMs: number
}

export interface RefusedBody {
  status: 400 | 408 | 413 | 503
  reason: string
}

export interface HttpBodies {
  /** Of all bodies that are not whole or not answered yet. */
  readonly heldBytes: number
  read(request: IncomingMessage, response: ServerResponse): Promise<Buffer | RefusedBody>
}

interface Unfinished {
  bytes: number
  begunMs: number
  end(refused: RefusedBody): void
}

/** What comes more slowly is not waited for. */
const leastBytesPerMs = 64
const lookEveryMs = 500

export function httpBodies({ maxBytes, maxHeldBytes, graceMs }: HttpBodiesOptions): HttpBodies {
  const unfinished = new Set<Unfinished>()
  let heldBytes = 0
  let looking: NodeJS.Timeout | undefined

  function makeRoom(): void {
    const [largest] = [...unfinished].sort((a, b) => b.bytes - a.bytes)
    largest?.end({ status: 503, reason: 'Too many large messages are under way: send this one again later' })
  }

  function endSlow(): void {
    const nowMs = performance.now()
    for (const { begunMs, bytes, end } of unfinished) {
      if (nowMs - begunMs < graceMs + bytes / leastBytesPerMs) continue
      end({ status: 408, reason: `The message came too slowly: send at least ${leastBytesPerMs} kB a second` })
    }
  }

  function begin(body: Unfinished): void {
    unfinished.add(body)
    looking ??= setInterval(endSlow, Math.min(lookEveryMs, graceMs)).unref()
  }

  function finish(body: Unfinished): void {
    unfinished.delete(body)
    if (unfinished.size > 0) return
    clearInterval(looking)
    looking = undefined
  }

  return {
    get heldBytes() {
      return heldBytes
    },
    read(request, response) {
      const tooLong: RefusedBody = { status: 413, reason: `Message longer than ${maxBytes} bytes` }
      if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
        request.resume()
        return Promise.resolve(tooLong)
      }
      return new Promise((resolve, reject) => {
        const gathered = gatheredBytes()
        const scanner = messageScanner()
        const body: Unfinished = { bytes: 0, begunMs: performance.now(), end }
        begin(body)

        /** The rest is passed over. */
        function end(refused: RefusedBody): void {
          finish(body)
          gathered.forget()
          heldBytes -= body.bytes
          resolve(refused)
        }

        request.on('data', (part: Buffer) => {
          if (!unfinished.has(body)) return
          body.bytes += part.length
          heldBytes += part.length
          const fault = scanner.push(part)
          if (body.bytes > maxBytes) end(tooLong)
          else if (fault !== undefined) end({ status: 400, reason: fault })
          else {
            gathered.add(part)
            if (heldBytes > maxHeldBytes) makeRoom()
          }
        })
        request.once('end', () => {
          if (!unfinished.has(body)) return
          finish(body)
          // As text and as values it is there until it is answered.
          response.once('close', () => {
            heldBytes -= body.bytes
          })
          resolve(gathered.take())
        })
        request.once('error', (error) => {
          if (unfinished.has(body)) end({ status: 400, reason: 'Cut off' })
          reject(error)
        })
      })
    },
  }
}
