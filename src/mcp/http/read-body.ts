import { messageScanner } from '../server/message-bounds.js'
import { errorResponse } from './error-response.js'

/** Reads the body of a request, and rejects it as soon as it is too long, too deeply nested or has too many values. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | Response> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLong(maxBytes)
  // Firefox has no `body` in requests.
  const body = request.body === undefined ? new Response(await request.arrayBuffer()).body : request.body
  const reader = body?.getReader()
  const scanner = messageScanner()
  const parts: Uint8Array[] = []
  let length = 0
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    parts.push(read.value)
    length += read.value.length
    const fault = scanner.push(read.value)
    if (length <= maxBytes && fault === undefined) continue
    await reader?.cancel()
    return fault === undefined ? tooLong(maxBytes) : errorResponse(400, -32600, fault)
  }
  return joined(parts, length)
}

function tooLong(maxBytes: number): Response {
  return errorResponse(413, -32000, `Message longer than ${maxBytes} bytes`)
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
