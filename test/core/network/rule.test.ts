import { describe, expect, test } from 'vitest'
import { openNetwork } from '../../../src/network/open-network.js'
import type { NetworkRule } from '../../../src/network/rule.js'
import { type SentRequest, type Transport, TransportError } from '../../../src/network/types.js'

/** A transport that keeps what it is given, and answers with it. */
function listening(answer: (sent: SentRequest) => AsyncIterable<Uint8Array> = () => only('answer')) {
  const sent: SentRequest[] = []
  const transport: Transport = {
    async send(request) {
      sent.push(request)
      return {
        status: 200,
        statusText: 'OK',
        headers: [['X-Sent', JSON.stringify(request.headers)]],
        body: answer(request),
      }
    },
  }
  return { sent, open: (rule: NetworkRule) => openNetwork(rule, transport) }
}

async function* only(text: string) {
  yield new TextEncoder().encode(text)
}

const get = (url: string, headers: [string, string][] = []) => ({ method: 'GET', url, headers })

describe('a rule', () => {
  const rule: NetworkRule = {
    allow: [
      'https://example.com',
      'GET,POST https://api.example.com/v1/',
      'https://api.example.com/public',
      'http://127.0.0.1:8080',
    ],
  }

  test.each([
    ['GET', 'https://example.com/any/path?q#f'],
    ['HEAD', 'https://EXAMPLE.com:443/'],
    ['POST', 'https://api.example.com/v1/x'],
    ['GET', 'https://api.example.com/public'],
    ['GET', 'https://api.example.com/public/x'],
    ['GET', 'http://127.0.0.1:8080/'],
    ['GET', 'http://0x7f.1:8080/'],
    ['GET', 'https://example.com/@scope%2fname'],
  ])('lets %s %s pass', async (method, url) => {
    const { open, sent } = listening()
    expect(await open(rule).exchange({ method, url, headers: [] })).toMatchObject({ answer: { status: 200 } })
    expect(sent).toHaveLength(1)
  })

  test.each([
    ['GET', 'http://example.com/', 'the rule does not name http://example.com'],
    ['GET', 'https://example.com:8443/', 'the rule does not name https://example.com:8443'],
    ['GET', 'https://example.com.evil.org/', 'the rule does not name https://example.com.evil.org'],
    ['GET', 'https://example.com@evil.org/', 'an address with a password is not sent'],
    ['GET', 'https://user:pw@example.com/', 'an address with a password is not sent'],
    ['GET', 'file:///etc/passwd', 'the rule does not name file:'],
    ['GET', 'not an address', 'this is no address'],
    ['POST', 'https://example.com/', 'the rule allows only GET, HEAD for https://example.com'],
    ['get', 'https://example.com/', 'the rule allows only GET, HEAD for https://example.com'],
    ['GET\r\nX: y', 'https://example.com/', 'the rule allows only GET, HEAD for https://example.com'],
    ['GET', 'https://api.example.com/', 'the rule allows other paths of https://api.example.com'],
    ['GET', 'https://api.example.com/v1', 'the rule allows other paths of https://api.example.com'],
    ['GET', 'https://api.example.com/publicity', 'the rule allows other paths of https://api.example.com'],
    ['GET', 'https://api.example.com/v1/../admin', 'the rule allows other paths of https://api.example.com'],
    ['GET', 'https://api.example.com/v1/%2e%2e/admin', 'the rule allows other paths of https://api.example.com'],
    ['GET', 'https://api.example.com/v1/..%2fadmin', 'the rule allows other paths of https://api.example.com'],
    ['GET', 'https://api.example.com/v1/..%5cadmin', 'the rule allows other paths of https://api.example.com'],
    [
      'GET',
      'https://api.example.com/v1/%252e%252e%252fadmin',
      'the rule allows other paths of https://api.example.com',
    ],
    ['GET', 'https://api.example.com/v1/..;/admin', 'the rule allows other paths of https://api.example.com'],
    ['POST', 'https://api.example.com/public', 'the rule allows only GET, HEAD for https://api.example.com'],
  ])('refuses %s %s', async (method, url, message) => {
    const { open, sent } = listening()
    expect(await open(rule).exchange({ method, url, headers: [] })).toEqual({ failure: { code: 'REFUSED', message } })
    expect(sent).toEqual([])
  })

  test.each([
    [['X: y', 'v'], 'a header has characters that can not be sent'],
    [['X', 'a\r\nY: b'], 'a header has characters that can not be sent'],
    [['X', 'a\0b'], 'a header has characters that can not be sent'],
    [['Host', 'other.example.com'], 'the header Host must be that of the address, example.com'],
    [['X', 'x'.repeat(70_000)], 'the headers have more than 65536 bytes'],
  ] as const)('refuses the header %j', async (header, message) => {
    const { open, sent } = listening()
    expect(await open(rule).exchange(get('https://example.com/', [[...header]]))).toEqual({
      failure: { code: 'REFUSED', message },
    })
    expect(sent).toEqual([])
  })

  test('leaves out what belongs to the connection', async () => {
    const { open, sent } = listening()
    await open(rule).exchange(
      get('https://example.com/', [
        ['Host', 'example.com'],
        ['Transfer-Encoding', 'chunked'],
        ['content-length', '5'],
        ['X', 'y'],
      ]),
    )
    expect(sent[0]?.headers).toEqual([['X', 'y']])
  })

  test.each([
    ['ftp://example.com', 'not an origin such as https://example.com: ftp://example.com'],
    ['example.com', "not a rule such as 'https://example.com' or 'GET,POST https://example.com/api/': example.com"],
    ['https://user:pw@example.com', 'a rule has no user name and password, use its headers'],
    [
      'TRACE https://example.com',
      'not a method that can be allowed: TRACE (there is GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS)',
    ],
    [{ origin: 'https://example.com/x' }, 'an origin has no path, use its paths: https://example.com/x'],
    [{ origin: 'https://example.com', paths: ['x'] }, 'a path begins with a slash: x'],
    [
      { origin: 'https://example.com', headers: { authorization: 'secret\n' } },
      'not a header that can be sent: authorization',
    ],
  ])('%j is none', (wrong, message) => {
    expect(() => listening().open({ allow: [wrong] })).toThrow(new TypeError(message))
  })
})

describe('secrets', () => {
  const headers = { Authorization: 'Bearer s3cret-token' }

  test('are added to requests of their origin only, in place of what the script gave', async () => {
    const { open, sent } = listening()
    const network = open({ allow: [{ origin: 'https://a.example', headers }, 'https://b.example'] })
    await network.exchange(
      get('https://a.example/', [
        ['authorization', 'mine'],
        ['X', 'y'],
      ]),
    )
    await network.exchange(get('https://b.example/', [['X', 'y']]))
    expect(sent.map((each) => each.headers)).toEqual([
      [
        ['X', 'y'],
        ['authorization', 'Bearer s3cret-token'],
      ],
      [['X', 'y']],
    ])
    expect(JSON.stringify(network.allowed)).not.toContain('s3cret')
  })

  test('are blanked where an answer repeats them, in headers and in the body, plain and decoded', async () => {
    const login = btoa('ann:passw0rd')
    const { open } = listening(({ headers }) =>
      only(`${JSON.stringify(headers)} s3cret-token ${login} ann:passw0rd passw0rd`),
    )
    const network = open({
      allow: [{ origin: 'https://a.example', headers: { ...headers, 'x-login': `Basic ${login}` } }],
    })
    const outcome = await network.exchange(get('https://a.example/'))
    const text =
      'answer' in outcome ? JSON.stringify(outcome.answer.headers) + new TextDecoder().decode(outcome.answer.body) : ''
    expect(text).toContain('*******')
    for (const secret of ['s3cret', login, 'passw0rd']) expect(text).not.toContain(secret)
  })

  test('are not in failures', async () => {
    const transport: Transport = {
      send: ({ headers }) => Promise.reject(new Error(`could not send ${JSON.stringify(headers)}`)),
    }
    const network = openNetwork({ allow: [{ origin: 'https://a.example', headers }] }, transport)
    expect(await network.exchange(get('https://a.example/'))).toEqual({
      failure: { code: 'BROKEN', message: 'the exchange failed' },
    })
  })
})

describe('bounds', () => {
  async function* endless() {
    for (;;) yield new Uint8Array(1000)
  }

  test('an endless answer ends at the limit', async () => {
    const { open } = listening(endless)
    const network = open({ allow: ['https://a.example'], maxAnswerBytes: 10_000 })
    expect(await network.exchange(get('https://a.example/'))).toEqual({
      failure: { code: 'TOO_LARGE', message: 'the answer has more than 10000 bytes' },
    })
  })

  test('a request that is too large is not sent', async () => {
    const { open, sent } = listening()
    const network = open({ allow: ['POST https://a.example'], maxRequestBytes: 10 })
    const request = { method: 'POST', url: 'https://a.example/', headers: [], body: new Uint8Array(11) }
    expect(await network.exchange(request)).toEqual({
      failure: { code: 'REFUSED', message: 'the request has more than 10 bytes' },
    })
    expect(sent).toEqual([])
  })

  test('a server that never answers ends at the time of the request, and at that of the rule', async () => {
    const transport: Transport = { send: () => new Promise(() => {}) }
    const network = openNetwork({ allow: ['https://a.example'], timeoutMs: 30 }, transport)
    const late = (ms: number) => ({ failure: { code: 'TIMEOUT', message: `no whole answer after ${ms} ms` } })
    expect(await network.exchange(get('https://a.example/'))).toEqual(late(30))
    expect(await network.exchange({ ...get('https://a.example/'), timeoutMs: 10 })).toEqual(late(10))
    expect(await network.exchange({ ...get('https://a.example/'), timeoutMs: 1e9 })).toEqual(late(30))
  })

  test('a request that is given up ends at once', async () => {
    const transport: Transport = { send: () => new Promise(() => {}) }
    const network = openNetwork({ allow: ['https://a.example'] }, transport)
    const stopper = new AbortController()
    const running = network.exchange(get('https://a.example/'), { signal: stopper.signal })
    stopper.abort()
    expect(await running).toEqual({ failure: { code: 'BROKEN', message: 'the command has ended' } })
  })

  test('only some requests run at once, and all are answered', async () => {
    let running = 0
    let most = 0
    const transport: Transport = {
      async send() {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 1))
        running -= 1
        throw new TransportError('UNREACHABLE', 'no')
      },
    }
    const network = openNetwork({ allow: ['https://a.example'] }, transport)
    const all = await Promise.all(Array.from({ length: 50 }, () => network.exchange(get('https://a.example/'))))
    expect([most, all.filter((one) => 'failure' in one && one.failure.code === 'UNREACHABLE').length]).toEqual([16, 50])
  })
})
