/** For Node: `TOKEN=... node node.ts`. */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { startEndpoint } from './endpoint.ts'

const endpoint = startEndpoint(process.env.TOKEN)

const server = createServer(async (incoming, outgoing) => {
  const { method = 'GET', url = '/' } = incoming
  if (!URL.canParse(url, 'http://localhost')) {
    outgoing.writeHead(400, { connection: 'close' }).end()
    return
  }
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const request = new Request(new URL(url, 'http://localhost'), {
    method,
    headers: Object.entries(incoming.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    ),
    signal: gone.signal,
    ...(method !== 'GET' && method !== 'HEAD' && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  })
  const { status, headers, body } = await endpoint.fetch(request)
  outgoing.writeHead(status, Object.fromEntries(headers))
  if (body === null) outgoing.end()
  else Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]).pipe(outgoing)
})

server.listen(Number(process.env.PORT ?? 8787), '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp/NAME`)
})
