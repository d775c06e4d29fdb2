/** Caches the page, so that it opens without a network next time. Only a production build can be cached. */
export async function cacheForOffline(): Promise<void> {
  if (!import.meta.env.PROD || !isSecureContext || navigator.serviceWorker === undefined) return
  try {
    await navigator.serviceWorker.register('./offline-worker.js')
  } catch {
    // Some sites and private windows allow no service worker. The page still works while there is a network.
  }
}
