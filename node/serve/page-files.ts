/** Serves a built page, with the strictest security headers that it works with. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'

/** Answers a request for one of the page's files; false if it was for something else. */
export type PageFiles = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>

const headers = {
  'content-security-policy':
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'",
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** The frames that programs run in: nothing but what the page sends them, and workers of that. `node` is code from texts. */
const evaluationIn: Readonly<Record<string, string>> = {
  '/node/frame.html': "'unsafe-eval'",
  '/python/frame.html': "'wasm-unsafe-eval'",
}

function headersOfFrame(evaluation: string) {
  return {
    ...headers,
    'content-security-policy': `default-src 'none'; script-src 'unsafe-inline' ${evaluation}; worker-src blob:; frame-ancestors 'self'`,
    'cross-origin-resource-policy': 'same-origin',
  }
}

/** The workers that talk to the endpoint of a model and to a git server. Their policies allow one other origin, and nothing else. */
const connectingWorker = /^\/assets\/(?:model|clone)-worker-[^/]+\.js$/

/** One origin and nothing that could add another directive or a wildcard. */
const plainOrigin = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

/** Scripts that are imported and style sheets: the policy of the page or worker that loads them holds. The others begin something of their own. */
const isPart = (path: string) => /\.(?:js|css)$/.test(path) && !/worker[^/]*$/.test(path)

/** A page loads some fifty parts at once, so that each gets only what it needs. */
const headersOfPart = { 'x-content-type-options': 'nosniff' }

/** The headers of a file: the worker's policy allows the origin that its address names, which the user has entered. */
function headersOf(path: string, query: string) {
  if (isPart(path)) return headersOfPart
  const evaluation = evaluationIn[path]
  if (evaluation !== undefined) return headersOfFrame(evaluation)
  const origin = connectingWorker.test(path) ? new URLSearchParams(query).get('connect') : null
  if (origin === null || !plainOrigin.test(origin)) return headers
  return { ...headers, 'content-security-policy': `default-src 'none'; script-src 'self'; connect-src ${origin}` }
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.zip': 'application/zip',
}

/** The codings that are sent, the smallest first. */
const codings = ['br', 'gzip'] as const
type Coding = (typeof codings)[number]

/** The endings of the compressed copies that the build makes beside its files. */
const endings: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' }

/** The content of a file, compressed if a coding is given; undefined if it does not exist. */
type ContentOf = (path: string, coding?: Coding) => Promise<Uint8Array | undefined>

/** Adds files that are found when they are asked for; `contentOf` returns undefined for all others. */
export function withFiles(page: PageFiles, contentOf: (path: string) => Promise<Uint8Array | undefined>): PageFiles {
  const others = serveFiles((path, coding) => (coding === undefined ? contentOf(path) : Promise.resolve(undefined)))
  return async (request, response) => (await page(request, response)) || others(request, response)
}

/** Serves exactly the files that are in the directory now. Undefined if no page was built there. */
export function pageFiles(directory: string): PageFiles | undefined {
  const files = new Map(filesBelow(directory).map((file) => [`/${file.replaceAll(sep, '/')}`, join(directory, file)]))
  if (!files.has('/index.html')) return undefined
  const isCopy = (path: string) =>
    Object.values(endings).some((ending) => path.endsWith(ending) && files.has(path.slice(0, -ending.length)))
  return serveFiles(async (path, coding) => {
    const file = isCopy(path) ? undefined : files.get(coding === undefined ? path : path + endings[coding])
    return file === undefined ? undefined : readFile(file)
  })
}

/**
 * Serves the files of a zip archive under brotli, which is read with the first request. Undefined if there is no archive. It has no
 * compressed copies, which would double its size: each file is compressed when it is first asked for.
 */
export function packedPageFiles(archive: string): PageFiles | undefined {
  if (!existsSync(archive)) return undefined
  let unpacked: Promise<Map<string, Uint8Array>> | undefined
  const compressed = new Map<string, Promise<Uint8Array>>()
  return serveFiles(async (path, coding) => {
    unpacked ??= filesIn(archive)
    const content = (await unpacked).get(path)
    if (content === undefined || coding === undefined) return content
    const key = `${coding} ${path}`
    const copy = compressed.get(key) ?? compress(content, coding)
    compressed.set(key, copy)
    return copy
  })
}

function compress(content: Uint8Array, coding: Coding): Promise<Uint8Array> {
  if (coding === 'gzip') return promisify(gzip)(content)
  // The highest quality takes ten times as long for a twentieth less.
  return promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
}

async function filesIn(archive: string): Promise<Map<string, Uint8Array>> {
  const { readArchive } = await import('../../src/archive/read-archive.js')
  const { files } = await readArchive(await promisify(brotliDecompress)(await readFile(archive)), { path: archive })
  return new Map(files.flatMap(({ path, bytes }) => (bytes === undefined ? [] : [[`/${path}`, bytes]])))
}

function serveFiles(contentOf: ContentOf): PageFiles {
  return async ({ method, url = '/', headers: asked = {} }, response) => {
    if (method !== 'GET' && method !== 'HEAD') return false
    const [path = '', query = ''] = url.split(/[?#]/)
    const file = path === '/' ? '/index.html' : path
    const coding = codingFor(asked['accept-encoding'])
    const packed = coding && (await contentOf(file, coding))
    const body = packed ?? (await contentOf(file))
    if (body === undefined) return false
    response.writeHead(200, {
      ...headersOf(path, query),
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-length': body.length,
      vary: 'accept-encoding',
      ...(packed && { 'content-encoding': coding }),
      // Names of assets contain a hash of their content.
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    response.end(method === 'HEAD' ? undefined : body)
    return true
  }
}

/** The smallest coding that a client accepts; one with the weight 0 is refused. */
function codingFor(accepted: string | string[] | undefined): Coding | undefined {
  const parts = String(accepted ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*/))
  return codings.find((coding) =>
    parts.some(([name, ...parameters]) => name === coding && !parameters.some((each) => /^q=0(\.0*)?$/.test(each))),
  )
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
