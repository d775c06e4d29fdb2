import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { serveHttp } from '../../../node/serve/http.js'
import { type PageFiles, pageFiles } from '../../../node/serve/page-files.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { sampleProject } from '../../../src/sample-project.js'
import { createWorkspace } from '../../../src/workspace.js'
import { builtPlayground } from './built-playground.js'

const idleMs = 500

/** By file: every page requests the same ones, and they do not change. */
const compressedSizes = new Map<string, Promise<number>>()

export interface PlaygroundSite {
  url: string
  /** Compressed sizes of the requested files, in order. */
  requested: Array<{ path: string; bytes: number }>
  /** Resolves when nothing has been requested for half a second. */
  idle(): Promise<void>
  /** True makes the server appear offline. */
  offline: boolean
  close(): Promise<void>
}

/** Serves the playground as `polyfs --memory --http` does. */
export async function servePlayground(): Promise<PlaygroundSite> {
  const directory = await builtPlayground()
  const files = pageFiles(directory)
  if (files === undefined) throw new Error('No page was built')
  const requested: PlaygroundSite['requested'] = []
  let lastMs = 0
  const page: PageFiles = async (request, response) => {
    if (site.offline) {
      response.destroy()
      return true
    }
    const path = pathOf(request)
    lastMs = Date.now()
    const found = await files(request, response)
    if (found) requested.push({ path, bytes: await compressedSize(path) })
    return found
  }
  const server = await serveHttp({ workspace: createWorkspace({ fs: memory(sampleProject) }), dialect: polyfs, page })
  const site: PlaygroundSite = {
    url: server.pageUrl ?? '',
    requested,
    offline: false,
    async idle() {
      while (Date.now() - lastMs < idleMs) await sleep(50)
    },
    close: () => server.close(),
  }
  return site

  function compressedSize(path: string): Promise<number> {
    const file = join(directory, path === '/' ? 'index.html' : path)
    const known = compressedSizes.get(file) ?? readFile(file).then((content) => gzipSync(content).length)
    compressedSizes.set(file, known)
    return known
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/[?#].*$/s, '')
}
