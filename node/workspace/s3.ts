/** Objects in a bucket of S3. Nothing is sent to another address than the user's, and no answer is read beyond its bounds. */
import type { KeyValueStore } from '../../src/fs/backends/key-value/store.js'

export interface Bucket {
  /** Without a slash at its end. */
  endpoint: string
  name: string
  /** Parts joined by `:`, before those of all keys; may be empty. */
  prefix: string
}

/** What signs requests: the `AwsClient` of aws4fetch. */
export interface RequestSigner {
  sign(address: string, request: RequestInit): Promise<Request>
}

/** Far more than any value of a workspace. */
const maxValueBytes = 64 << 20
/** A page of a list names at most 1,000 objects. */
const maxPageBytes = 8 << 20
/** Enough for the code of an error. */
const maxErrorBytes = 64 << 10
const requestMs = 30_000
/** A list may leave keys out. */
const listMs = 20_000

export function s3Objects({ endpoint, name, prefix }: Bucket, signer: RequestSigner): KeyValueStore {
  const bucket = `${endpoint}/${name}`
  const before = partsOf(prefix)
  const start = before.map((part) => `${part}/`).join('')
  const addressOf = (key: string) => [bucket, ...[...before, ...partsOf(key)].map(encodeURIComponent)].join('/')

  /** Undefined for an object that is not there. */
  async function request(method: string, address: string, body?: Uint8Array): Promise<Response | undefined> {
    const signed = await signer.sign(address, { method, ...(body && { body: body as Uint8Array<ArrayBuffer> }) })
    const response = await fetch(signed, { redirect: 'manual', signal: AbortSignal.timeout(requestMs) })
    if (response.status === 200 || (response.status === 204 && method === 'DELETE')) return response
    const code = errorCode(await bytesOf(response, maxErrorBytes, 'cut'))
    const isThere = response.status !== 404 || method === 'PUT' || code === 'NoSuchBucket'
    if (!isThere) return undefined
    throw new Error(refusal(method, response.status, code, name))
  }

  /** The first version of this request, which every service with this interface has. */
  async function page(wanted: string, after: string | undefined): Promise<string> {
    const query = new URLSearchParams({ prefix: wanted, ...(after !== undefined && { marker: after }) })
    // Spaces as `%20`: signatures are made of that.
    const response = await request('GET', `${bucket}?${String(query).replaceAll('+', '%20')}`)
    const text = response && new TextDecoder().decode(await bytesOf(response, maxPageBytes))
    if (!text?.includes('<ListBucketResult')) throw new Error('S3 answered with something else than a list of objects')
    return text
  }

  return {
    wholeWrites: true,
    async getItemRaw(key) {
      const response = await request('GET', addressOf(key))
      return response && bytesOf(response, maxValueBytes)
    },
    async setItemRaw(key, value) {
      if (value.length > maxValueBytes) throw new Error(`a value of ${value.length} bytes is too large for the store`)
      const response = await request('PUT', addressOf(key), value)
      await response?.body?.cancel()
    },
    async removeItem(key) {
      const response = await request('DELETE', addressOf(key))
      await response?.body?.cancel()
    },
    async getKeys(base = '') {
      const wanted = start + base.replaceAll(':', '/')
      const keys: string[] = []
      const ends = new Set<string>()
      const untilMs = performance.now() + listMs
      for (let after: string | undefined; ; ) {
        const text = await page(wanted, after)
        const objects = textsIn(text, 'Key')
        for (const object of objects) {
          if (object.startsWith(wanted)) keys.push(object.slice(start.length).replaceAll('/', ':'))
        }
        after = objects.at(-1)
        if (after === undefined || textsIn(text, 'IsTruncated')[0] !== 'true' || performance.now() > untilMs)
          return keys
        if (ends.has(after)) throw new Error('S3 lists the same page again and again')
        ends.add(after)
      }
    },
  }
}

function partsOf(key: string): string[] {
  return key.split(/[:/]/).filter((part) => part !== '')
}

function refusal(method: string, status: number, code: string | undefined, bucket: string): string {
  if (status === 404) return `404: there is no bucket '${bucket}'; create it first, or correct --store`
  const answer = `S3 answered ${method} with ${status}${code === undefined ? '' : ` (${code})`}`
  const isElsewhere = status >= 300 && status < 400
  return isElsewhere ? `${answer}, and no redirect is followed; correct region or endpoint in --store` : answer
}

/** Only the code of an error is reported: the rest may repeat the request. */
function errorCode(body: Uint8Array): string | undefined {
  const [code] = textsIn(new TextDecoder().decode(body), 'Code')
  return code !== undefined && /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : undefined
}

/** The whole body. One that is longer is an error, or is cut. */
async function bytesOf({ body }: Response, maxBytes: number, beyond: 'fails' | 'cut' = 'fails'): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  // Leaving the loop cancels the body.
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > maxBytes && beyond === 'cut') break
    if (length > maxBytes) throw new Error(`S3 answered with more than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** What is in the elements of this name, none of which has others in it. Entities beside those of XML itself stay as they are. */
function textsIn(xml: string, name: string): string[] {
  const [open, close] = [`<${name}>`, `</${name}>`]
  const texts: string[] = []
  for (let at = xml.indexOf(open); at !== -1; at = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, at)
    if (end === -1) break
    texts.push(
      xml.slice(at + open.length, end).replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => entities[entity] ?? ''),
    )
    at = end
  }
  return texts
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' }
