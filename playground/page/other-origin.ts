/**
 * Workers that talk to another origin. The page's own policy allows no connections to other origins; such a worker has a policy of its
 * own, which allows exactly the origin that the user entered.
 */

/** Undefined for anything but the address of a web server. */
export function originOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.origin : undefined
}

/** Starts a worker that may connect to this origin. The server that sends its script allows it that; see docs/playground.md. */
export function workerFor(origin: string, script: string, name: string): Worker {
  const address = new URL(script, location.href)
  address.searchParams.set('connect', origin)
  return new Worker(address.href, { type: 'module', name })
}
