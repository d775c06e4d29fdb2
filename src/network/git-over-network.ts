import { joinBytes } from '../text/join-bytes.js'
import type { Network } from './types.js'

/** As isomorphic-git asks. */
interface GitRequest {
  url: string
  method?: string | undefined
  headers?: Record<string, string> | undefined
  body?: AsyncIterableIterator<Uint8Array>
  signal?: AbortSignal | undefined
}

const maxRedirects = 5

/** Git's own requests through the gate of the network. */
export function gitOverNetwork(network: Network) {
  return {
    client: {
      async request({ url: address, method = 'GET', headers = {}, body, signal }: GitRequest) {
        const pieces: Uint8Array[] = []
        if (body !== undefined) for await (const piece of body) pieces.push(piece)
        let url = address
        for (let redirects = 0; ; redirects += 1) {
          const request = { method, url, headers: Object.entries(headers), ...(body && { body: joinBytes(pieces) }) }
          const outcome = await network.exchange(request, { ...(signal && { signal }) })
          if ('failure' in outcome) throw new Error(outcome.failure.message)
          const { status, statusText, body: answered } = outcome.answer
          const named = Object.fromEntries(outcome.answer.headers.map(([name, value]) => [name.toLowerCase(), value]))
          const { location } = named
          const isRedirect = method === 'GET' && status >= 300 && status < 400 && location !== undefined
          if (!isRedirect || redirects === maxRedirects) {
            return { url, method, headers: named, statusCode: status, statusMessage: statusText, body: only(answered) }
          }
          url = new URL(location, url).href
        }
      },
    },
  }
}

async function* only(bytes: Uint8Array) {
  yield bytes
}
