/** A page with a bash whose python3 runs, and `node` on the browser's own engine if the headers isolate the page. Without headers it is served as a static host does. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { chromiumOptions, patienceMs } from '../chromium.js'

/** With these a page is isolated from others, and may share memory with its workers. */
export const isolating = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

const built = fileURLToPath(new URL('../../../dist/web', import.meta.url))
const engine = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'))
const engineFiles = ['pyodide.asm.wasm', 'python_stdlib.zip']

const texts: Record<string, string> = {
  '/': '<!doctype html><title>Python</title><script type="module" src="/page.js"></script>',
  '/page.js': `
    import { memory } from '/polyfs/core.js'
    import { createBash } from '/polyfs/bash.js'
    const repeatable = { now: () => 1_700_000_000_000, random: () => 0.5 }
    globalThis.makeBash = (files, own) => {
      globalThis.bash = createBash({ fs: memory(files), env: { TZ: 'UTC' }, ...(own && repeatable) })
    }
    makeBash({})
    globalThis.isReady = true
  `,
}

export interface Ran {
  stdout: string
  stderr: string
  exitCode: number
}

export interface RoomPage {
  page: Page
  context: BrowserContext
  /** What was asked of the server, each address with the bytes of its answer. */
  asked: Map<string, number>
  /** Runs a script of the shell. */
  sh(script: string, timeoutMs?: number): Promise<Ran>
  /** Runs Python code. */
  python(code: string): Promise<Ran>
  /** A new bash on these files; with `own` it has a clock and random numbers of its own. */
  files(files: Record<string, string>, own?: boolean): Promise<void>
  /** Loads the page again. */
  again(): Promise<void>
  close(): Promise<void>
}

export interface RoomPageOptions {
  /** Requests that are not answered. */
  without?: RegExp
  /** Requests that are answered with the page. */
  instead?: RegExp
  headers?: Readonly<Record<string, string>>
  /** Runs in the page before its own code. */
  before?: string
}

export async function roomPage({ without, instead, headers = {}, before }: RoomPageOptions = {}): Promise<RoomPage> {
  const asked = new Map<string, number>()
  const server = createServer(async ({ url = '/' }, response) => {
    const asks = new URL(url, 'http://page').pathname
    const pathname = instead?.test(asks) ? '/' : asks
    const body = without?.test(pathname) ? '' : (texts[pathname] ?? (await readFile(fileOf(pathname)).catch(() => '')))
    asked.set(pathname, body.length)
    response.setHeader('Content-Type', typeOf(pathname))
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.writeHead(body === '' && pathname !== '/favicon.ico' ? 404 : 200).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser: Browser = await chromium.launch(chromiumOptions)
  const context = await browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  if (before !== undefined) await page.addInitScript(before)
  const open = async () => {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.waitForFunction(() => 'isReady' in globalThis)
  }
  await open()

  const sh = (script: string, timeoutMs = 120_000): Promise<Ran> =>
    page.evaluate(
      async ([given, limit]) => {
        const { bash } = globalThis as unknown as { bash: { exec(script: string, options: object): Promise<Ran> } }
        const { stdout, stderr, exitCode } = await bash.exec(given, { timeoutMs: limit })
        return { stdout, stderr, exitCode }
      },
      [script, timeoutMs] as const,
    )

  return {
    page,
    context,
    asked,
    sh,
    python: (code) => sh(`python3 -c '${code.replaceAll("'", "'\\''")}'`),
    files: (files, own = false) =>
      page.evaluate(
        ([given, isOwn]) =>
          (globalThis as unknown as { makeBash(files: object, own: boolean): void }).makeBash(given, isOwn),
        [files, own] as const,
      ),
    again: open,
    async close() {
      await browser.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

function fileOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (path.startsWith('/python/')) return engineFiles.includes(name) ? join(engine, name) : join(built, path)
  return join(built, path.replace('/polyfs/', ''))
}

function typeOf(path: string): string {
  if (path.endsWith('.js')) return 'text/javascript'
  return path.endsWith('.wasm') ? 'application/wasm' : 'text/html; charset=utf-8'
}
