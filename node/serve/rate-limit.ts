export interface RateLimit {
  /** Seconds to wait before the next request is taken; undefined when this one is. */
  take(client: string): number | undefined
}

/** So many requests a second from each client, and twice as many at once after a pause. */
export function rateLimit(perSecond: number, now: () => number = Date.now): RateLimit {
  const burst = 2 * perSecond
  const clients = new Map<string, { tokens: number; atMs: number }>()
  return {
    take(client) {
      const at = now()
      const seen = clients.get(client) ?? { tokens: burst, atMs: at }
      const tokens = Math.min(burst, seen.tokens + ((at - seen.atMs) / 1000) * perSecond)
      const isTaken = tokens >= 1
      // Whoever was here last stands last, so that the first are those to forget.
      clients.delete(client)
      clients.set(client, { tokens: isTaken ? tokens - 1 : tokens, atMs: at })
      if (clients.size > mostClients) clients.delete(clients.keys().next().value ?? client)
      return isTaken ? undefined : Math.ceil((1 - tokens) / perSecond)
    },
  }
}

const mostClients = 10_000
