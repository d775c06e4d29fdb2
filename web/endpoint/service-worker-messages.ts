/** Messages between a page and its service worker, besides requests. */
export type ServiceWorkerMessage =
  /** From the worker: asks the page that serves this path for a port. */
  | { polyfs: 'ask'; path: string }
  /** From a page, with a port for requests. */
  | { polyfs: 'offer'; path: string; id: string }
  /** From a page that is left and may be suspended: its port is no longer usable. */
  | { polyfs: 'withdraw'; path: string; id: string }
  /** From the worker: who has sent a request; `from` is the page or worker that the client is in. */
  | { polyfs: 'client'; path: string; from: string; name: string; version?: string }

export function isMessage(data: unknown): data is ServiceWorkerMessage {
  return typeof data === 'object' && data !== null && 'polyfs' in data && 'path' in data
}

export function isAbout(path: string, data: unknown): data is ServiceWorkerMessage {
  return isMessage(data) && data.path === path
}
