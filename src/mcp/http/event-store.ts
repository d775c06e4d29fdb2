import type { EventStore } from '@modelcontextprotocol/server'

type Message = Parameters<EventStore['storeEvent']>[1]

interface Stream {
  events: { id: string; message: Message; weight: number }[]
  /** An answer was sent on it, so that nobody may ever ask for it again. */
  isAnswered: boolean
}

/** What sessions remember of what they sent, all together. */
export interface EventRoom {
  join(session: RememberingSession): void
  leave(session: RememberingSession): void
  /** The session that remembers most forgets what it sent first, until all of it fits. */
  makeRoom(): void
}

interface RememberingSession {
  weight(): number
  forgetOldest(): void
}

/** Roughly in characters; a text takes one or two bytes for each. */
export function eventRoom(maxWeight = 24_000_000): EventRoom {
  const sessions = new Set<RememberingSession>()
  const byWeight = () => [...sessions].sort((a, b) => b.weight() - a.weight())
  const isFull = () => [...sessions].reduce((sum, each) => sum + each.weight(), 0) > maxWeight
  return {
    join: (session) => void sessions.add(session),
    leave: (session) => void sessions.delete(session),
    makeRoom() {
      while (isFull()) byWeight()[0]?.forgetOldest()
    },
  }
}

export interface SentEventsOptions {
  /** Roughly, in characters, of all that this session remembers. */
  maxWeight?: number
  maxStreams?: number
  /** Shared with other sessions. */
  room?: EventRoom
}

export interface SentEvents extends EventStore {
  /** Of a session that has ended. */
  forgetAll(): void
}

/**
 * What was sent to a session lately, so that a client whose connection broke gets the rest over another. Beyond the limits the oldest answered
 * streams are forgotten first; those that still wait for an answer lose what they told of until then.
 */
export function sentEvents({
  maxWeight = 4_000_000,
  maxStreams = 500,
  room = eventRoom(),
}: SentEventsOptions = {}): SentEvents {
  const streams = new Map<string, Stream>()
  let total = 0
  let count = 0

  function forget(name: string, stream: Stream): void {
    for (const { weight } of stream.events) total -= weight
    streams.delete(name)
  }

  function forgetOldest(): void {
    const all = [...streams]
    const [name, stream] = all.find(([, { isAnswered }]) => isAnswered) ?? all[0] ?? []
    if (name !== undefined && stream !== undefined) forget(name, stream)
  }

  const session = { weight: () => total, forgetOldest }
  room.join(session)

  const streamOf = (eventId: string) => eventId.slice(0, eventId.lastIndexOf('.'))

  return {
    async storeEvent(name, message) {
      const stream = streams.get(name) ?? { events: [], isAnswered: false }
      streams.set(name, stream)
      count += 1
      const id = `${name}.${count}`
      const weight = eventWeight + weigh(message)
      stream.events.push({ id, message, weight })
      stream.isAnswered ||= 'result' in message || 'error' in message
      total += weight
      while (total > maxWeight || streams.size > maxStreams) forgetOldest()
      room.makeRoom()
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
        // The first event of a stream says nothing: it only has an id to come back with.
        if (isLater && 'jsonrpc' in message) await send(id, message)
      }
      return name
    },

    forgetAll() {
      room.leave(session)
      streams.clear()
      total = 0
    },
  }
}

/** What an event takes beside what it says. */
const eventWeight = 1000

function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  return Object.values(value).reduce((sum: number, each) => sum + weigh(each), 16)
}
