import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { nodeShims } from '../../build/vite-plugin.js'

export interface PageOptions {
  /** Called with what the page posts to `/report`. */
  onReport?: (report: string) => void
}

/** Builds a page of this directory for production, and serves it on loopback with strict headers. */
export async function servePage(
  name: string,
  { onReport }: PageOptions = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const outDir = await mkdtemp(join(tmpdir(), 'polyfs-page-'))
  await build({
    root: fileURLToPath(new URL(`./${name}`, import.meta.url)),
    configFile: false,
    logLevel: 'error',
    plugins: [nodeShims()],
    worker: { format: 'es', plugins: () => [nodeShims()] },
    build: { outDir, emptyOutDir: true, target: 'es2022' },
  })
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: false,
      lib: {
        entry: {
          'polyfs-service-worker': fileURLToPath(new URL('../../web/endpoint/service-worker.ts', import.meta.url)),
        },
        formats: ['es'],
      },
      rolldownOptions: { output: { entryFileNames: '[name].js' } },
    },
  })
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname
    if (path === '/report') {
      onReport?.(await text(request))
      return void response.writeHead(204).end()
    }
    if (path === '/favicon.ico') return void response.writeHead(204).end()
    try {
      const body = await readFile(join(outDir, path === '/' ? 'index.html' : path))
      response.setHeader('Content-Type', types[extname(path)] ?? 'text/html; charset=utf-8')
      response.setHeader('Content-Security-Policy', "default-src 'self'")
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(outDir, { recursive: true })
    },
  }
}

const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' }
