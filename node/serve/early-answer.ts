/** Answers that are sent before a request has arrived completely. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** How much of a rejected body is read, and for how long, before the connection is closed. */
const maxDrainedBytes = 128 * 1024 * 1024
const maxDrainMs = 10_000

export interface EarlyAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/**
 * Sends the whole answer at once, and closes the connection when the client has sent the rest of its request, which is ignored. Closed
 * earlier, with unread bytes, the connection is reset, and a client that is still sending may never see the answer.
 */
export function answerEarly(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: EarlyAnswer,
): void {
  response.writeHead(status, { ...headers, 'content-length': body.length, connection: 'close' })
  response.write(body)
  let drained = 0
  const end = () => {
    clearTimeout(timer)
    request.off('data', count)
    response.end()
  }
  const timer = setTimeout(end, maxDrainMs).unref()
  const count = (chunk: Buffer) => {
    drained += chunk.length
    if (drained > maxDrainedBytes) end()
  }
  request.on('data', count).once('end', end).once('close', end)
  request.resume()
}
