/** Requests to the APIs of models: no redirect carries a key to another place, and nothing is read beyond its bounds. */
import { jsonScanner } from '../src/text/json-scanner.js'

export type ModelFetch = typeof fetch

export interface ModelFetchOptions {
  /** Default: the global one. */
  fetch?: ModelFetch
  /** The longest answer; a stream may be four times as long, because it repeats much. Default: 16 MiB. */
  maxBytes?: number
  /** The longest line of a stream, which is parsed as one. Default: 8 MiB. */
  maxLineBytes?: number
}

/** A refused redirect or an answer beyond its bounds: the same request will not do better. */
export class ModelFetchError extends Error {
  override readonly name = 'ModelFetchError'
}

type Body = NonNullable<Request['body']>

/** Takes the next bytes and returns what may be read of them; less ends the body. Throws to refuse it. */
type Gate = (bytes: Uint8Array) => Uint8Array

const redirects = [301, 302, 303, 307, 308]
/** Enough for the message of an error. */
const maxErrorBytes = 65_536
/** Of an answer that comes as a whole; those with probabilities have many. */
const maxValues = 500_000
const maxLines = 1_000_000
const lineFeed = 0x0a

/** A `fetch` for endpoints of models: `createAnthropic({ apiKey, fetch: modelFetch() })`. */
export function modelFetch(options: ModelFetchOptions = {}): ModelFetch {
  const { fetch: send = fetch, maxBytes = 16 << 20, maxLineBytes = 8 << 20 } = options
  return async (url, request) => {
    const response = await send(url, { ...request, redirect: 'manual' })
    const { status, statusText, body } = response
    const headers: Record<string, string> = {}
    response.headers.forEach((value, name) => {
      headers[name.toLowerCase()] = value
    })
    // Pages learn nothing about a redirect except that there is one, by the status 0.
    if (status === 0 || redirects.includes(status)) {
      void body?.getReader().cancel().catch(ignore)
      throw new ModelFetchError(redirected(headers.location))
    }
    if (body === null) return response
    const gate =
      status >= 300
        ? firstBytes(maxErrorBytes)
        : /event-stream|ndjson/i.test(headers['content-type'] ?? '')
          ? streamGate(4 * maxBytes, maxLineBytes)
          : wholeGate(maxBytes)
    return new Response(gated(body, gate), { status, statusText, headers })
  }
}

function redirected(location: string | undefined): string {
  // The rest of an address may contain keys.
  const [origin] = /^https?:\/\/[^/?#@]+(?=[/?#]|$)/i.exec(location ?? '') ?? []
  return `The endpoint redirects to ${origin ?? 'another address'}, where no key is sent: set the model’s address to the one that answers`
}

function gated(body: Body, gate: Gate): ReadableStream {
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(ignore)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      try {
        const kept = gate(value)
        if (kept.length > 0) controller.enqueue(kept)
        if (kept.length === value.length) return
        leave()
        controller.close()
      } catch (error) {
        leave()
        throw error
      }
    },
    cancel: () => reader.cancel(),
  })
}

function firstBytes(maxBytes: number): Gate {
  let left = maxBytes
  return (bytes) => {
    const kept = bytes.subarray(0, left)
    left -= kept.length
    return kept
  }
}

function wholeGate(maxBytes: number): Gate {
  const scanner = jsonScanner({ maxValues })
  const count = counter(maxBytes)
  return (bytes) => {
    count(bytes.length)
    check(scanner.push(bytes))
    return bytes
  }
}

/** Each line is JSON of its own. */
function streamGate(maxBytes: number, maxLineBytes: number): Gate {
  const count = counter(maxBytes)
  let scanner = jsonScanner()
  let line = 0
  let lines = 0

  function part(bytes: Uint8Array): void {
    line += bytes.length
    if (line > maxLineBytes)
      throw new ModelFetchError(`The model’s answer has a line longer than ${maxLineBytes} bytes`)
    check(scanner.push(bytes))
  }

  return (bytes) => {
    count(bytes.length)
    let from = 0
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, from)) {
      part(bytes.subarray(from, end))
      scanner = jsonScanner()
      line = 0
      lines += 1
      from = end + 1
    }
    if (lines > maxLines) throw new ModelFetchError(`The model’s answer has more than ${maxLines} lines`)
    part(bytes.subarray(from))
    return bytes
  }
}

function counter(maxBytes: number): (bytes: number) => void {
  let sum = 0
  return (bytes) => {
    sum += bytes
    if (sum > maxBytes) throw new ModelFetchError(`The model’s answer is longer than ${maxBytes} bytes`)
  }
}

function check(exceeded: 'depth' | 'values' | undefined): void {
  if (exceeded === 'depth') throw new ModelFetchError('The model’s answer is nested too deeply')
  if (exceeded === 'values') throw new ModelFetchError('The model’s answer has too many values')
}

function ignore(): void {}
