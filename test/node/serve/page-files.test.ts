import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../../node/serve/http.js'
import { type PageFiles, packedPageFiles, pageFiles } from '../../../node/serve/page-files.js'
import playground, { policy } from '../../../playground/vite.config.mjs'
import { writeArchive } from '../../../src/archive/write-archive.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { temporaryDirectory } from '../cli/run-cli.js'

test('exactly the files of the page are served, and not to a foreign Host or Origin', async () => {
  const directory = join(await temporaryDirectory(), 'page')
  await mkdir(join(directory, 'assets'), { recursive: true })
  await writeFile(join(directory, 'index.html'), '<h1>page</h1>')
  await writeFile(join(directory, 'assets', 'code.js'), 'code')
  await writeFile(join(directory, '..', 'secret'), 'secret')
  const page = pageFiles(directory)
  const server = await serveHttp({
    workspace: createWorkspace({ fs: memory() }),
    dialect: polyfs,
    token: 'a-token-of-the-test',
    ...(page && { page }),
  })
  onTestFinished(() => server.close())

  const status = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(server.url)
      request({ hostname, port, path, headers, method }, (response) => {
        response.resume()
        resolve(`${response.statusCode} ${response.headers['content-type']}`)
      })
        .on('error', reject)
        .end()
    })
  expect(server.pageUrl).toBe(server.url.replace('mcp', ''))
  expect(await status('/')).toBe('200 text/html; charset=utf-8')
  expect(await status('/index.html?x')).toBe('200 text/html; charset=utf-8')
  expect(await status('/assets/code.js')).toBe('200 text/javascript; charset=utf-8')
  for (const path of ['/../secret', '/..%2fsecret', '/assets', '/missing', '/mcp']) {
    expect([path, await status(path)]).toEqual([path, '401 application/json'])
  }
  expect(await status('/', {}, 'POST')).toBe('401 application/json')
  expect(await status('/', { host: 'evil.example' })).toBe('403 application/json')
  expect(await status('/', { origin: 'https://evil.example' })).toBe('403 application/json')
})

test('the policy forbids forms and framing, and the page has the same policy where a host sends none', async () => {
  const directory = await temporaryDirectory()
  await writeFile(join(directory, 'index.html'), '<h1>page</h1>')
  let sent: Record<string, string> = {}
  const response = { writeHead: (_status: number, headers: Record<string, string>) => (sent = headers), end() {} }
  await pageFiles(directory)?.({ method: 'GET', url: '/' } as IncomingMessage, response as unknown as ServerResponse)
  expect(sent['content-security-policy']).toBe(`${policy}; frame-ancestors 'none'`)
  expect(policy).toContain("form-action 'none'")
  const html = await builtIndex()
  const own = html.replaceAll('&#39;', "'")
  expect(own).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`)
  expect(html.indexOf('http-equiv')).toBeLessThan(html.indexOf('<script'))
})

test('a worker that talks to a model or a git server may connect to the origin in its address, and to nothing else', async () => {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, 'assets'))
  const names = ['model-worker-x1.js', 'clone-worker-x1.js', 'engine-worker-x1.js', 'other.js'].map(
    (name) => `assets/${name}`,
  )
  for (const name of ['index.html', 'offline-worker.js', 'icon.svg', ...names])
    await writeFile(join(directory, name), '')
  const files = pageFiles(directory)
  async function policyOf(url: string): Promise<string | undefined> {
    let sent: Record<string, string> = {}
    const response = { writeHead: (_status: number, headers: Record<string, string>) => (sent = headers), end() {} }
    await files?.({ method: 'GET', url } as IncomingMessage, response as unknown as ServerResponse)
    return sent['content-security-policy']
  }
  const usual = await policyOf('/')
  const connecting = (name: string, origin: string) =>
    policyOf(`/assets/${name}-worker-x1.js?connect=${encodeURIComponent(origin)}`)
  expect(usual).not.toContain('connect-src')
  for (const origin of ['https://api.openai.com', 'http://localhost:11434', 'http://[::1]:8000']) {
    for (const name of ['model', 'clone'])
      expect(await connecting(name, origin)).toBe(`default-src 'none'; script-src 'self'; connect-src ${origin}`)
    expect(await connecting('engine', origin)).toBe(usual)
  }
  const refused = [
    '*',
    'https://*',
    'https:',
    'data:',
    'https://a;script-src *',
    "https://a 'unsafe-eval'",
    'https://a, b',
    'https://a/b',
    'https://u@a',
    'https://a\n',
    '',
  ]
  for (const origin of refused) expect([origin, await connecting('clone', origin)]).toEqual([origin, usual])
  expect(await policyOf('/?connect=https://a')).toBe(usual)
  // Part of a page or of a worker, whose policy holds.
  expect(await policyOf('/assets/other.js?connect=https://a')).toBe(undefined)
  for (const path of ['/assets/engine-worker-x1.js', '/offline-worker.js', '/icon.svg'])
    expect(await policyOf(path)).toBe(usual)
})

/** The page's HTML as vite builds it, without what it loads. */
async function builtIndex(): Promise<string> {
  const directory = await temporaryDirectory()
  await writeFile(
    join(directory, 'index.html'),
    '<!doctype html><head><script type="module" src="./a.js"></script></head>',
  )
  await writeFile(join(directory, 'a.js'), 'console.log(1)')
  const outDir = join(directory, 'out')
  await build({ ...playground, root: directory, configFile: false, logLevel: 'error', build: { outDir } })
  return readFile(join(outDir, 'index.html'), 'utf8')
}

test('compressed copies are sent to clients that accept them, from a folder and from an archive', async () => {
  const directory = await temporaryDirectory()
  const text = 'code '.repeat(1000)
  await mkdir(join(directory, 'assets'))
  await writeFile(join(directory, 'index.html'), text)
  await writeFile(join(directory, 'index.html.br'), brotliCompressSync(text))
  await writeFile(join(directory, 'index.html.gz'), gzipSync(text))
  await writeFile(join(directory, 'assets/small.js'), 'small')
  await writeFile(join(directory, 'assets/own.gz'), 'an archive')
  const archive = join(directory, 'page.zip.br')
  const zip = await writeArchive([{ path: 'index.html', kind: 'file', bytes: Buffer.from(text) }])
  await writeFile(archive, brotliCompressSync(zip))

  async function ask(files: PageFiles | undefined, url: string, accepted?: string) {
    let sent: Record<string, string> = {}
    let body = Buffer.alloc(0)
    const response = {
      writeHead: (_status: number, headers: Record<string, string>) => (sent = headers),
      end: (content: Uint8Array) => (body = Buffer.from(content)),
    }
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
    const found = await files?.(
      { method: 'GET', url, headers } as IncomingMessage,
      response as unknown as ServerResponse,
    )
    const { 'content-encoding': coding, 'content-length': length, vary } = sent
    if (found) expect([Number(length), vary]).toEqual([body.length, 'accept-encoding'])
    const plain = coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body
    return found ? { coding, text: plain.toString(), isSmaller: body.length < plain.length } : undefined
  }

  for (const files of [pageFiles(directory), packedPageFiles(archive)]) {
    expect(await ask(files, '/', 'gzip, deflate, br')).toEqual({ coding: 'br', text, isSmaller: true })
    expect(await ask(files, '/', 'GZIP')).toEqual({ coding: 'gzip', text, isSmaller: true })
    expect(await ask(files, '/', 'br;q=0, gzip; q=0.5')).toEqual({ coding: 'gzip', text, isSmaller: true })
    for (const accepted of [undefined, '', 'identity', 'br;q=0.0', 'brotli', 'xbr'])
      expect(await ask(files, '/', accepted)).toEqual({ coding: undefined, text, isSmaller: false })
    expect(await ask(files, '/missing', 'br')).toBe(undefined)
    expect(await ask(files, '/index.html.br', 'br')).toBe(undefined)
  }
  const page = pageFiles(directory)
  expect(await ask(page, '/assets/small.js', 'br')).toMatchObject({ coding: undefined, text: 'small' })
  expect(await ask(page, '/assets/own.gz', 'br')).toMatchObject({ text: 'an archive' })
})

test('no page is served where none was built', async () => {
  const directory = await temporaryDirectory()
  expect(pageFiles(directory)).toBe(undefined)
  expect(pageFiles(join(directory, 'missing'))).toBe(undefined)
  expect(packedPageFiles(join(directory, 'missing.zip.br'))).toBe(undefined)
})
