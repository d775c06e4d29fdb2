/** Recently sent events of a session, so that a client whose connection broke can fetch the rest over a new one. */
import type { EventStore } from '@modelcontextprotocol/server'

type Message = Parameters<EventStore['storeEvent']>[1]

interface Stream {
  events: { id: string; message: Message; weight: number }[]
  /** Its response was sent, so the client most likely never resumes it. */
  isAnswered: boolean
}

/** The limit of all sessions' stored events together. */
export interface EventBudget {
  add(store: BudgetedStore): void
  remove(store: BudgetedStore): void
  /** Drops the oldest stream of the largest store until all of them fit. */
  enforce(): void
}

interface BudgetedStore {
  weight(): number
  dropOldest(): void
}

/** `maxWeight` is roughly in characters of one or two bytes each. */
export function eventBudget(maxWeight = 24_000_000): EventBudget {
  const stores = new Set<BudgetedStore>()
  const byWeight = () => [...stores].sort((a, b) => b.weight() - a.weight())
  const isFull = () => [...stores].reduce((sum, each) => sum + each.weight(), 0) > maxWeight
  return {
    add: (store) => void stores.add(store),
    remove: (store) => void stores.delete(store),
    enforce() {
      while (isFull()) byWeight()[0]?.dropOldest()
    },
  }
}

export interface EventStoreOptions {
  /** Limit of this session's events, roughly in characters. */
  maxWeight?: number
  maxStreams?: number
  /** Shared with other sessions. */
  budget?: EventBudget
}

export interface BoundedEventStore extends EventStore {
  /** Drops everything, when the session has ended. */
  clear(): void
}

/** Beyond the limits it drops the oldest answered streams first, then the earlier events of streams that are still unanswered. */
export function eventStore({
  maxWeight = 4_000_000,
  maxStreams = 500,
  budget = eventBudget(),
}: EventStoreOptions = {}): BoundedEventStore {
  const streams = new Map<string, Stream>()
  let total = 0
  let count = 0

  function drop(name: string, stream: Stream): void {
    for (const { weight } of stream.events) total -= weight
    streams.delete(name)
  }

  function dropOldest(): void {
    const all = [...streams]
    const [name, stream] = all.find(([, { isAnswered }]) => isAnswered) ?? all[0] ?? []
    if (name !== undefined && stream !== undefined) drop(name, stream)
  }

  const store = { weight: () => total, dropOldest }
  budget.add(store)

  const streamOf = (eventId: string) => eventId.slice(0, eventId.lastIndexOf('.'))

  return {
    async storeEvent(name, message) {
      const stream = streams.get(name) ?? { events: [], isAnswered: false }
      streams.set(name, stream)
      count += 1
      const id = `${name}.${count}`
      const weight = eventWeight + weightOf(message)
      stream.events.push({ id, message, weight })
      stream.isAnswered ||= 'result' in message || 'error' in message
      total += weight
      while (total > maxWeight || streams.size > maxStreams) dropOldest()
      budget.enforce()
      return id
    },

    async getStreamIdForEventId(eventId) {
      const name = streamOf(eventId)
      return streams.has(name) ? name : undefined
    },

    async replayEventsAfter(lastEventId, { send }) {
      const name = streamOf(lastEventId)
      const seen = Number(lastEventId.slice(name.length + 1))
      for (const { id, message } of streams.get(name)?.events ?? []) {
        const isLater = Number(id.slice(name.length + 1)) > seen
        // The first event of a stream has no message, only an id to resume from.
        if (isLater && 'jsonrpc' in message) await send(id, message)
      }
      return name
    },

    clear() {
      budget.remove(store)
      streams.clear()
      total = 0
    },
  }
}

/** The overhead of an event besides its message. */
const eventWeight = 1000

function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  return Object.values(value).reduce((sum: number, each) => sum + weightOf(each), 16)
}
