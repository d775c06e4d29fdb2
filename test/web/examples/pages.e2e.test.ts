/** The pages in examples/: two without a bundler, as they are; one in React, built with Vite. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright'
import { build } from 'vite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { chromiumOptions, patienceMs } from '../chromium.js'
import { hasPytest, installedPackages } from '../python/installed-packages.js'

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

test.skipIf(!hasPytest)('examples/fix-tests: an agent that mends what pytest and node --test find', async () => {
  // The directory that Python needs, as docs/emulated-shell.md says, and what pip leaves.
  const site = await mkdtemp(join(tmpdir(), 'polyfs-fix-tests-'))
  onTestFinished(() => rm(site, { recursive: true, force: true }))
  const engine = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'))
  await cp(join(root, 'examples/fix-tests'), site, { recursive: true })
  await cp(join(root, 'dist/web/python'), join(site, 'python'), { recursive: true })
  for (const name of ['pyodide.asm.wasm', 'python_stdlib.zip']) await cp(join(engine, name), join(site, 'python', name))
  await writeFile(join(site, 'packages.json'), JSON.stringify(installedPackages()))
  const page = await browser.newPage()
  page.setDefaultTimeout(patienceMs)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(await serve({ '/node_modules/polyfs/dist/': join(root, 'dist'), '/': site }))
  await page.click('#run')
  await page.locator('#answer').getByText('Both pass.').waitFor()
  const calls = await page.locator('#calls li').allTextContents()
  const shown = calls.map((text) => [
    /^\w+/.exec(text)?.[0],
    /\d+ (?:failed, )?(?:\d+ )?passed|fail \d+/.exec(text)?.[0] ?? 'no tests',
  ])
  expect(shown).toEqual([
    ['bash', '1 failed, 1 passed'],
    ['bash', 'fail 1'],
    ['edit_file', 'no tests'],
    ['edit_file', 'no tests'],
    ['bash', '2 passed'],
    ['bash', 'fail 0'],
  ])
  const source = page.locator('[id="price.py"]')
  expect(await source.textContent()).toContain('percent // 100')
  await page.click('#undo')
  await source.getByText('percent // 10', { exact: false }).waitFor()
  await page.waitForFunction(() => !document.getElementById('price.py')?.textContent?.includes('// 100'))
  expect(complaints).toEqual([])
  await page.close()
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
