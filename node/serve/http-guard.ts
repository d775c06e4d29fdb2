/** Decides from the head of a request whether the client may use the HTTP server. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { hostname, networkInterfaces } from 'node:os'

export interface GuardOptions {
  /** The address the server is bound to. */
  host: string
  port: number
  /** Required of every request except a preflight; none is required when absent. */
  token?: string
  /** Other host names under which clients may reach the server, such as a proxy's; one with a port allows only that port. */
  allowHosts?: readonly string[]
  /** Origins of pages that may use the server, such as `https://app.example`. */
  allowOrigins?: readonly string[]
}

export interface Refusal {
  status: 401 | 403
  reason: string
}

export interface Guard {
  /**
   * Why a request is rejected; undefined when it is allowed. A page that rebinds its DNS name to this machine still sends that name as Host,
   * and the browser sends the page's origin as Origin.
   */
  refuse(head: { method: string; headers: IncomingHttpHeaders }): Refusal | undefined
  /** True for the origins in `allowOrigins`, whose pages need CORS headers to read the response. */
  isForeign(origin: string | undefined): origin is string
}

export function createGuard({ host, port, token, allowHosts = [], allowOrigins = [] }: GuardOptions): Guard {
  const names = ['127.0.0.1', 'localhost', '[::1]', ...(isWildcard(host) ? ownNames() : [urlHost(host)])]
  const own = new Set(names.map((name) => `${name.toLowerCase()}:${port}`))
  const hosts = new Set(allowHosts.map((name) => name.toLowerCase()))
  const origins = new Set(allowOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')))
  const expected = token === undefined ? undefined : digest(token)

  function isOwnHost(given: string): boolean {
    return own.has(given) || hosts.has(given) || hosts.has(given.replace(/:\d+$/, ''))
  }

  function isForeign(origin: string | undefined): origin is string {
    return origin !== undefined && origins.has(origin.toLowerCase())
  }

  function isKnownOrigin(origin: string): boolean {
    const [, scheme, name = ''] = /^(https?):\/\/([^/]+)$/i.exec(origin) ?? []
    return isForeign(origin) || (scheme !== undefined && isOwnHost(name.toLowerCase()))
  }

  function hasToken(authorization: string | undefined): boolean {
    if (expected === undefined) return true
    const [, given] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    // Digests have equal length, and `timingSafeEqual` does not reveal where they differ.
    return given !== undefined && timingSafeEqual(digest(given), expected)
  }

  return {
    isForeign,
    refuse({ method, headers }) {
      if (!isOwnHost((headers.host ?? '').toLowerCase())) return { status: 403, reason: 'Host not allowed' }
      const { origin } = headers
      if (origin !== undefined && !isKnownOrigin(origin)) return { status: 403, reason: 'Origin not allowed' }
      if (origin === undefined && headers['sec-fetch-site'] === 'cross-site') {
        return { status: 403, reason: 'Origin not allowed' }
      }
      const isPreflight = method === 'OPTIONS' && origin !== undefined
      if (!isPreflight && !hasToken(headers.authorization)) return { status: 401, reason: 'Bearer token required' }
      return undefined
    },
  }
}

/** True for addresses that only programs on this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function ownNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return [hostname(), ...addresses.map(({ address }) => urlHost(address))]
}

/** The host as a URL writes it: IPv6 addresses in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
