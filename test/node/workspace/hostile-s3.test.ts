/** What S3, or somebody in its place, may answer: calls end with the right bytes or with a sentence, and nothing goes elsewhere. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../node/workspace/unstorage.js'
import { keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { nodeHashes } from '../../core/fs/key-value-stores.js'
import { type S3Double, startS3Double } from './s3-double.js'

const keys = { AWS_ACCESS_KEY_ID: 'the-key-id', AWS_SECRET_ACCESS_KEY: 'the-secret' }
const encode = (text: string) => new TextEncoder().encode(text)

type Answer = (response: ServerResponse, object: Buffer, request: IncomingMessage) => void

let s3: S3Double
beforeAll(async () => {
  s3 = await startS3Double()
  await treeAt(s3.endpoint).writeFile('/a', encode('hello'))
})
afterAll(() => s3.close())

const storeAt = (endpoint: string) => openStore(`s3://bucket/p?endpoint=${encodeURIComponent(endpoint)}`, keys).store
const treeAt = (endpoint: string) => keyValue(storeAt(endpoint), { timeoutMs: 20_000, ...nodeHashes })

/** A server that answers every request like this, with the object that was asked for. */
async function serverThat(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    const { pathname } = new URL(request.url ?? '/', 'http://s3')
    answer(response, s3.objects.get(decodeURIComponent(pathname).slice('/bucket/'.length)) ?? Buffer.alloc(0), request)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function flood(response: ServerResponse): void {
  const piece = Buffer.alloc(1 << 20, 'x')
  const more = () => {
    while (!response.destroyed && response.write(piece));
  }
  response.on('drain', more)
  more()
}

const answers: Record<string, Answer> = {
  'a body that is cut off': (response, object) => {
    response.writeHead(200, { 'content-length': object.length + 1 })
    response.write(object, () => response.destroy())
  },
  'a shorter body': (response, object) => response.end(object.subarray(0, -1)),
  'another byte': (response, object) =>
    response.end(object.map((byte, at) => (at === object.length >> 1 ? byte ^ 1 : byte))),
  'an error with status 200': (response) =>
    response.end('<?xml version="1.0"?><Error><Code>InternalError</Code></Error>'),
  'nothing with status 200': (response) => response.end(),
  'nothing with status 204': (response) => response.writeHead(204).end(),
  'slow down': (response) => response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>'),
  'an error that repeats the request': (response, _object, { headers }) =>
    response.writeHead(403).end(JSON.stringify(headers)),
  'an error without end': (response) => flood(response.writeHead(500)),
  'a value without end': (response) => flood(response),
  'a missing bucket': (response) => response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>'),
  'a redirect to itself': (response, _object, { url }) => response.writeHead(301, { location: url }).end(),
}

describe('an answer of S3 that is wrong is a sentence without secrets', () => {
  test.each(Object.entries(answers))('%s', async (_name, answer) => {
    const endpoint = await serverThat(answer)
    for (const call of [() => treeAt(endpoint).readFile('/a'), () => treeAt(endpoint).writeFile('/b', encode('new'))]) {
      const error = await call().then(
        () => undefined,
        (thrown) => thrown,
      )
      expect(error).toMatchObject({ code: 'IO', facts: { detail: expect.stringMatching(/^the /) } })
      expect(error.facts.detail.length).toBeLessThan(250)
      expect(error.facts.detail).not.toMatch(/the-key-id|the-secret|Signature|xxx/)
    }
  })
})

test.each([301, 302, 303, 307, 308])(
  'a redirect with status %d is not followed, and says what to correct',
  async (status) => {
    const reached: string[] = []
    const elsewhere = await serverThat((response, _object, { url = '' }) => {
      reached.push(url)
      response.end()
    })
    const store = storeAt(
      await serverThat((response, _object, { url }) => response.writeHead(status, { location: elsewhere + url }).end()),
    )
    const calls = [
      () => store.getItemRaw('a'),
      () => store.setItemRaw('a', encode('private')),
      () => store.removeItem('a'),
      () => store.getKeys(''),
    ]
    for (const call of calls)
      await expect(call()).rejects.toThrow(/no redirect is followed; correct region or endpoint/)
    expect(reached).toEqual([])
  },
)

test('lists are read page by page', async () => {
  const store = storeAt(s3.endpoint)
  const made = Array.from({ length: 2500 }, (_, at) => `many:${String(at).padStart(4, '0')}`)
  for (const key of made) s3.objects.set(`p/${key.replace(':', '/')}`, Buffer.from('x'))
  expect(await store.getKeys('many:')).toEqual(made)
  for (const key of made) s3.objects.delete(`p/${key.replace(':', '/')}`)
})

test('a list that repeats its pages, expands entities or is not a list is refused', async () => {
  const again = '<ListBucketResult><IsTruncated>true</IsTruncated><Key>p/a</Key></ListBucketResult>'
  await expect(storeAt(await serverThat((response) => response.end(again))).getKeys('')).rejects.toThrow(/same page/)
  await expect(storeAt(await serverThat((response) => response.end('<html>'))).getKeys('')).rejects.toThrow(
    /list of objects/,
  )
  await expect(storeAt(await serverThat(flood)).getKeys('')).rejects.toThrow(/more than 8388608 bytes/)
  const laughs =
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><ListBucketResult><Key>p/&b;</Key><Key>p/x&amp;lt;</Key></ListBucketResult>'
  expect(await storeAt(await serverThat((response) => response.end(laughs))).getKeys('')).toEqual(['&b;', 'x&lt;'])
})
