import { openNetwork } from './open-network.js'
import type { NetworkRule } from './rule.js'
import { type Network, type Transport, type TransportAnswer, TransportError } from './types.js'

/**
 * A network through the platform's `fetch`, for pages: servers must allow the page's origin (CORS), and redirects can't be followed, because a page
 * does not learn where they lead. Names are resolved by the platform, so addresses of private networks are not refused; in Node use `nodeNetwork`.
 */
export function fetchNetwork(rule: NetworkRule): Network {
  return openNetwork(rule, fetchTransport)
}

/** A page sets these itself, and fails or warns where a script does. */
const ofPages = new Set(['accept-encoding', 'cookie', 'origin', 'referer', 'user-agent'])

const fetchTransport: Transport = {
  async send({ method, url, headers, body }, { signal }): Promise<TransportAnswer> {
    const sent: Record<string, string> = {}
    for (const [name, value] of headers) {
      const key = name.toLowerCase()
      if (!ofPages.has(key)) sent[key] = key in sent ? `${sent[key]}, ${value}` : value
    }
    let response: Awaited<ReturnType<typeof fetch>>
    try {
      response = await fetch(url.href, {
        method,
        headers: sent,
        credentials: 'omit',
        redirect: 'manual',
        ...(body && method !== 'GET' && method !== 'HEAD' && { body: body as Uint8Array<ArrayBuffer> }),
        signal,
      })
    } catch {
      throw new TransportError('UNREACHABLE', `${url.host} can't be reached, or does not allow this page's origin`)
    }
    if (response.status === 0) {
      throw new TransportError('BROKEN', `${url.host} redirects, and a page does not learn where to`)
    }
    const answered: [string, string][] = []
    response.headers.forEach((value, name) => {
      answered.push([name, value])
    })
    const { status, statusText } = response
    return { status, statusText, headers: answered, body: pieces(response.body), isDecoded: true }
  },
}

async function* pieces(body: Awaited<ReturnType<typeof fetch>>['body']): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || value === undefined) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
