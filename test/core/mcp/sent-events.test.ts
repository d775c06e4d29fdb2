import { expect, test } from 'vitest'
import { sentEvents } from '../../../src/mcp/sent-events.js'

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
  const store = sentEvents({ maxWeight: 1000, maxStreams: 3 })
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
