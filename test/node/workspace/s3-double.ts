/** The part of S3 that is used, in this process: objects of one bucket, and lists of them in pages of 1000. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface S3Double {
  readonly endpoint: string
  readonly objects: Map<string, Buffer>
  close(): Promise<void>
}

const maxListed = 1000

export async function startS3Double(): Promise<S3Double> {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3')
    const [, bucket, ...rest] = pathname.split('/').map(decodeURIComponent)
    const key = rest.join('/')
    const isSigned = /^AWS4-HMAC-SHA256 Credential=.*Signature=[0-9a-f]{64}$/.test(request.headers.authorization ?? '')
    if (!isSigned || bucket !== 'bucket') return response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
    if (key === '') return response.end(listing([...objects.keys()].sort(), searchParams))
    const object = objects.get(key)
    if (request.method === 'PUT') {
      objects.set(key, Buffer.concat(parts))
      return response.end()
    }
    if (request.method === 'DELETE') {
      objects.delete(key)
      return response.writeHead(204).end()
    }
    if (object === undefined) return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    return response.end(request.method === 'HEAD' ? undefined : object)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** Begins after the key that the marker names. */
function listing(keys: readonly string[], query: URLSearchParams): string {
  const [prefix, after] = [query.get('prefix') ?? '', query.get('marker') ?? '']
  const wanted = keys.filter((key) => key.startsWith(prefix) && key > after)
  const page = wanted.slice(0, maxListed)
  const contents = page.map((key) => `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key></Contents>`).join('')
  const isTruncated = wanted.length > page.length
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents}</ListBucketResult>`
}
