/** The clients of this server, for the pages. A client may take any number of names, so only so many are kept. */
import { randomBytes } from 'node:crypto'
import type { ClientSeen, FromMember } from '../../src/engine/ui-protocol.js'
import type { ClientInfo, Session } from '../../src/workspace/workspace.js'

export interface ClientsSeen {
  /** The id of a client that introduces itself or calls. Clients that share a session are distinguished by their names. */
  meet(client: ClientInfo, session: Session): string
  /** The clients of a session have disconnected. */
  part(session: Session): void
  /** A call of this client begins; the returned function ends it. */
  calling(id: string): () => void
  asks(id: string): boolean
  setAsks(id: string, asks: boolean): void
  all(): ClientSeen[]
}

export interface ClientsSeenOptions {
  /** The id of this server. */
  server: string
  newClientsAsk(): boolean
  tell(message: FromMember): void
}

interface Known {
  seen: ClientSeen
  /** Takes its name from its session. */
  release(): void
  isConnected: boolean
  calls: number
}

/** With more, the oldest that is not connected is forgotten. */
export const maxClients = 64

export function clientsSeen({ server, newClientsAsk, tell }: ClientsSeenOptions): ClientsSeen {
  /** Who was heard of last is the last one. */
  const clients = new Map<string, Known>()
  const ids = new WeakMap<Session, Map<string, string>>()

  function idsOf(session: Session): Map<string, string> {
    const known = ids.get(session) ?? new Map<string, string>()
    ids.set(session, known)
    return known
  }

  function change(known: Known, changes: Partial<ClientSeen>): void {
    known.seen = { ...known.seen, ...changes }
    tell({ client: known.seen })
  }

  /** Not one that the user has set to ask: it would come back as one that need not. */
  function canBeForgotten({ seen, isConnected, calls }: Known): boolean {
    return !isConnected && calls === 0 && (!seen.asks || newClientsAsk())
  }

  function forgetOldest(): void {
    const oldest = [...clients.values()].find(canBeForgotten)
    if (oldest === undefined) return
    clients.delete(oldest.seen.id)
    oldest.release()
    tell({ forgotten: oldest.seen.id })
  }

  return {
    meet(client, session) {
      const known = idsOf(session)
      const key = JSON.stringify([client.name, client.version])
      const id = known.get(key) ?? randomBytes(9).toString('base64url')
      known.set(key, id)
      const found = clients.get(id)
      if (found !== undefined) {
        found.isConnected = true
        clients.delete(id)
        clients.set(id, found)
        return id
      }
      const seen = { id, server, ...client, sinceMs: Date.now(), asks: newClientsAsk() }
      clients.set(id, { seen, release: () => void known.delete(key), isConnected: true, calls: 0 })
      tell({ client: seen })
      if (clients.size > maxClients) forgetOldest()
      return id
    },
    part(session) {
      for (const id of ids.get(session)?.values() ?? []) {
        const known = clients.get(id)
        if (known !== undefined) known.isConnected = false
      }
    },
    calling(id) {
      const known = clients.get(id)
      if (known !== undefined) known.calls += 1
      return () => {
        if (known !== undefined) known.calls -= 1
      }
    },
    asks: (id) => clients.get(id)?.seen.asks ?? newClientsAsk(),
    setAsks(id, asks) {
      const known = clients.get(id)
      if (known !== undefined && known.seen.asks !== asks) change(known, { asks })
    },
    all: () => [...clients.values()].map(({ seen }) => seen),
  }
}
