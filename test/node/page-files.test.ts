import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../node/http.js'
import { pageFiles } from '../../node/page-files.js'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { memory } from '../../src/fs/memory.js'
import { createWorkspace } from '../../src/workspace.js'
import { temporaryDirectory } from './run-cli.js'

test('a page is served beside the endpoint, its files alone, and to nobody whose Host or Origin is foreign', async () => {
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

test('where no page was built, none is served', async () => {
  const directory = await temporaryDirectory()
  expect(pageFiles(directory)).toBe(undefined)
  expect(pageFiles(join(directory, 'missing'))).toBe(undefined)
})
