/** One client's messages never block the others: their content, number and speed are limited. */
import { type ClientRequest, createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { chunkBuffer } from '../../../node/serve/chunk-buffer.js'
import { type HttpOptions, type HttpServer, serveHttp } from '../../../node/serve/http.js'
import { httpBodies } from '../../../node/serve/http-bodies.js'
import { lineReader } from '../../../node/serve/line-reader.js'
import { serveStdio } from '../../../node/serve/stdio.js'
import { textBuffer } from '../../../node/serve/text-buffer.js'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { longTest, scaled } from '../../scale.js'

const tooMany = 'Message with more than 50000 values: split it into several requests'
const tooDeep = 'Message nested deeper than 64 levels: send flatter arguments'
const callHead = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"write_file","arguments":'

function served() {
  return { workspace: createWorkspace({ fs: memory({ 'a.txt': 'alpha\n' }) }), dialect: clarvis }
}

describe('over stdio', () => {
  function lines(maxBytes = 1 << 20) {
    const heard: unknown[] = []
    const reader = lineReader(maxBytes, {
      onLine: (line, bytes) => heard.push({ line, bytes }),
      onRejected: (reason, id) => heard.push({ reason, id }),
    })
    return { heard, reader }
  }

  test('a message beyond the limits is rejected with its id, and the next one is served', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const server = serveStdio(served(), { input, output })
    onTestFinished(() => server.close())
    let answers = ''
    output.on('data', (chunk) => {
      answers += chunk
    })
    input.write(`${callHead}[${'{},'.repeat(60_000)}1]}}\n`)
    input.write(`{"method":"tools/call","params":{"x":${'['.repeat(65)}${']'.repeat(65)}},"jsonrpc":"2.0","id":"b"}\n`)
    input.write(
      '{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n',
    )
    await expect.poll(() => answers.split('\n').length).toBe(4)
    const [first, second, third] = answers.split('\n').map((line) => (line === '' ? line : JSON.parse(line)))
    expect([first, second]).toEqual([
      { jsonrpc: '2.0', id: 7, error: { code: -32600, message: tooMany } },
      { jsonrpc: '2.0', id: 'b', error: { code: -32600, message: tooDeep } },
    ])
    expect(third.id).toBe(9)
  })

  test('a rejection has the id only where it is unambiguous', () => {
    const deep = '['.repeat(65)
    for (const [line, id] of [
      [`{"jsonrpc":"2.0","id":1,"method":"x","params":${deep}`, 1],
      [`{"id":"a b","method":"x","params":${deep}`, 'a b'],
      [`{"method":"x","params":{"a":${deep}},"id":3}`, 3],
      [`{"jsonrpc":"2.0","method":"x","params":{"a":${deep},"id":3}}`, null],
      [`{"jsonrpc":"2.0","method":"x","params":${deep}"\\",\\"id\\":3}`, null],
      // A response to the server's own request: the id is the server's.
      [`{"jsonrpc":"2.0","id":1,"result":${deep}`, null],
      [`{"result":${deep},"id":1}`, null],
      [`{"jsonrpc":"2.0","id":1.5,"method":"x","params":${deep}`, null],
    ] as const) {
      const { heard, reader } = lines()
      reader.push(Buffer.from(`${line}\n`))
      expect({ line, heard }).toEqual({ line, heard: [{ reason: tooDeep, id }] })
    }
  })

  test('lines are complete however they are split into chunks', () => {
    const text = `${'é"\\'.repeat(3000)}`
    const whole = Buffer.from(`${JSON.stringify([text])}\n\n${JSON.stringify({ a: 1 })}\n`)
    for (const size of [1, 7, 4095, 4096, 10_000, whole.length]) {
      const { heard, reader } = lines()
      for (let at = 0; at < whole.length; at += size) reader.push(whole.subarray(at, at + size))
      const line = JSON.stringify([text])
      expect(heard).toEqual([
        { line, bytes: Buffer.byteLength(line) },
        { line: '{"a":1}', bytes: 7 },
      ])
    }
  })

  test('text is decoded as a whole, valid or not, however it is split into chunks', () => {
    const parts = [
      'a',
      '"',
      'é',
      '漢',
      '😀',
      '\xc3',
      '\xe6\xbc',
      '\xf0\x9f\x98',
      '\x80',
      '\xbf\xbf\xbf\xbf\xbf',
      '\xff',
    ]
    const encoded = parts.map((part, at) => Buffer.from(part, at < 5 ? 'utf8' : 'latin1'))
    const bytes = fc.array(fc.constantFrom(...encoded), { maxLength: 60 }).map((some) => Buffer.concat(some))
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(
        fc.array(bytes, { maxLength: 3 }),
        sizes,
        fc.integer({ min: 1, max: 20 }),
        (messages, cuts, after) => {
          const held = textBuffer({ decodedBytes: after })
          for (const message of messages) {
            for (let at = 0, cut = 0; at < message.length; cut += 1) {
              const size = cuts[cut % cuts.length]!
              held.add(message.subarray(at, at + size))
              at += size
            }
            expect(held.take()).toBe(message.toString('utf8'))
          }
        },
      ),
      { numRuns: scaled(2000) },
    )
  })

  longTest('chunks of one byte take no extra memory', () => {
    const chunks = chunkBuffer()
    const before = process.memoryUsage()
    for (let i = 0; i < 2_000_000; i += 1) chunks.add(Buffer.from([i & 127]))
    const { heapUsed, external } = process.memoryUsage()
    // A buffer for each byte would take at least 80 bytes; the limit leaves room for garbage.
    expect(heapUsed + external - before.heapUsed - before.external).toBeLessThan(100_000_000)
    const whole = chunks.take()
    expect({ length: whole.length, wrong: whole.findIndex((byte, i) => byte !== (i & 127)) }).toEqual({
      length: 2_000_000,
      wrong: -1,
    })
  })
})

describe('over HTTP', () => {
  async function start(options: Partial<HttpOptions> = {}): Promise<HttpServer> {
    const server = await serveHttp({ ...served(), ...options })
    onTestFinished(() => server.close())
    return server
  }

  interface Sender {
    request: ClientRequest
    answer: Promise<{ status: number; message: string }>
  }

  /** A request whose body is sent in chunks. */
  function open({ url }: { url: string }): Sender {
    const { port, hostname: host } = new URL(url)
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const sent = request({ host, port, path: '/mcp', method: 'POST', headers })
    onTestFinished(() => void sent.destroy())
    const answer = new Promise<{ status: number; message: string }>((resolve, reject) => {
      sent.on('error', reject)
      sent.on('response', (response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () => {
          const message = response.statusCode === 200 ? 'served' : JSON.parse(body).error.message
          resolve({ status: response.statusCode ?? 0, message })
        })
      })
    })
    answer.catch(() => {})
    return { request: sent, answer }
  }

  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  })

  function serves(server: HttpServer) {
    const { request: sent, answer } = open(server)
    sent.end(initialize)
    return answer
  }

  test('a message beyond the limits is rejected before it is complete', async () => {
    const server = await start()
    for (const [body, message] of [
      [`${callHead}[${'{},'.repeat(60_000)}`, tooMany],
      [`${callHead}${'[{"a":'.repeat(40)}`, tooDeep],
    ] as const) {
      const { request: sent, answer } = open(server)
      sent.write(body)
      expect(await answer).toEqual({ status: 400, message })
    }
    expect(await serves(server)).toEqual({ status: 200, message: 'served' })
  })

  test('the largest incomplete messages are rejected, and small ones are served meanwhile', async () => {
    const server = await start({ maxHeldBytes: 3_000_000 })
    const senders = Array.from({ length: 6 }, () => open(server))
    for (const [i, { request: sent }] of senders.entries()) {
      sent.write(`${callHead}{"content":"${'x'.repeat(500_000 + i * 100_000)}`)
    }
    const [first, ...larger] = senders
    const statuses: number[] = []
    for (const { answer } of larger)
      answer.then(
        ({ status }) => void statuses.push(status),
        () => {},
      )
    // Two of the five if all arrive at once; more if one is rejected before larger ones have arrived.
    await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(2)
    expect(await serves(server)).toEqual({ status: 200, message: 'served' })
    first?.request.end('"}}}')
    // It was accepted, and rejected only because it has no session.
    expect((await first?.answer)?.message).toBe('Bad Request: Mcp-Session-Id header is required')
    expect(new Set(statuses)).toEqual(new Set([503]))
    expect(statuses.length).toBeLessThan(larger.length)
  })

  /** The most processor time between two responses to the second client while the first sends. Not wall time: others use the machine too. */
  async function workBetweenAnswers(server: HttpServer, body: string): Promise<number> {
    const sender = open(server)
    let isOver = false
    const answer = sender.answer
      .catch(() => {})
      .finally(() => {
        isOver = true
      })
    sender.request.end(body)
    let mostMs = 0
    while (!isOver) {
      const before = process.cpuUsage()
      expect(await serves(server)).toEqual({ status: 200, message: 'served' })
      const { user, system } = process.cpuUsage(before)
      mostMs = Math.max(mostMs, (user + system) / 1000)
    }
    await answer
    return mostMs
  }

  test.each([
    ['60 MB of empty objects', `${callHead}[${'{},'.repeat(20_000_000)}1]}}`],
    ['60 MB of brackets', `${callHead}${'['.repeat(60_000_000)}`],
    ['as many values as are taken', `${callHead}[${'{},'.repeat(24_000)}1]}}`],
    [
      '20 MB of text',
      `${callHead}{"path":"b.txt","content":"${'one "two" three\n'.replaceAll('"', '\\"').repeat(1_100_000)}"}}}`,
    ],
  ])('a second client is served during %s', async (_name, body) => {
    const server = await start()
    await workBetweenAnswers(server, initialize)
    const rounds: number[] = []
    while (rounds.length < 3 && !rounds.some((ms) => ms < 400)) rounds.push(await workBetweenAnswers(server, body))
    expect(Math.min(...rounds)).toBeLessThan(400)
  })

  /** Sends everything before it reads, as simple clients do. The answer, or the error that it met. */
  function sendAll({ url }: { url: string }, head: readonly string[], body: Buffer): Promise<string> {
    const { port, hostname: host, host: name } = new URL(url)
    return new Promise((resolve) => {
      const socket = connect({ host, port: Number(port) })
      socket.on('error', (error) => resolve(error.message))
      socket.pause()
      const lines = ['POST /mcp HTTP/1.1', `host: ${name}`, `content-length: ${body.length}`, ...head, '', '']
      socket.write(lines.join('\r\n'))
      socket.write(body, () => {
        let answer = ''
        socket.on('data', (chunk) => {
          answer += chunk
        })
        socket.on('end', () => resolve(answer.split('\r\n')[0] ?? ''))
        socket.resume()
      })
    })
  }

  test('a client that sends all of a rejected message before it reads gets the answer', async () => {
    const server = await start({ maxMessageBytes: 4_000_000 })
    const json = 'content-type: application/json'
    const tooLarge = Buffer.alloc(40_000_000, 'x')
    expect(await sendAll(server, [json], tooLarge)).toBe('HTTP/1.1 413 Payload Too Large')
    expect(await sendAll(server, [json, 'origin: http://evil.example'], tooLarge)).toBe('HTTP/1.1 403 Forbidden')
    const tooDeepBody = Buffer.from(`${callHead}${'['.repeat(3_900_000)}`)
    expect(await sendAll(server, [json], tooDeepBody)).toBe('HTTP/1.1 400 Bad Request')
    expect(await serves(server)).toEqual({ status: 200, message: 'served' })
  })

  test('a message that arrives too slowly is rejected, and a faster one is not', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const bodies = httpBodies({ maxBytes: 10_000_000, maxHeldBytes: 20_000_000, graceMs: 10_000 })
    const server = createServer(async (request, response) => {
      const body = await bodies.read(request, response)
      response.statusCode = 'status' in body ? body.status : 299
      response.end(JSON.stringify({ error: { message: 'reason' in body ? body.reason : body.length } }))
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const [slow, quick] = [open({ url }), open({ url })]
    slow.request.write('{')
    quick.request.write('x'.repeat(1_000_000))
    await expect.poll(() => bodies.heldBytes).toBe(1_000_001)
    vi.advanceTimersByTime(10_500)
    const message = 'The message arrived too slowly: send at least 64 kB a second'
    expect(await slow.answer).toEqual({ status: 408, message })
    quick.request.end('y')
    expect(await quick.answer).toEqual({ status: 299, message: 1_000_001 })
    await expect.poll(() => bodies.heldBytes).toBe(0)
  })

  test('a client that disconnects early releases its memory', async () => {
    const bodies = httpBodies({ maxBytes: 10_000_000, maxHeldBytes: 20_000_000, graceMs: 10_000 })
    const server = createServer((request, response) => void bodies.read(request, response).catch(() => {}))
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const sender = open({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    sender.request.write('x'.repeat(1_000_000))
    await expect.poll(() => bodies.heldBytes).toBe(1_000_000)
    sender.request.destroy()
    await expect.poll(() => bodies.heldBytes).toBe(0)
  })
})
