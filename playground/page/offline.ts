/** The page's service worker. Only a production build has one. */

/** Caches the page, so that it opens without a network next time. */
export async function cacheForOffline(): Promise<void> {
  await offlineWorker()
}

/** Undefined where there is none: some sites and private windows allow no service worker. The page still works while there is a network. */
export async function offlineWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!import.meta.env.PROD || !isSecureContext || navigator.serviceWorker === undefined) return undefined
  return navigator.serviceWorker.register('./offline-worker.js').catch(() => undefined)
}
