/**
 * Loads the built web entry in a page without a bundler, under a strict Content Security Policy, and uses git and
 * archives, which need most.
 */
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FileEndpoint } from '../../../web/index.js'
import { sample } from '../../scale.js'
import { chromiumOptions, patienceMs } from '../chromium.js'

const built = fileURLToPath(new URL('../../../dist/web', import.meta.url))

const texts: Record<string, string> = {
  '/': '<!doctype html><title>polyfs as it is built</title><script type="module" src="/page.js"></script>',
  '/page.js': `
    import { opfs, serveFiles } from '/polyfs/index.js'
    globalThis.open = async (way) => {
      const fs = way === 'OPFS' ? await opfs(crypto.randomUUID()) : { memory: {} }
      globalThis.files = await serveFiles({ fs })
      return files.runsIn
    }
    globalThis.isReady = true
  `,
}

/** A global of the page; only code that runs in the page may use it. */
declare const files: FileEndpoint

let server: Server
let browser: Browser

beforeAll(async () => {
  server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://page')
    const body = texts[pathname] ?? (await readFile(join(built, pathname.replace('/polyfs/', ''))).catch(() => ''))
    response.setHeader('Content-Type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8')
    response.setHeader('Content-Security-Policy', "default-src 'self'")
    response.writeHead(body === '' && pathname !== '/favicon.ico' ? 404 : 200).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  browser = await chromium.launch(chromiumOptions)
})

afterAll(async () => {
  await browser?.close()
  server?.closeAllConnections()
  server?.close()
})

test.each(sample(['OPFS', 'memory']))('git and archives work in %s', async (way) => {
  const page = await browser.newPage()
  page.setDefaultTimeout(patienceMs)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.waitForFunction(() => 'isReady' in globalThis)
  expect(await page.evaluate((chosen) => (globalThis as unknown as Opening).open(chosen), way)).toBe('worker')
  const call = (tool: string, args: object) =>
    page.evaluate(
      async ([name, given]) => {
        const { content, isError = false } = await files.callTool(name, given)
        return { text: content.map(({ text }) => text).join('\n'), isError }
      },
      [tool, args] as const,
    )
  const done = (text: unknown) => ({ text, isError: false })
  await call('write_file', { path: 'src/a.txt', content: 'one\n' })
  expect(await call('git', { action: 'init' })).toMatchObject({ isError: false })
  expect(await call('git', { action: 'add', paths: ['.'] })).toMatchObject({ isError: false })
  const author = 'Ada <ada@example.org>'
  expect(await call('git', { action: 'commit', message: 'first', author })).toMatchObject({ isError: false })
  await call('write_file', { path: 'src/a.txt', content: 'two\n' })
  expect(await call('git', { action: 'diff' })).toEqual(done(expect.stringContaining('-one\n+two')))
  expect(await call('archive', { action: 'create', path: 'all.zip', paths: ['src'] })).toMatchObject({ isError: false })
  expect(await call('archive', { action: 'extract', path: 'all.zip', destination: 'out' })).toEqual(
    done(expect.stringMatching(/^extracted 1 file \(4 B\) into out\n\[change /)),
  )
  expect(await call('read_file', { path: 'out/src/a.txt', format: 'raw' })).toEqual(
    done(expect.stringMatching(/^two\n/)),
  )
  expect(complaints).toEqual([])
  await page.evaluate(() => files.close())
  await page.close()
})

interface Opening {
  open(way: string): Promise<string>
}
