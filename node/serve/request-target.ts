/** What a request asks for. */
export interface RequestTarget {
  /** As it was sent: still encoded. */
  pathname: string
  query: URLSearchParams
}

/**
 * Undefined for what is not a path on this server: a whole address, `*`, or a path that begins with two slashes, which parsers of URLs take for the
 * name of a host.
 */
export function requestTarget(given = ''): RequestTarget | undefined {
  if (!/^\/(?![/\\])/.test(given)) return undefined
  const at = given.indexOf('?')
  const pathname = at === -1 ? given : given.slice(0, at)
  return { pathname, query: new URLSearchParams(at === -1 ? '' : given.slice(at + 1)) }
}
