import { expect, test } from 'vitest'
import { eventRoom, sentEvents } from '../../../src/mcp/http/event-store.js'

type Store = ReturnType<typeof sentEvents>

function answer(id: number, text = 'ok') {
  return { jsonrpc: '2.0' as const, id, result: { content: [{ type: 'text', text }] } }
}

const progress = {
  jsonrpc: '2.0' as const,
  method: 'notifications/progress',
  params: { progressToken: 1, progress: 1 },
}

/** As the SDK does it: no message, but an id. */
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

test('what came after an event is sent again, and nothing of other streams', async () => {
  const store = sentEvents()
  const start = await prime(store, 'one')
  await store.storeEvent('two', answer(2))
  const told = await store.storeEvent('one', progress)
  await store.storeEvent('one', answer(1))
  expect(await after(store, start)).toEqual([progress, answer(1)])
  expect(await after(store, told)).toEqual([answer(1)])
  expect(await store.getStreamIdForEventId?.(told)).toBe('one')
})

test('an id that was never given leads nowhere', async () => {
  const store = sentEvents()
  await prime(store, 'one')
  expect(await store.getStreamIdForEventId?.('three.1')).toBeUndefined()
  expect(await store.getStreamIdForEventId?.('')).toBeUndefined()
  expect(await after(store, 'three.1')).toEqual([])
})

test('beyond the limits answered streams are forgotten, the oldest first, and never one that waits', async () => {
  const store = sentEvents({ maxWeight: 9000, maxStreams: 3 })
  const waiting = await prime(store, 'waits')
  const starts = new Map<string, string>()
  for (const [at, name] of ['a', 'b', 'c'].entries()) {
    starts.set(name, await prime(store, name))
    await store.storeEvent(name, answer(at))
  }
  const known = await Promise.all([...starts.values(), waiting].map((id) => store.getStreamIdForEventId?.(id)))
  expect(known).toEqual([undefined, 'b', 'c', 'waits'])
  await store.storeEvent('waits', answer(9, 'x'.repeat(700)))
  expect(await after(store, waiting)).toEqual([answer(9, 'x'.repeat(700))])
})

test('an answer larger than all that is kept is not kept', async () => {
  const store = sentEvents({ maxWeight: 1000 })
  const start = await prime(store, 'one')
  await store.storeEvent('one', answer(1, 'x'.repeat(2000)))
  expect(await store.getStreamIdForEventId?.(start)).toBeUndefined()
})

test('a stream that is never answered is forgotten too when there are too many', async () => {
  const store = sentEvents({ maxStreams: 3 })
  const starts = []
  for (const name of ['a', 'b', 'c', 'd']) starts.push(await prime(store, name))
  expect(await Promise.all(starts.map((id) => store.getStreamIdForEventId?.(id)))).toEqual([undefined, 'b', 'c', 'd'])
})

test('sessions share the room there is: the one that remembers most forgets first', async () => {
  const room = eventRoom(100_000)
  const [quiet, busy] = [sentEvents({ room }), sentEvents({ room })]
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
  busy.forgetAll()
  await quiet.storeEvent('large', answer(2, 'y'.repeat(90_000)))
  expect(await after(quiet, start)).toEqual([answer(1)])
})
