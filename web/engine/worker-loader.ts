/**
 * Loads what a worker does, and hands it the messages that arrive meanwhile. The entry of a worker has nothing that another module could
 * import: bundlers let chunks import from an entry, and WebKit then runs the entry again, as a second worker in the same thread.
 */
export function loadWorker(load: () => Promise<{ start(): void }>): void {
  const scope = globalThis as unknown as DedicatedWorkerGlobalScope
  const early: MessageEvent[] = []
  const keep = (event: MessageEvent) => void early.push(event)
  scope.addEventListener('message', keep)
  load().then(({ start }) => {
    scope.removeEventListener('message', keep)
    start()
    for (const { data, ports } of early) scope.dispatchEvent(new MessageEvent('message', { data, ports: [...ports] }))
  }, reportError)
}
