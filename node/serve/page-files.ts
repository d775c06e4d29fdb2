/** Serves a built page, with the strictest security headers that it works with. */
import { readdirSync, statSync } from 'node:fs'
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

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Serves exactly the files that are in the directory now. Undefined if no page was built there. */
export function pageFiles(directory: string): PageFiles | undefined {
  const files = new Map(filesBelow(directory).map((file) => [`/${file.replaceAll(sep, '/')}`, join(directory, file)]))
  const index = files.get('/index.html')
  if (index === undefined) return undefined
  files.set('/', index)

  return async ({ method, url = '/' }, response) => {
    const path = url.replace(/[?#].*$/s, '')
    const file = files.get(path)
    if (file === undefined || (method !== 'GET' && method !== 'HEAD')) return false
    const body = await readFile(file)
    response.writeHead(200, {
      ...headers,
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
