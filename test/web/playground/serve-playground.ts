import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveHttp } from '../../../node/serve/http.js'
import { type PageFiles, pageFiles } from '../../../node/serve/page-files.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { sampleProject } from '../../../src/sample-project.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { builtPlayground } from './built-playground.js'

const idleMs = 500

export interface PlaygroundSite {
  url: string
  /** How many bytes were sent for each requested file, in order. */
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
    const before = request.socket.bytesWritten
    const found = await files(request, response)
    // A connection answers one request at a time, so that this is one answer, with its headers.
    if (found) requested.push({ path, bytes: request.socket.bytesWritten - before })
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
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/[?#].*$/s, '')
}
