import { lookup as lookUp } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { openNetwork } from '../../src/network/open-network.js'
import type { NetworkRule } from '../../src/network/rule.js'
import {
  type Network,
  type NetworkFailure,
  type Transport,
  type TransportAnswer,
  TransportError,
} from '../../src/network/types.js'
import { isPrivateAddress, isSameAddress } from './private-addresses.js'

/**
 * A network by Node's own HTTP. A connection goes to an address that was checked, whatever the name has a moment later: those of private networks are
 * refused, unless the rule names the address itself as the origin, `localhost`, or among the `addresses` of the origin. Proxies are not used.
 */
export function nodeNetwork(rule: NetworkRule): Network {
  return openNetwork(rule, transport)
}

const transport: Transport = {
  send({ method, url, headers, body }, { signal, addresses, maxHeaderBytes }) {
    return new Promise<TransportAnswer>((resolve, reject) => {
      const secure = url.protocol === 'https:'
      const fail = (error: NodeJS.ErrnoException) =>
        reject(error instanceof TransportError ? error : described(error, url))
      const flat = headers.flat()
      const request = (secure ? https : http).request(url, {
        method,
        // As a list they keep their order and their case.
        headers: ['Host', url.host, ...flat, ...lengthOf(method, body)] as unknown as http.OutgoingHttpHeaders,
        agent: false,
        lookup: checkedLookup(url, addresses),
        maxHeaderSize: maxHeaderBytes,
        insecureHTTPParser: false,
        signal,
      })
      request.on('error', fail)
      request.on('upgrade', (_, socket) => {
        socket.destroy()
        fail(new TransportError('BROKEN', `${url.host} wants another protocol`))
      })
      request.on('response', (response) => {
        const { statusCode = 0, statusMessage = '', rawHeaders, httpVersion } = response
        const answered: [string, string][] = []
        for (let at = 0; at < rawHeaders.length; at += 2) {
          answered.push([rawHeaders[at] as string, rawHeaders[at + 1] as string])
        }
        resolve({
          status: statusCode,
          statusText: statusMessage,
          httpVersion,
          headers: answered,
          body: bodyOf(response, url),
        })
      })
      request.end(body)
    })
  },
}

function lengthOf(method: string, body: Uint8Array | undefined): string[] {
  if (body !== undefined) return ['Content-Length', String(body.length)]
  return ['POST', 'PUT', 'PATCH'].includes(method) ? ['Content-Length', '0'] : []
}

async function* bodyOf(response: http.IncomingMessage, url: URL): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of response) yield piece as Uint8Array
  } catch (error) {
    throw error instanceof TransportError ? error : described(error as NodeJS.ErrnoException, url)
  } finally {
    response.destroy()
  }
}

/** Gives only addresses that may be reached. Node does not ask it for an address: the rule names that one itself. */
function checkedLookup({ hostname }: URL, addresses: readonly string[]): LookupFunction {
  const isLocal = hostname === 'localhost'
  return (name, options, callback) => {
    lookUp(name, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, [])
        return
      }
      const reachable = found.filter(
        ({ address }) =>
          (isLocal && isLoopback(address)) ||
          !isPrivateAddress(address) ||
          addresses.some((allowed) => isIP(allowed) !== 0 && isSameAddress(allowed, address)),
      )
      const [first] = reachable
      if (first === undefined) {
        callback(
          new TransportError('REFUSED', `${hostname} is in a private network, and the rule names no address of it`),
          [],
        )
      } else if (options.all) callback(null, reachable)
      else callback(null, first.address, first.family)
    })
  }
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}

/** The platform's own text may hold what was sent. */
function described({ code = '' }: NodeJS.ErrnoException, { host, hostname, port, protocol }: URL): TransportError {
  const failed = (kind: NetworkFailure['code'], text: string) => new TransportError(kind, text)
  if (['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME'].includes(code)) {
    return failed('UNRESOLVED', `no address of ${hostname} is known`)
  }
  const to = `${hostname} port ${port || (protocol === 'https:' ? 443 : 80)}`
  if (['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'].includes(code)) {
    return failed('UNREACHABLE', `no connection to ${to}`)
  }
  if (code === 'ETIMEDOUT') return failed('TIMEOUT', `no connection to ${to}`)
  if (/CERT|ALTNAME|SELF_SIGNED|UNABLE_TO|ISSUER/.test(code)) return failed('CERTIFICATE', `${host}: ${code}`)
  if (code === 'HPE_HEADER_OVERFLOW') return failed('TOO_LARGE', `the headers of ${host} are too large`)
  return failed('BROKEN', `the connection to ${host} ended early${code === '' ? '' : ` (${code})`}`)
}
