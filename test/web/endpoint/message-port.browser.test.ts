import { expect, test } from 'vitest'
import { type JsonRpcMessage, MessagePortTransport } from '../../../web/endpoint/message-port.js'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const

/** One end as a transport that records its events, the other as a bare port. */
function connection() {
  const { port1, port2 } = new MessageChannel()
  const transport = new MessagePortTransport(port1)
  const events: unknown[] = []
  transport.onmessage = (message) => events.push(message)
  transport.onerror = ({ message }) => events.push(message)
  transport.onclose = () => events.push('closed')
  return { transport, events, port: port2, local: port1 }
}

test('one message is one JSON-RPC object', async () => {
  const { transport, port } = connection()
  await transport.start()
  const received = new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(data)
  })
  await transport.send(ping)
  expect(await received).toEqual(ping)
})

test('messages that arrive before the start are delivered after it, in order', async () => {
  const { transport, events, port } = connection()
  port.postMessage(ping)
  port.postMessage({ ...ping, id: 2 })
  port.postMessage(null)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(events).toEqual([])
  await transport.start()
  await transport.closed
  expect(events).toEqual([ping, { ...ping, id: 2 }, 'closed'])
})

test('null closes both ends, and each reports it once', async () => {
  const { port1, port2 } = new MessageChannel()
  const ends = [new MessagePortTransport(port1), new MessagePortTransport(port2)] as const
  const closed: number[] = []
  for (const [index, end] of ends.entries()) {
    end.onclose = () => closed.push(index)
    await end.start()
  }
  await ends[0].close()
  await ends[1].closed
  await ends[1].close()
  await ends[0].close()
  expect(closed).toEqual([0, 1])
})

test('a message that can’t be read ends the connection', async () => {
  const { transport, events, local } = connection()
  await transport.start()
  local.dispatchEvent(new MessageEvent('messageerror'))
  await transport.closed
  expect(events).toEqual(['A message could not be read', 'closed'])
})

test('a value that is not a JSON-RPC message is reported and ignored', async () => {
  const { transport, events, port } = connection()
  await transport.start()
  for (const data of ['{"jsonrpc":"2.0"}', 7, undefined, {}, { jsonrpc: '1.0' }, [ping], ping, null])
    port.postMessage(data)
  await transport.closed
  expect(events).toEqual([...Array(6).fill('Not a JSON-RPC message'), ping, 'closed'])
})

test('nothing can be sent before the start or after the end', async () => {
  const { transport } = connection()
  await expect(transport.send(ping)).rejects.toThrow('The transport is not started')
  await transport.start()
  await expect(transport.start()).rejects.toThrow('The transport is open already')
  await transport.close()
  await expect(transport.send(ping)).rejects.toThrow('The transport is closed')
})

test('a message that can’t be cloned fails in the sender and leaves the connection open', async () => {
  const { transport, events } = connection()
  await transport.start()
  const message = { ...ping, params: { callback: () => {} } } as JsonRpcMessage
  await expect(transport.send(message)).rejects.toMatchObject({ name: 'DataCloneError' })
  await transport.send(ping)
  expect(events).toEqual([])
})

test('a port that the browser reports as closed ends the connection', async () => {
  const { transport, events, local } = connection()
  await transport.start()
  local.dispatchEvent(new Event('close'))
  await transport.closed
  expect(events).toEqual(['closed'])
})
