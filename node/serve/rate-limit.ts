export interface RateLimit {
  /** Undefined if the request is allowed, else the seconds after which to try again. */
  take(client: string): number | undefined
}

/** Allows each client `perSecond` requests a second, with bursts of twice as many. */
export function rateLimit(perSecond: number, now: () => number = Date.now): RateLimit {
  const burst = 2 * perSecond
  const clients = new Map<string, { tokens: number; atMs: number }>()
  return {
    take(client) {
      const at = now()
      const seen = clients.get(client) ?? { tokens: burst, atMs: at }
      const tokens = Math.min(burst, seen.tokens + ((at - seen.atMs) / 1000) * perSecond)
      const isTaken = tokens >= 1
      // Inserted again at the end, so that the first entry is the least recently used.
      clients.delete(client)
      clients.set(client, { tokens: isTaken ? tokens - 1 : tokens, atMs: at })
      if (clients.size > maxClients) clients.delete(clients.keys().next().value ?? client)
      return isTaken ? undefined : Math.ceil((1 - tokens) / perSecond)
    },
  }
}

const maxClients = 10_000
