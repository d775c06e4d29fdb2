/** The pages in examples/: one without a bundler, as it is; one in React, built with Vite. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright'
import { build } from 'vite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { chromiumOptions, patienceMs } from '../chromium.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
let browser: Browser

beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions)
})
afterAll(() => browser?.close())

test('examples/page: an agent without a framework', async () => {
  // As a site has it: the package among its modules.
  const places = { '/node_modules/polyfs/dist/': join(root, 'dist'), '/': join(root, 'examples/page') }
  await play(await serve(places))
})

test('examples/react: the same agent in React', async () => {
  const outDir = await mkdtemp(join(tmpdir(), 'polyfs-react-'))
  onTestFinished(() => rm(outDir, { recursive: true, force: true }))
  const web = (name: string) => join(root, 'dist/web', name)
  await build({
    root: join(root, 'examples/react'),
    configFile: false,
    logLevel: 'error',
    // What resolving `polyfs` gives in a project that has installed it.
    resolve: {
      alias: [
        { find: /^polyfs$/, replacement: web('core.js') },
        { find: /^polyfs\/(\w+)$/, replacement: web('$1.js') },
      ],
    },
    build: { outDir, emptyOutDir: true, target: 'es2022' },
  })
  await play(await serve({ '/': outDir }))
})

/** What a user does and sees, the same in both. */
async function play(url: string): Promise<void> {
  const page = await browser.newPage()
  page.setDefaultTimeout(patienceMs)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto(url)
  const file = page.locator('#file')
  await file.getByText('Helo').waitFor()
  await page.click('#run')
  await file.getByText('Hello').waitFor()
  expect(await page.locator('#calls li').allTextContents()).toEqual(['read_file: done', 'edit_file: done'])
  expect(await page.locator('#answer').textContent()).toBe('It is corrected.')
  await page.click('#undo')
  await file.getByText('Helo', { exact: true }).waitFor()
  expect(complaints).toEqual([])
  await page.close()
}

/** The first address that a path begins with says where its file is. */
async function serve(places: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://page')
    if (pathname === '/favicon.ico') return void response.writeHead(204).end()
    const [prefix = '/', place = ''] = Object.entries(places).find(([address]) => pathname.startsWith(address)) ?? []
    const name = pathname.slice(prefix.length) || 'index.html'
    const body = await readFile(join(place, name)).catch(() => undefined)
    response.setHeader('Content-Type', types[extname(name)] ?? 'text/html; charset=utf-8')
    response.writeHead(body === undefined ? 404 : 200).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' }
