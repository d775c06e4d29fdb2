import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { serveHttp } from '../../node/http.js'
import { type PageFiles, pageFiles } from '../../node/page-files.js'
import playground from '../../playground/vite.config.mjs'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { memory } from '../../src/fs/memory.js'
import { sampleProject } from '../../src/sample-project.js'
import { createWorkspace } from '../../src/workspace.js'

export interface PlaygroundSite {
  url: string
  /** Compressed sizes of the files that were asked for, in that order. */
  requested: Array<{ path: string; bytes: number; atMs: number }>
  /** The server can't be reached, as far as a browser can tell. */
  offline: boolean
  close(): Promise<void>
}

/** Builds the playground and serves it as `polyfs --memory --http` does. */
export async function servePlayground(): Promise<PlaygroundSite> {
  const outDir = await mkdtemp(join(tmpdir(), 'polyfs-playground-'))
  // As it is shipped; a test's own environment would make another build.
  const environment = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  await build({
    ...playground,
    configFile: false,
    logLevel: 'error',
    build: { ...playground.build, outDir, emptyOutDir: true, reportCompressedSize: false },
  })
  process.env.NODE_ENV = environment
  const files = pageFiles(outDir)
  if (files === undefined) throw new Error('No page was built')
  const requested: PlaygroundSite['requested'] = []
  const page: PageFiles = async (request, response) => {
    if (site.offline) {
      response.destroy()
      return true
    }
    const path = pathOf(request)
    const atMs = Date.now()
    const found = await files(request, response)
    if (found) requested.push({ path, atMs, bytes: await compressedSize(path) })
    return found
  }
  const server = await serveHttp({ workspace: createWorkspace({ fs: memory(sampleProject) }), dialect: polyfs, page })
  const site: PlaygroundSite = {
    url: server.pageUrl ?? '',
    requested,
    offline: false,
    async close() {
      await server.close()
      await rm(outDir, { recursive: true, force: true })
    },
  }
  return site

  async function compressedSize(path: string): Promise<number> {
    return gzipSync(await readFile(join(outDir, path === '/' ? 'index.html' : path))).length
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/[?#].*$/s, '')
}
