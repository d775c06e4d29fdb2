import type { EventStore } from '@modelcontextprotocol/server'

type Message = Parameters<EventStore['storeEvent']>[1]

interface Stream {
  events: { id: string; message: Message; weight: number }[]
  /** An answer was sent on it, so that nobody may ever ask for it again. */
  isAnswered: boolean
}

export interface SentEventsOptions {
  /** Roughly, in characters, of all that is kept. */
  maxWeight?: number
  maxStreams?: number
}

/**
 * What was sent to a session lately, so that a client whose connection broke gets the rest over another. Beyond the limits the oldest answered
 * streams are forgotten first; those that still wait for an answer lose what they told of until then.
 */
export function sentEvents({ maxWeight = 8_000_000, maxStreams = 500 }: SentEventsOptions = {}): EventStore {
  const streams = new Map<string, Stream>()
  let total = 0
  let count = 0

  function forget(name: string, stream: Stream): void {
    for (const { weight } of stream.events) total -= weight
    stream.events = []
    if (stream.isAnswered) streams.delete(name)
  }

  function makeRoom(): void {
    for (const isAnswered of [true, false]) {
      for (const [name, stream] of streams) {
        if (total <= maxWeight && streams.size <= maxStreams) return
        if (stream.isAnswered === isAnswered) forget(name, stream)
      }
    }
  }

  const streamOf = (eventId: string) => eventId.slice(0, eventId.lastIndexOf('.'))

  return {
    async storeEvent(name, message) {
      const stream = streams.get(name) ?? { events: [], isAnswered: false }
      streams.set(name, stream)
      count += 1
      const id = `${name}.${count}`
      const weight = weigh(message)
      stream.events.push({ id, message, weight })
      stream.isAnswered ||= 'result' in message || 'error' in message
      total += weight
      makeRoom()
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
  }
}

function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  return Object.values(value).reduce((sum: number, each) => sum + weigh(each), 16)
}
