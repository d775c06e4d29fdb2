/** The address of this tab: the page's service worker passes requests to the files that are open. */
import type { ServiceWorkerClient, ServiceWorkerEndpoint } from '../../web/endpoint/service-worker-client.js'
import type { App } from '../page/app.js'
import { offlineWorker } from '../page/offline.js'
import { tabPath } from '../page/tab-path.js'

export interface TabEndpoint {
  readonly url: string
  close(): void
}

const key = 'polyfs-tab'

/** Answers at the address of this tab, for the workspace that is open now. Undefined where the page has no service worker. */
export async function openTabEndpoint(
  app: App,
  onClient: (client: ServiceWorkerClient) => void,
): Promise<TabEndpoint | undefined> {
  const registration = await offlineWorker()
  if (registration === undefined) return undefined
  const path = tabPath(registration.scope, tabId())
  const { files } = app.workspace
  const endpoint: ServiceWorkerEndpoint = await files.serviceWorker(path, {
    registration,
    dialect: app.dialect,
    onClient,
  })
  sessionStorage.setItem(key, tabId())
  return endpoint
}

export function forgetTabEndpoint(): void {
  sessionStorage.removeItem(key)
}

let id: string | undefined

/** A reload keeps the address. A copy of the tab, which has the same storage, gets another. */
function tabId(): string {
  id ??= reloadedId() ?? crypto.randomUUID().replaceAll('-', '').slice(0, 12)
  return id
}

function reloadedId(): string | undefined {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (navigation?.type !== 'reload') return undefined
  return sessionStorage.getItem(key) ?? undefined
}
