/** The part of a service worker that passes requests for some paths to the pages that serve them. */
import { type Fetch, fetchThroughPort } from './http-over-port.js'
import { isMessage, type ServiceWorkerMessage } from './service-worker-messages.js'

declare const self: ServiceWorkerGlobalScope

/** How long a page may take to offer a port, after the browser has restarted this worker and its ports are lost. */
const offerMs = 3000
/** A longer request is not one in which a client introduces itself. */
const maxIntroductionBytes = 20_000

interface Connection {
  fetch: Fetch
  id: string
  /** The page that serves the files. */
  page: Pick<Client, 'postMessage'> | null
}

/** Passes requests for the paths to the page that has offered to serve them; other requests are untouched. */
export function relayRequests(isServed: (path: string) => boolean): void {
  const connections = new Map<string, Connection>()
  const waiting = new Set<() => void>()
  /** Who has introduced themselves, by the page or worker that they are in. */
  const clients = new Map<string, ClientInfo>()

  self.addEventListener('message', ({ data, source, ports: [port] }) => {
    if (!isMessage(data) || !isServed(data.path)) return
    const { path } = data
    if (data.polyfs === 'offer' && port !== undefined) {
      const { id } = data
      connections.set(path, { id, fetch: fetchThroughPort(port, () => drop(path, id)), page: source })
      for (const go of waiting) go()
    } else if (data.polyfs === 'withdraw') drop(path, data.id)
  })

  self.addEventListener('fetch', (event) => {
    const { pathname, origin } = new URL(event.request.url)
    if (origin === self.location.origin && isServed(pathname)) event.respondWith(answer(pathname, event))
  })

  function drop(path: string, id: string): void {
    if (connections.get(path)?.id === id) connections.delete(path)
  }

  async function answer(path: string, { request, clientId }: FetchEvent): Promise<Response> {
    // Pages of other sites can't get here; this also rejects frames of other origins in a page of this site.
    if ((request.headers.get('origin') ?? self.location.origin) !== self.location.origin)
      return refusal(403, 'foreign origin')
    if (!connections.has(path)) await askPages(path)
    const connection = connections.get(path)
    if (connection === undefined) return refusal(503, 'No open page serves files here. Open the page, and try again.')
    void introduce(path, clientId, request.clone(), connection).catch(() => {})
    return connection.fetch(request).catch((error: Error) => refusal(502, error.message))
  }

  async function askPages(path: string): Promise<void> {
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
  }

  /** Tells the page that serves the files who asks. */
  async function introduce(path: string, from: string, request: Request, { page }: Connection): Promise<void> {
    const own = request.method === 'POST' ? introductionIn(await request.text()) : undefined
    if (own !== undefined) clients.set(from, own)
    const client = clients.get(from)
    if (client) page?.postMessage({ polyfs: 'client', path, from, ...client } satisfies ServiceWorkerMessage)
  }
}

interface ClientInfo {
  name: string
  version?: string
}

/** What a client says about itself: in `initialize`, or with each request in revisions that have none. */
function introductionIn(body: string): ClientInfo | undefined {
  if (body.length > maxIntroductionBytes) return undefined
  const { params } = JSON.parse(body) as { params?: { clientInfo?: unknown; _meta?: Record<string, unknown> } }
  const given = params?.clientInfo ?? params?._meta?.['io.modelcontextprotocol/clientInfo']
  const { name, version } = (given ?? {}) as Record<string, unknown>
  if (typeof name !== 'string') return undefined
  return { name, ...(typeof version === 'string' && { version }) }
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }, { status })
}
