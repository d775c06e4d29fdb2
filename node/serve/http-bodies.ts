/** Reads request bodies, with limits on the memory of all of them together and on how slowly one may arrive. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { messageScanner } from '../../src/mcp/server/message-bounds.js'
import { chunkBuffer } from './chunk-buffer.js'
import { closingQuote } from './closing-quote.js'

export interface HttpBodiesOptions {
  /** Limit of one body. */
  maxBytes: number
  /** Limit of all incomplete or unanswered bodies. Beyond it the largest incomplete one is rejected, so that small ones always fit. */
  maxHeldBytes: number
  /** A body may take this long, and longer the more of it has arrived. */
  graceMs: number
}

export interface RejectedBody {
  status: 400 | 408 | 413 | 503
  reason: string
}

export interface HttpBodies {
  /** Bytes of all bodies that are incomplete or not answered yet. */
  readonly heldBytes: number
  /** Rejects a body that is not JSON message, unless it `isBinary`. */
  read(
    request: IncomingMessage,
    response: ServerResponse,
    options?: { isBinary?: boolean },
  ): Promise<Buffer | RejectedBody>
}

interface Incomplete {
  bytes: number
  startMs: number
  reject(reason: RejectedBody): void
}

/** A body that arrives more slowly is rejected. */
const minBytesPerMs = 64
const checkEveryMs = 500

export function httpBodies({ maxBytes, maxHeldBytes, graceMs }: HttpBodiesOptions): HttpBodies {
  const incomplete = new Set<Incomplete>()
  let heldBytes = 0
  let checking: NodeJS.Timeout | undefined

  function rejectLargest(): void {
    const [largest] = [...incomplete].sort((a, b) => b.bytes - a.bytes)
    largest?.reject({ status: 503, reason: 'Too many large messages in progress: send this one again later' })
  }

  function rejectSlow(): void {
    const nowMs = performance.now()
    for (const { startMs, bytes, reject } of incomplete) {
      if (nowMs - startMs < graceMs + bytes / minBytesPerMs) continue
      reject({ status: 408, reason: `The message arrived too slowly: send at least ${minBytesPerMs} kB a second` })
    }
  }

  function begin(body: Incomplete): void {
    incomplete.add(body)
    checking ??= setInterval(rejectSlow, Math.min(checkEveryMs, graceMs)).unref()
  }

  function finish(body: Incomplete): void {
    incomplete.delete(body)
    if (incomplete.size > 0) return
    clearInterval(checking)
    checking = undefined
  }

  return {
    get heldBytes() {
      return heldBytes
    },
    read(request, response, { isBinary = false } = {}) {
      const tooLong: RejectedBody = { status: 413, reason: `Message longer than ${maxBytes} bytes` }
      if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
        request.resume()
        return Promise.resolve(tooLong)
      }
      return new Promise((resolve, reject) => {
        const chunks = chunkBuffer()
        const scanner = messageScanner({}, closingQuote)
        const body: Incomplete = { bytes: 0, startMs: performance.now(), reject: rejectBody }
        begin(body)

        /** The rest of the body is ignored. */
        function rejectBody(reason: RejectedBody): void {
          finish(body)
          chunks.clear()
          heldBytes -= body.bytes
          resolve(reason)
        }

        request.on('data', (part: Buffer) => {
          if (!incomplete.has(body)) return
          body.bytes += part.length
          heldBytes += part.length
          const fault = isBinary ? undefined : scanner.push(part)
          if (body.bytes > maxBytes) rejectBody(tooLong)
          else if (fault !== undefined) rejectBody({ status: 400, reason: fault })
          else {
            chunks.add(part)
            if (heldBytes > maxHeldBytes) rejectLargest()
          }
        })
        request.once('end', () => {
          if (!incomplete.has(body)) return
          finish(body)
          // Its text and its values stay in memory until it is answered.
          response.once('close', () => {
            heldBytes -= body.bytes
          })
          resolve(chunks.take())
        })
        request.once('error', (error) => {
          if (incomplete.has(body)) rejectBody({ status: 400, reason: 'Connection lost' })
          reject(error)
        })
      })
    },
  }
}
