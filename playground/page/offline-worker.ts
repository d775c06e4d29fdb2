/** The service worker that keeps the files of this build, so that the page opens without a network. It touches nothing else of the site. */
declare const self: ServiceWorkerGlobalScope

/** Put in front of this script when the page is built. The version is that of the names, which change with what is in the files. */
declare const build: { version: string; files: string[] }

const scope = self.registration.scope
const prefix = `polyfs-playground ${scope} `
const cacheName = prefix + build.version
const addresses = new Set(build.files.map((file) => new URL(file, scope).href))

self.addEventListener('install', (event) => event.waitUntil(keepAll()))
self.addEventListener('activate', (event) => event.waitUntil(takeOver()))
self.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method !== 'GET') return
  const address = request.url.replace(/[?#].*$/s, '')
  if (request.mode === 'navigate' && (address === scope || address === `${scope}index.html`)) {
    event.respondWith(pageFrom(request))
  } else if (addresses.has(address)) event.respondWith(keptOr(request, address))
})

async function keepAll(): Promise<void> {
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

/** The network first: it may have a newer build, whose files have other names. */
async function pageFrom(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    const kept = await caches.match(scope)
    if (kept === undefined) throw error
    return kept
  }
}

async function keptOr(request: Request, address: string): Promise<Response> {
  return (await caches.match(address)) ?? fetch(request)
}

export {}
