/** Has the browser keep the page, so that it opens without a network next time. Only what was built can be kept. */
export async function keepForOffline(): Promise<void> {
  if (!import.meta.env.PROD || !isSecureContext || navigator.serviceWorker === undefined) return
  try {
    await navigator.serviceWorker.register('./offline-worker.js')
  } catch {
    // Some sites and private windows allow no service worker; the page works all the same, as long as there is a network.
  }
}
