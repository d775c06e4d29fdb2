import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connectSocket, Refused } from '../../../node/ui/sockets.js'
import { uiProtocol } from '../../../src/engine/ui-protocol.js'

/** A server that answers the handshake and sends these bytes in the same packet. */
async function hastyServer(answer: (key: string) => Buffer): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (head) => {
      const key = /sec-websocket-key: (.*)\r/i.exec(head.toString('latin1'))?.[1] ?? ''
      socket.write(answer(key))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/ui/member`
}

function handshake(key: string): Buffer {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const lines = [
    '101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
  ]
  return Buffer.from(`HTTP/1.1 ${lines.join('\r\n')}\r\nSec-WebSocket-Protocol: ${uiProtocol.name}\r\n\r\n`)
}

function textFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)])
}

test('messages that come with the handshake are not lost, and keep their order', async () => {
  const url = await hastyServer((key) => Buffer.concat([handshake(key), textFrame('one'), textFrame('two')]))
  const socket = await connectSocket(url, 'key', 60_000)
  // However long nobody listens.
  await new Promise((resolve) => setImmediate(resolve))
  const got: string[] = []
  socket.onMessage((data) => void got.push(Buffer.from(data).toString()))
  expect(got).toEqual(['one', 'two'])
  socket.close()
})

test('a server that belongs to no page refuses with its status', async () => {
  const url = await hastyServer(() => Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'))
  const refused = await connectSocket(url, 'key', 60_000).catch((error) => error)
  expect(refused).toBeInstanceOf(Refused)
  expect(refused).toMatchObject({ status: 404 })
})
