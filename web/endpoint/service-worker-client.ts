import type { RemoteEngine } from '../engine/remote-engine.js'
import { isAbout, type ServiceWorkerMessage } from './service-worker-messages.js'

export interface ServiceWorkerOptions {
  /** The address of `polyfs/service-worker` on this site. Its folder must be above the path. Default: `/polyfs-service-worker.js`. */
  script?: string | URL
  /** A service worker of the site's own that imports `polyfs/service-worker`, instead of `script`. */
  registration?: ServiceWorkerRegistration
  signal?: AbortSignal
  /** The dialect of its tools, if it is not the endpoint's own. */
  dialect?: string
  /** Reports each request of a client that has introduced itself. */
  onClient?: (client: ServiceWorkerClient) => void
}

/** A client that uses the address. */
export interface ServiceWorkerClient {
  name: string
  version?: string
  /** The browser's id of the page or worker that the client is in. */
  from: string
}

export interface ServiceWorkerEndpoint {
  /** The address for agents in pages of this site. Other programs can't reach it. */
  readonly url: string
  /** Stops answering. The service worker intercepts the path until it is unregistered. */
  close(): Promise<void>
}

/** Registers the service worker, and answers the requests it passes on while this page is open. */
export async function offerToServiceWorker(
  engine: Pick<RemoteEngine, 'serveHttp'>,
  path: string,
  { script = '/polyfs-service-worker.js', registration: own, signal, dialect, onClient }: ServiceWorkerOptions = {},
): Promise<ServiceWorkerEndpoint> {
  const { serviceWorker } = navigator
  if (serviceWorker === undefined) throw new Error('Service workers need a secure page: https, or localhost')
  const registration = own ?? (await register(script, path))

  const id = crypto.randomUUID()
  const ended = new AbortController()

  async function offer(worker: ServiceWorker): Promise<void> {
    const { port1, port2 } = new MessageChannel()
    await engine.serveHttp(port1, dialect === undefined ? {} : { dialect })
    worker.postMessage({ polyfs: 'offer', path, id } satisfies ServiceWorkerMessage, [port2])
  }

  function withdraw(): void {
    registration.active?.postMessage({ polyfs: 'withdraw', path, id } satisfies ServiceWorkerMessage)
  }

  serviceWorker.addEventListener(
    'message',
    ({ data, source }) => {
      if (!isAbout(path, data) || !(source instanceof ServiceWorker)) return
      if (data.polyfs === 'ask') void offer(source)
      if (data.polyfs === 'client') {
        const { name, version, from } = data
        onClient?.({ name, from, ...(version !== undefined && { version }) })
      }
    },
    ended,
  )
  serviceWorker.startMessages()
  addEventListener('pagehide', withdraw, ended)
  ended.signal.addEventListener('abort', withdraw)
  signal?.addEventListener('abort', () => ended.abort(), { once: true })

  await offer(await activated(registration))
  await controlled()
  return { url: new URL(path, location.href).href, close: async () => ended.abort() }
}

function register(script: string | URL, path: string): Promise<ServiceWorkerRegistration> {
  const address = new URL(script, location.href)
  address.searchParams.set('path', path)
  return navigator.serviceWorker.register(address, { type: 'module', updateViaCache: 'none' })
}

function activated(registration: ServiceWorkerRegistration): Promise<ServiceWorker> {
  const worker = registration.installing ?? registration.waiting ?? registration.active
  if (worker === null) throw new Error('The service worker was not registered')
  if (worker.state === 'activated') return Promise.resolve(worker)
  return new Promise((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve(worker)
      if (worker.state === 'redundant') reject(new Error('The service worker could not be installed'))
    })
  })
}

/** Resolves when the service worker controls the page; before that, the page's own requests go to the network. */
function controlled(): Promise<void> {
  const { serviceWorker } = navigator
  if (serviceWorker.controller !== null) return Promise.resolve()
  return new Promise((resolve) => {
    serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true })
  })
}
