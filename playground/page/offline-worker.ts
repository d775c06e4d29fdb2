/**
 * The service worker that caches the files of this build, so that the page opens offline, and gives each open tab an address for agents.
 * It handles no other requests of the site.
 */
import { relayRequests } from '../../web/endpoint/service-worker-relay.js'
import { isTabPath } from './tab-path.js'

declare const self: ServiceWorkerGlobalScope

/**
 * Defined in front of this script by the build. The version is a hash of the file names, which contain hashes of their
 * content.
 */
declare const build: { version: string; files: string[] }

const scope = self.registration.scope
const prefix = `polyfs-playground ${scope} `
const cacheName = prefix + build.version
const addresses = new Set(build.files.map((file) => new URL(file, scope).href))

relayRequests((path) => isTabPath(scope, path))
self.addEventListener('install', (event) => event.waitUntil(cacheAll()))
self.addEventListener('activate', (event) => event.waitUntil(takeOver()))
self.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method !== 'GET') return
  const address = request.url.replace(/[?#].*$/s, '')
  if (request.mode === 'navigate' && (address === scope || address === `${scope}index.html`)) {
    event.respondWith(pageFrom(request))
  } else if (addresses.has(address)) event.respondWith(cachedOr(request, address))
})

async function cacheAll(): Promise<void> {
  const cache = await caches.open(cacheName)
  await cache.addAll([scope, ...addresses])
  await self.skipWaiting()
}

async function takeOver(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix) && name !== cacheName) await caches.delete(name)
  }
  await self.clients.claim()
}

/** Tries the network first: it may have a newer build, whose files have other names. */
async function pageFrom(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    const cached = await caches.match(scope)
    if (cached === undefined) throw error
    return cached
  }
}

async function cachedOr(request: Request, address: string): Promise<Response> {
  const cached = await caches.match(address)
  if (cached === undefined) return fetch(request)
  const origin = new URL(request.url).searchParams.get('connect')
  return origin === null ? cached : withPolicyFor(origin, cached)
}

/** A worker that talks to a model or a git server may connect to the origin in its address and to nothing else, as if the server had sent it. */
function withPolicyFor(origin: string, { body, headers: sent }: Response): Response {
  const headers = new Headers(sent)
  const { origin: allowed } = new URL(origin)
  if (!/[;,*'\s]/.test(allowed)) {
    headers.set('content-security-policy', `default-src 'none'; script-src 'self'; connect-src ${allowed}`)
  }
  return new Response(body, { headers })
}
