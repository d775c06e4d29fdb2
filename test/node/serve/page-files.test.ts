import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { build } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../../node/serve/http.js'
import { packedPageFiles, pageFiles } from '../../../node/serve/page-files.js'
import playground, { policy } from '../../../playground/vite.config.mjs'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace.js'
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

test('the worker that talks to a model may connect to the origin in its address, and to nothing else', async () => {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, 'assets'))
  for (const name of ['index.html', 'assets/model-worker-x1.js', 'assets/other.js'])
    await writeFile(join(directory, name), '')
  const files = pageFiles(directory)
  async function policyOf(url: string): Promise<string | undefined> {
    let sent: Record<string, string> = {}
    const response = { writeHead: (_status: number, headers: Record<string, string>) => (sent = headers), end() {} }
    await files?.({ method: 'GET', url } as IncomingMessage, response as unknown as ServerResponse)
    return sent['content-security-policy']
  }
  const usual = await policyOf('/')
  const worker = (origin: string) => policyOf(`/assets/model-worker-x1.js?connect=${encodeURIComponent(origin)}`)
  expect(usual).not.toContain('connect-src')
  for (const origin of ['https://api.openai.com', 'http://localhost:11434', 'http://[::1]:8000']) {
    expect(await worker(origin)).toBe(`default-src 'none'; script-src 'self'; connect-src ${origin}`)
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
  for (const origin of refused) expect([origin, await worker(origin)]).toEqual([origin, usual])
  expect(await policyOf('/?connect=https://a')).toBe(usual)
  expect(await policyOf('/assets/other.js?connect=https://a')).toBe(usual)
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

test('no page is served where none was built', async () => {
  const directory = await temporaryDirectory()
  expect(pageFiles(directory)).toBe(undefined)
  expect(pageFiles(join(directory, 'missing'))).toBe(undefined)
  expect(packedPageFiles(join(directory, 'missing.zip'))).toBe(undefined)
})
