import { expect, test } from 'vitest'
import { eventBudget, eventStore } from '../../../src/mcp/http/event-store.js'

type Store = ReturnType<typeof eventStore>

function answer(id: number, text = 'ok') {
  return { jsonrpc: '2.0' as const, id, result: { content: [{ type: 'text', text }] } }
}

const progress = {
  jsonrpc: '2.0' as const,
  method: 'notifications/progress',
  params: { progressToken: 1, progress: 1 },
}

/** The SDK's first event of a stream: an id without a message. */
function prime(store: Store, stream: string): Promise<string> {
  return store.storeEvent(stream, {} as typeof progress)
}

async function after(store: Store, eventId: string): Promise<unknown[]> {
  const sent: unknown[] = []
  await store.replayEventsAfter(eventId, {
    send: async (_id, message) => {
      sent.push(message)
    },
  })
  return sent
}

test('events after the given one are replayed, without those of other streams', async () => {
  const store = eventStore()
  const start = await prime(store, 'one')
  await store.storeEvent('two', answer(2))
  const seen = await store.storeEvent('one', progress)
  await store.storeEvent('one', answer(1))
  expect(await after(store, start)).toEqual([progress, answer(1)])
  expect(await after(store, seen)).toEqual([answer(1)])
  expect(await store.getStreamIdForEventId?.(seen)).toBe('one')
})

test('an unknown id replays nothing', async () => {
  const store = eventStore()
  await prime(store, 'one')
  expect(await store.getStreamIdForEventId?.('three.1')).toBeUndefined()
  expect(await store.getStreamIdForEventId?.('')).toBeUndefined()
  expect(await after(store, 'three.1')).toEqual([])
})

test('beyond the limits answered streams are dropped, the oldest first, and no unanswered one', async () => {
  const store = eventStore({ maxWeight: 9000, maxStreams: 3 })
  const pending = await prime(store, 'pending')
  const starts = new Map<string, string>()
  for (const [at, name] of ['a', 'b', 'c'].entries()) {
    starts.set(name, await prime(store, name))
    await store.storeEvent(name, answer(at))
  }
  const known = await Promise.all([...starts.values(), pending].map((id) => store.getStreamIdForEventId?.(id)))
  expect(known).toEqual([undefined, 'b', 'c', 'pending'])
  await store.storeEvent('pending', answer(9, 'x'.repeat(700)))
  expect(await after(store, pending)).toEqual([answer(9, 'x'.repeat(700))])
})

test('a response larger than the limit is not stored', async () => {
  const store = eventStore({ maxWeight: 1000 })
  const start = await prime(store, 'one')
  await store.storeEvent('one', answer(1, 'x'.repeat(2000)))
  expect(await store.getStreamIdForEventId?.(start)).toBeUndefined()
})

test('beyond the limit of streams unanswered ones are dropped too', async () => {
  const store = eventStore({ maxStreams: 3 })
  const starts = []
  for (const name of ['a', 'b', 'c', 'd']) starts.push(await prime(store, name))
  expect(await Promise.all(starts.map((id) => store.getStreamIdForEventId?.(id)))).toEqual([undefined, 'b', 'c', 'd'])
})

test('sessions share a budget: the largest store drops first', async () => {
  const budget = eventBudget(100_000)
  const [quiet, busy] = [eventStore({ budget }), eventStore({ budget })]
  const start = await prime(quiet, 'once')
  await quiet.storeEvent('once', answer(1))
  const starts = []
  for (let i = 0; i < 30; i += 1) {
    starts.push(await prime(busy, `${i}`))
    await busy.storeEvent(`${i}`, answer(i, 'x'.repeat(20_000)))
  }
  expect(await after(quiet, start)).toEqual([answer(1)])
  const known = await Promise.all(starts.map((id) => busy.getStreamIdForEventId?.(id)))
  expect(known.filter((name) => name !== undefined)).toEqual(['26', '27', '28', '29'])
  busy.clear()
  await quiet.storeEvent('large', answer(2, 'y'.repeat(90_000)))
  expect(await after(quiet, start)).toEqual([answer(1)])
})
