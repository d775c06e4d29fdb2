import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { nodeNetwork } from '../../../node/network/node-network.js'
import { isPrivateAddress, isSameAddress } from '../../../node/network/private-addresses.js'
import type { NetworkRule } from '../../../src/network/rule.js'
import { isFull } from '../../scale.js'

const closers: Array<() => void> = []
afterAll(() => {
  for (const close of closers) close()
})

/** A server that answers with bytes as they are given. */
async function rawServer(answer: (socket: net.Socket) => void, host = '127.0.0.1'): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
    closers.push(() => socket.destroy())
  })
  closers.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

const getFrom = (origin: string, rule: Partial<NetworkRule> = {}) =>
  nodeNetwork({ allow: [origin], ...rule }).exchange({ method: 'GET', url: `${origin}/`, headers: [] })

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    'fe80::1%eth0',
    'fd00::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    'ff02::1',
  ])('%s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true)
  })

  test.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])('%s is public', (address) => {
    expect(isPrivateAddress(address)).toBe(false)
  })

  test('are the same however they are written', () => {
    expect(isSameAddress('fd00::1', 'fd00:0:0:0::1')).toBe(true)
    expect(isSameAddress('10.0.0.1', '10.0.0.2')).toBe(false)
    expect(isSameAddress('10.0.0.1', '::ffff:10.0.0.1')).toBe(false)
  })
})

describe('a connection', () => {
  const hello = (socket: net.Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')

  test('is made to an address that the rule names, and to localhost', async () => {
    const port = await rawServer(hello)
    expect(await getFrom(`http://127.0.0.1:${port}`)).toMatchObject({ answer: { status: 200 } })
    expect(await getFrom(`http://localhost:${port}`)).toMatchObject({ answer: { status: 200 } })
  })

  test('is not made where a name leads to a private network, unless the rule names the address', async () => {
    const port = await rawServer(hello)
    // A name of this machine that is not "localhost".
    const origin = `http://name.localhost:${port}`
    const plain = await getFrom(origin)
    const named = await nodeNetwork({ allow: [{ origin, addresses: ['127.0.0.1', '::1'] }] }).exchange({
      method: 'GET',
      url: origin,
      headers: [],
    })
    const code = 'failure' in plain ? plain.failure.code : ''
    // Not every resolver knows such names.
    if (code === 'UNRESOLVED') return expect(named).toMatchObject({ failure: { code: 'UNRESOLVED' } })
    expect(plain).toEqual({
      failure: {
        code: 'REFUSED',
        message: 'name.localhost is in a private network, and the rule names no address of it',
      },
    })
    expect(named).toMatchObject({ answer: { status: 200 } })
  })

  test('does not follow a redirect', async () => {
    const port = await rawServer((socket) =>
      socket.end('HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n'),
    )
    expect(await getFrom(`http://127.0.0.1:${port}`)).toMatchObject({ answer: { status: 302 } })
  })

  test('keeps headers as they came', async () => {
    const port = await rawServer((socket) => socket.end('HTTP/1.0 299 So so\r\nX-B: 1\r\nx-a: 2\r\nX-B: 3\r\n\r\nbody'))
    expect(await getFrom(`http://127.0.0.1:${port}`)).toEqual({
      answer: {
        status: 299,
        statusText: 'So so',
        httpVersion: '1.0',
        headers: [
          ['X-B', '1'],
          ['x-a', '2'],
          ['X-B', '3'],
        ],
        body: new TextEncoder().encode('body'),
      },
    })
  })
})

describe('a hostile server', () => {
  const limits = { maxAnswerBytes: 100_000, timeoutMs: isFull ? 2000 : 300 }

  test.each<[string, (socket: net.Socket) => void, string]>([
    ['sends without an end', (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(65_536)), 'TOO_LARGE'],
    [
      'sends headers without an end',
      (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'X: y\r\n'.repeat(1000)),
      'TOO_LARGE',
    ],
    [
      'sends one header without an end',
      (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nX: ', 'y'.repeat(65_536)),
      'TOO_LARGE',
    ],
    [
      'claims more than it sends',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort'),
      'BROKEN',
    ],
    ['sends no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), 'BROKEN'],
    ['ends at once', (socket) => socket.destroy(), 'BROKEN'],
    ['says nothing', () => {}, 'TIMEOUT'],
    ['drips', (socket) => drip(socket), 'TIMEOUT'],
    [
      'changes the protocol',
      (socket) => socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'BROKEN',
    ],
    [
      'answers with two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'),
      'BROKEN',
    ],
  ])('that %s is given up', async (_, answer, code) => {
    const port = await rawServer(answer)
    expect(await getFrom(`http://127.0.0.1:${port}`, limits)).toMatchObject({ failure: { code } })
  })

  function flood(socket: net.Socket, head: string, piece: string): void {
    socket.write(head)
    const more = () => {
      while (!socket.destroyed && socket.write(piece)) {}
    }
    socket.on('drain', more)
    more()
  }

  function drip(socket: net.Socket): void {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const timer = setInterval(() => socket.destroyed || socket.write('x'), 20)
    socket.on('close', () => clearInterval(timer))
  }
})

test('a server without a certificate that is known is refused', async () => {
  const server = http.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  const { port } = server.address() as AddressInfo
  expect(await getFrom(`https://127.0.0.1:${port}`)).toMatchObject({
    failure: { code: expect.stringMatching(/BROKEN|CERTIFICATE/) },
  })
})
