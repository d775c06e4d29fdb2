/** What a page and the service worker in front of it say to each other, besides requests. */
export type ServiceWorkerMessage =
  /** From the worker: whoever serves these requests should send a port. */
  | { polyfs: 'ask'; path: string }
  /** From a page, with a port: requests can be sent through it. */
  | { polyfs: 'offer'; path: string; id: string }
  /** From a page that is left, and may be kept asleep: its port is of no use any more. */
  | { polyfs: 'withdraw'; path: string; id: string }

export function isAbout(path: string, data: unknown): data is ServiceWorkerMessage {
  return typeof data === 'object' && data !== null && 'polyfs' in data && 'path' in data && data.path === path
}
