/**
 * The script of a service worker that gives a page's files an HTTP address, for agents that take nothing else. It has no files: it passes
 * requests to the page that serves them. `?path=` in its own address names the path it intercepts; other requests are untouched.
 */
import { type Fetch, fetchThroughPort } from './http-over-port.js'
import { isAbout, type ServiceWorkerMessage } from './service-worker-messages.js'

declare const self: ServiceWorkerGlobalScope

const path = new URL(self.location.href).searchParams.get('path') ?? '/mcp'
/** How long a page may take to offer a port, after the browser has restarted this worker and its ports are lost. */
const offerMs = 3000

let connection: { fetch: Fetch; id: string } | undefined
const waiting = new Set<() => void>()

self.addEventListener('install', () => void self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('message', ({ data, ports: [port] }) => {
  if (!isAbout(path, data)) return
  if (data.polyfs === 'offer' && port !== undefined) {
    const { id } = data
    connection = { id, fetch: fetchThroughPort(port, () => drop(id)) }
    for (const go of waiting) go()
  } else if (data.polyfs === 'withdraw') drop(data.id)
})

function drop(id: string): void {
  if (connection?.id === id) connection = undefined
}

self.addEventListener('fetch', (event) => {
  const { pathname, origin } = new URL(event.request.url)
  if (origin === self.location.origin && pathname === path) event.respondWith(answer(event.request))
})

async function answer(request: Request): Promise<Response> {
  // Pages of other sites can't get here; this also rejects frames of other origins in a page of this site.
  if ((request.headers.get('origin') ?? self.location.origin) !== self.location.origin)
    return refusal(403, 'foreign origin')
  connection ??= await askPages()
  if (connection === undefined) return refusal(503, 'No open page serves files here. Open the page, and try again.')
  return connection.fetch(request).catch((error: Error) => refusal(502, error.message))
}

async function askPages(): Promise<typeof connection> {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  for (const page of pages) page.postMessage({ polyfs: 'ask', path } satisfies ServiceWorkerMessage)
  await new Promise<void>((resolve) => {
    const timer = setTimeout(go, offerMs)
    function go(): void {
      clearTimeout(timer)
      waiting.delete(go)
      resolve()
    }
    waiting.add(go)
  })
  return connection
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }, { status })
}
