/** The gate of the network: what passes is allowed by a rule, bounded, and gets its secrets here. */
import type { Bytes } from '../fs/types.js'
import { joinBytes } from '../text/join-bytes.js'
import { masked, secretsOf } from './mask.js'
import {
  type Allowance,
  describeAllowance,
  isAllowedPath,
  isHeaderName,
  isHeaderValue,
  type NetworkRule,
  parseAllowance,
  parseUrl,
} from './rule.js'
import {
  type Headers,
  type Network,
  type NetworkFailure,
  type NetworkOutcome,
  type NetworkRequest,
  type Transport,
  TransportError,
} from './types.js'

const defaults = {
  maxAnswerBytes: 64_000_000,
  maxRequestBytes: 16_000_000,
  timeoutMs: 60_000,
  maxExchanges: 10_000,
  maxBytes: 1_000_000_000,
}
const maxHeaderBytes = 64 * 1024
/** At once, over all commands. */
const maxRunning = 16

/** They belong to the connection, not to the script. */
const ofConnection = new Set(
  'connection content-length expect host keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/** Throws a `TypeError` for a rule that is wrong. */
export function openNetwork(rule: NetworkRule, transport: Transport): Network {
  const limits = { ...defaults, ...rule }
  const allowances = rule.allow.map(parseAllowance)
  const enter = turnstile(maxRunning)

  async function send(request: NetworkRequest, url: URL, allowance: Allowance, signal: AbortSignal) {
    const names = new Set(allowance.headers.map(([name]) => name))
    const own = request.headers.filter(
      ([name]) => !ofConnection.has(name.toLowerCase()) && !names.has(name.toLowerCase()),
    )
    const secrets = secretsOf(allowance.headers)
    const answer = await transport.send(
      {
        method: request.method,
        url,
        headers: [...own, ...allowance.headers],
        ...(request.body && { body: request.body }),
      },
      { signal, addresses: allowance.addresses, maxHeaderBytes },
    )
    const { body: pieces, isDecoded = false, ...head } = answer
    // A page has decoded it: what these say is no longer so.
    const headers = isDecoded ? answer.headers.filter(([name]) => !ofEncoding.has(name.toLowerCase())) : answer.headers
    const body = await collected(pieces, limits.maxAnswerBytes)
    return masked({ ...head, headers, body }, secrets)
  }

  return {
    allowed: allowances.map(describeAllowance),
    limits: { exchanges: limits.maxExchanges, bytes: limits.maxBytes },
    async exchange(request, { signal } = {}): Promise<NetworkOutcome> {
      const checked = check(request, allowances, limits.maxRequestBytes)
      if ('code' in checked) return { failure: checked }
      const ender = new AbortController()
      const timeoutMs = Math.min(limits.timeoutMs, request.timeoutMs ?? Infinity)
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        ender.abort()
      }, timeoutMs)
      const stop = () => ender.abort()
      signal?.addEventListener('abort', stop, { once: true })
      if (signal?.aborted) stop()
      const leave = await enter()
      try {
        ender.signal.throwIfAborted()
        return { answer: await untilAborted(send(request, checked.url, checked.allowance, ender.signal), ender.signal) }
      } catch (error) {
        if (isLate) return failed('TIMEOUT', `no whole answer after ${timeoutMs} ms`)
        if (error instanceof TransportError) return failed(error.code, error.message)
        // What the platform says may hold what was sent.
        return failed('BROKEN', signal?.aborted ? 'the command has ended' : 'the exchange failed')
      } finally {
        leave()
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
        ender.abort()
      }
    },
  }
}

const ofEncoding = new Set(['content-encoding', 'content-length'])

const failed = (code: NetworkFailure['code'], message: string) => ({ failure: { code, message } })

function refused(message: string): NetworkFailure {
  return { code: 'REFUSED', message }
}

type Checked = { url: URL; allowance: Allowance }

/** Why nothing is sent, or where it goes. */
function check(
  { method, url: address, headers, body }: NetworkRequest,
  allowances: readonly Allowance[],
  maxRequestBytes: number,
): NetworkFailure | Checked {
  const url = parseUrl(address)
  if (url === undefined) return refused('this is no address')
  if (url.username !== '' || url.password !== '') return refused('an address with a password is not sent')
  const ofOrigin = allowances.filter(({ origin }) => origin === url.origin)
  if (ofOrigin.length === 0)
    return refused(`the rule does not name ${url.origin === 'null' ? url.protocol : url.origin}`)
  const ofPath = ofOrigin.filter(({ paths }) => isAllowedPath(url.pathname, paths))
  if (ofPath.length === 0) return refused(`the rule allows other paths of ${url.origin}`)
  const allowance = ofPath.find(({ methods }) => methods.includes(method))
  if (allowance === undefined) {
    const methods = new Set(ofPath.flatMap((each) => each.methods))
    return refused(`the rule allows only ${[...methods].join(', ')} for ${url.origin}`)
  }
  return wrongHeaders(url, headers) ?? tooMuch(body, maxRequestBytes) ?? { url, allowance }
}

function wrongHeaders(url: URL, headers: Headers): NetworkFailure | undefined {
  let bytes = 0
  for (const [name, value] of headers) {
    bytes += name.length + value.length
    if (!isHeaderName(name) || !isHeaderValue(value)) return refused('a header has characters that can not be sent')
    // Servers choose by it whom they answer for.
    if (name.toLowerCase() === 'host' && value.toLowerCase() !== url.host) {
      return refused(`the header Host must be that of the address, ${url.host}`)
    }
  }
  return bytes > maxHeaderBytes ? refused(`the headers have more than ${maxHeaderBytes} bytes`) : undefined
}

function tooMuch(body: Bytes | undefined, most: number): NetworkFailure | undefined {
  return body !== undefined && body.length > most ? refused(`the request has more than ${most} bytes`) : undefined
}

async function collected(pieces: AsyncIterable<Uint8Array>, most: number): Promise<Bytes> {
  const all: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > most) throw new TransportError('TOO_LARGE', `the answer has more than ${most} bytes`)
    all.push(piece)
  }
  return joinBytes(all)
}

/** A transport that does not notice its signal holds nothing up. */
function untilAborted<Result>(made: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    made.then(resolve, reject)
  })
}

/** Lets so many in at a time; the others wait in their order. */
function turnstile(most: number): () => Promise<() => void> {
  let inside = 0
  const waiting: Array<() => void> = []
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) inside -= 1
    else next()
  }
  return async () => {
    if (inside < most) inside += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    return leave
  }
}
