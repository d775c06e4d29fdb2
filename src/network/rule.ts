/** The rule of a network: which origins may be reached, how, and within which bounds. */

/** What may be asked of one origin. */
export interface AllowedOrigin {
  /** Such as `https://registry.example`, with a port where it is not the usual one. */
  origin: string
  /** Default: GET and HEAD. */
  methods?: readonly string[]
  /** How paths must begin. Default: any. */
  paths?: readonly string[]
  /** Added to every request to this origin, in place of headers of the same names. No script, log, history or trace has them. */
  headers?: Readonly<Record<string, string>>
  /** Addresses of a private network that the name of this origin may have. Others than public ones are refused. */
  addresses?: readonly string[]
}

export interface NetworkRule {
  /** Origins, or texts such as `https://example.com` and `GET,POST https://example.com/api/`. */
  allow: ReadonlyArray<string | AllowedOrigin>
  /** Of one answer. Default: 64 MB. */
  maxAnswerBytes?: number
  /** Of the body of one request. Default: 16 MB. */
  maxRequestBytes?: number
  /** Of one exchange, until its last byte. Default: 60 s. */
  timeoutMs?: number
  /** How many requests a command may make. Default: 10,000. */
  maxExchanges?: number
  /** Of all requests and answers of a command. Default: 1 GB. */
  maxBytes?: number
}

/** A part of a rule, checked. */
export interface Allowance {
  origin: string
  methods: readonly string[]
  paths: readonly string[]
  headers: ReadonlyArray<readonly [name: string, value: string]>
  addresses: readonly string[]
}

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Throws a `TypeError` that names what is wrong, without the values of headers. */
export function parseAllowance(given: string | AllowedOrigin): Allowance {
  const allowed = typeof given === 'string' ? fromText(given) : given
  const { origin, methods = ['GET', 'HEAD'], paths = ['/'], headers = {}, addresses = [] } = allowed
  const url = parseUrl(origin)
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError(`not an origin such as https://example.com: ${origin}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`an origin has no user name and password, use its headers: ${url.origin}`)
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new TypeError(`an origin has no path, use its paths: ${origin}`)
  }
  for (const method of methods) {
    if (!knownMethods.includes(method)) {
      throw new TypeError(`not a method that can be allowed: ${method} (there is ${knownMethods.join(', ')})`)
    }
  }
  for (const path of paths) if (!path.startsWith('/')) throw new TypeError(`a path begins with a slash: ${path}`)
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  for (const [name, value] of entries) {
    if (!isHeaderName(name) || !isHeaderValue(value)) throw new TypeError(`not a header that can be sent: ${name}`)
  }
  return { origin: url.origin, methods, paths: paths.map(normalPath), headers: entries, addresses }
}

/** `https://example.com/api/` or `GET,POST https://example.com`. */
function fromText(text: string): AllowedOrigin {
  const [, methods, address = ''] = /^(?:([A-Za-z,]+)\s+)?(\S+)$/.exec(text.trim()) ?? []
  const url = parseUrl(address)
  if (url === undefined || url.search !== '' || url.hash !== '') {
    throw new TypeError(`not a rule such as 'https://example.com' or 'GET,POST https://example.com/api/': ${text}`)
  }
  if (url.username !== '' || url.password !== '')
    throw new TypeError('a rule has no user name and password, use its headers')
  return {
    origin: `${url.protocol}//${url.host}`,
    ...(methods !== undefined && { methods: methods.toUpperCase().split(',') }),
    ...(url.pathname !== '/' && { paths: [url.pathname] }),
  }
}

export function describeAllowance({ origin, methods, paths }: Allowance): string {
  return paths.map((path) => `${methods.join(',')} ${origin}${path === '/' ? '' : path}`).join(', ')
}

export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

function normalPath(path: string): string {
  return new URL(path, 'http://origin').pathname
}

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
}

/** Neither the end of a line nor another control character. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

/** Whether a path lies below a prefix, also for a server that decodes slashes and dots once more. */
export function isAllowedPath(pathname: string, prefixes: readonly string[]): boolean {
  if (prefixes.includes('/')) return true
  if (climbs(pathname)) return false
  return prefixes.some((prefix) => pathname.startsWith(prefix) && (prefix.endsWith('/') || isEnd(pathname, prefix)))
}

const isEnd = (pathname: string, { length }: string) => pathname.length === length || pathname[length] === '/'

function climbs(pathname: string): boolean {
  let decoded = pathname
  for (let round = 0; round < 5; round += 1) {
    const next = decoded.replace(/%(2e|2f|5c|25)/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (next === decoded) return /(?:^|[/\\])\.\.(?:[/\\;]|$)/.test(decoded)
    decoded = next
  }
  return true
}
