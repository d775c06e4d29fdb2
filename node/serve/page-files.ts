/** Serves a built page, with the strictest security headers that it works with. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, sep } from 'node:path'

/** Answers a request for one of the page's files; false if it was for something else. */
export type PageFiles = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>

const headers = {
  'content-security-policy':
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'",
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** The worker that talks to the endpoint of a model. It has the only policy that allows another origin, and nothing else. */
const modelWorker = /^\/assets\/model-worker-[^/]+\.js$/

/** One origin and nothing that could add another directive or a wildcard. */
const plainOrigin = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

/** The headers of a file: the worker's policy allows the origin that its address names, which the user has entered. */
function headersOf(path: string, query: string) {
  const origin = modelWorker.test(path) ? new URLSearchParams(query).get('connect') : null
  if (origin === null || !plainOrigin.test(origin)) return headers
  return { ...headers, 'content-security-policy': `default-src 'none'; script-src 'self'; connect-src ${origin}` }
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Serves exactly the files that are in the directory now. Undefined if no page was built there. */
export function pageFiles(directory: string): PageFiles | undefined {
  const files = new Map(filesBelow(directory).map((file) => [`/${file.replaceAll(sep, '/')}`, join(directory, file)]))
  if (!files.has('/index.html')) return undefined
  return serveFiles(async (path) => {
    const file = files.get(path)
    return file === undefined ? undefined : readFile(file)
  })
}

/** Serves the files of a zip archive, which is read with the first request. Undefined if there is no archive. */
export function packedPageFiles(archive: string): PageFiles | undefined {
  if (!existsSync(archive)) return undefined
  let unpacked: Promise<Map<string, Uint8Array>> | undefined
  return serveFiles(async (path) => {
    unpacked ??= filesIn(archive)
    return (await unpacked).get(path)
  })
}

async function filesIn(archive: string): Promise<Map<string, Uint8Array>> {
  const { readArchive } = await import('../../src/archive/read-archive.js')
  const { files } = await readArchive(await readFile(archive), { path: archive })
  return new Map(files.flatMap(({ path, bytes }) => (bytes === undefined ? [] : [[`/${path}`, bytes]])))
}

function serveFiles(contentOf: (path: string) => Promise<Uint8Array | undefined>): PageFiles {
  return async ({ method, url = '/' }, response) => {
    if (method !== 'GET' && method !== 'HEAD') return false
    const [path = '', query = ''] = url.split(/[?#]/)
    const file = path === '/' ? '/index.html' : path
    const body = await contentOf(file)
    if (body === undefined) return false
    response.writeHead(200, {
      ...headersOf(path, query),
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-length': body.length,
      // Names of assets contain a hash of their content.
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    response.end(method === 'HEAD' ? undefined : body)
    return true
  }
}

function filesBelow(directory: string): string[] {
  try {
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    return names.filter((name) => statSync(join(directory, name)).isFile())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
