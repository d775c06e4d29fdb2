/** The HTTP requests of a page: to enter, and for large values. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { uiPaths, uiQuery } from '../../src/engine/ui-protocol.js'
import type { PageFiles } from '../serve/page-files.js'
import { requestTarget } from '../serve/request-target.js'
import type { Access } from './access.js'
import type { LargeValues } from './large-values.js'

export interface RoutesOptions {
  access: Access
  page: PageFiles
  /** The large values of a page's session, and those of all pages. */
  valuesOf(session: string): LargeValues | undefined
  allValues(): Iterable<LargeValues>
}

const maxTokenBytes = 200
/** Anybody on the machine may send one. */
const slowTokenMs = 15_000
const maxValueBytes = 64 * 1024 * 1024

/** Answers what belongs to the page. Host and Origin were checked. */
export function uiRoutes({ access, page, valuesOf, allValues }: RoutesOptions): PageFiles {
  return async (request, response) => {
    const target = requestTarget(request.url)
    if (target === undefined) return false
    const { pathname, query } = target
    if (pathname === '/' && !query.has(uiQuery)) return answer(response, 302, '', { location: `/?${uiQuery}` })
    if (pathname === uiPaths.enter) return enter(request, response)
    if (pathname !== uiPaths.key && !isBelow(uiPaths.values, pathname)) return page(request, response)
    if (!access.isKey(bearerOf(request))) return answer(response, 401, 'This page may not use the server')
    if (pathname === uiPaths.key) return answer(response, 204)
    return pathname === uiPaths.values
      ? put(request, response, valuesOf(query.get('session') ?? ''))
      : take(request, response, pathname.slice(uiPaths.values.length + 1))
  }

  async function enter(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (request.method !== 'POST') return answer(response, 405, 'Only POST', { allow: 'POST' })
    const slow = setTimeout(() => request.destroy(), slowTokenMs)
    const token = await bodyOf(request, maxTokenBytes).finally(() => clearTimeout(slow))
    const key = token === undefined ? undefined : access.enter(token.toString('latin1'))
    return key === undefined
      ? answer(response, 403, 'The address was used already, or never existed')
      : json(response, { key })
  }

  async function put(
    request: IncomingMessage,
    response: ServerResponse,
    values: LargeValues | undefined,
  ): Promise<boolean> {
    if (request.method !== 'POST') return answer(response, 405, 'Only POST', { allow: 'POST' })
    if (values === undefined) return answer(response, 404, 'No such session')
    const value = await bodyOf(request, maxValueBytes)
    if (value === undefined) return answer(response, 413, `More than ${maxValueBytes} bytes`, { connection: 'close' })
    try {
      return json(response, { name: values.put(value) })
    } catch {
      return answer(response, 503, 'Too many large values are waiting', { 'retry-after': '1' })
    }
  }

  function take({ method }: IncomingMessage, response: ServerResponse, name: string): boolean {
    if (method !== 'GET') return answer(response, 405, 'Only GET', { allow: 'GET' })
    for (const values of allValues()) {
      const value = values.take(name)
      if (value === undefined) continue
      response.writeHead(200, { ...plain, 'content-type': 'application/octet-stream', 'content-length': value.length })
      response.end(value)
      return true
    }
    return answer(response, 404, 'No such value')
  }
}

const plain = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

function answer(response: ServerResponse, status: number, text = '', headers: Record<string, string> = {}): true {
  response.writeHead(status, { ...plain, 'content-type': 'text/plain; charset=utf-8', ...headers })
  response.end(text === '' ? undefined : `${text}\n`)
  return true
}

function json(response: ServerResponse, value: object): true {
  response.writeHead(200, { ...plain, 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
  return true
}

/** Undefined for a body that is too long; the rest of it is not read. */
async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function bearerOf({ headers }: IncomingMessage): string {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
}

function isBelow(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}
