/** Requests that no client sends, and clients that stop: each gets an answer or is cut off, and its connection is closed. */
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type Exchange, type GuardedServerOptions, guardedServer } from '../../../node/serve/guarded-server.js'
import { requestTarget } from '../../../node/serve/request-target.js'
import { uiSite } from '../ui/ui-site.js'
import '../../repeatable.js'

const malformed = [
  '//',
  '///',
  '//host/path',
  '/\\host',
  '*',
  'path',
  'http://127.0.0.1/healthz',
  '?',
  '%2f',
  '//?ui',
  '//ui/socket',
]

const upgrade =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

interface Raw {
  socket: Socket
  answer(): string
  /** Fulfilled when the server takes nothing more, though this side has not closed. */
  closed: Promise<void>
}

/** A client that never closes its side. */
function raw(origin: string, bytes: string): Raw {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.write(bytes)
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => {})
    socket.once('close', () => resolve())
    // What is written after the end of the answer finds nobody.
    socket.once('end', () => {
      const writing = setInterval(() => socket.write('x'), 10)
      socket.once('close', () => clearInterval(writing))
    })
  })
  onTestFinished(() => void socket.destroy())
  return { socket, answer: () => answer, closed }
}

function request(origin: string, target: string, headers = ''): string {
  return `GET ${target} HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n${headers}\r\n`
}

async function server(
  options: Partial<GuardedServerOptions> = {},
  respond = async (_: Exchange) => new Response('yes'),
) {
  const faults: unknown[] = []
  const made = await guardedServer({ onFault: (fault) => faults.push(fault), ...options }, respond)
  onTestFinished(() => made.close())
  return { ...made, faults }
}

test('what is not a path is refused and the connection closed, with and without an upgrade', async () => {
  const site = await uiSite()
  const plain = await server()
  for (const target of malformed) {
    for (const headers of ['', upgrade]) {
      for (const { origin } of [site, plain]) {
        const sent = raw(origin, request(origin, target, headers))
        await sent.closed
        expect(sent.answer(), `${target} ${headers}`).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
      }
    }
  }
  expect([...site.faults, ...plain.faults]).toEqual([])
  expect((await fetch(`${site.origin}/healthz`)).status).toBe(200)
})

test('a refused upgrade does not keep its connection', async () => {
  const { origin } = await uiSite()
  for (const target of ['/', '/ui/socket', '/ui/member', '/mcp']) {
    const sent = raw(origin, request(origin, target, upgrade))
    await sent.closed
    expect(sent.answer(), target).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
  }
})

test('every target that is accepted is a path on this server, as URLs are read too', () => {
  const characters = fc.constantFrom(
    '/',
    '\\',
    '?',
    '#',
    '@',
    ':',
    '.',
    '%',
    '2',
    'f',
    'a',
    '*',
    '&',
    '=',
    '[',
    ']',
    '~',
  )
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 12 }), (given) => {
      const target = requestTarget(given)
      const isOwn =
        given.startsWith('/') && URL.canParse(given, 'http://own') && new URL(given, 'http://own').host === 'own'
      if (target === undefined) expect(isOwn && !/^\/[/\\]/.test(given)).toBe(false)
      else {
        expect(isOwn).toBe(true)
        expect(given.startsWith(target.pathname)).toBe(true)
      }
    }),
    { numRuns: 5000 },
  )
})

test('a connection that sends no head, or half of one, is closed', async () => {
  const { origin } = await server({ slowHeadMs: 200 })
  for (const bytes of ['', 'GET / HT', `GET / HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nX-Slow: `]) {
    await raw(origin, bytes).closed
  }
})

test('a client that reads nothing of its answer is cut off, and one whose answer takes long is not', async () => {
  let answerLate = (_: Response) => {}
  const late = new Promise<Response>((resolve) => {
    answerLate = resolve
  })
  const begun: string[] = []
  // Its signal is heard only while it is held.
  const held: Request[] = []
  let cutOff = () => {}
  const isCutOff = new Promise<void>((resolve) => {
    cutOff = resolve
  })
  const { origin } = await server({ unreadMs: 300 }, async ({ pathname, request }) => {
    begun.push(pathname)
    if (pathname === '/late') return late
    const asked = request()
    held.push(asked)
    asked.signal.addEventListener('abort', cutOff)
    return new Response('x'.repeat(64 * 1024 * 1024))
  })
  const waiting = raw(origin, request(origin, '/late', 'Connection: close\r\n'))
  await expect.poll(() => begun).toEqual(['/late'])
  raw(origin, request(origin, '/large')).socket.pause()
  await isCutOff
  answerLate(new Response('late'))
  await waiting.closed
  expect(waiting.answer()).toContain('\r\nlate\r\n')
})
