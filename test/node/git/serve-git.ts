import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gitEnvironment } from './real-git.js'

export interface GitServer {
  /** The address of the repository in the directory itself. */
  url: string
  origin: string
  close(): Promise<void>
}

export interface GitServerOptions {
  /** Pages may read it. */
  cors?: boolean
  /** Answers requests below these paths instead of git. */
  answers?: Record<string, (request: IncomingMessage, response: ServerResponse) => void>
}

/** Git's own server on a local socket. */
export async function serveGit(
  directory: string,
  { cors = false, answers = {} }: GitServerOptions = {},
): Promise<GitServer> {
  const server = createServer((request, response) => {
    if (cors) {
      response.setHeader('Access-Control-Allow-Origin', '*')
      response.setHeader('Access-Control-Allow-Headers', 'content-type, git-protocol')
    }
    const [, own] = Object.entries(answers).find(([path]) => request.url?.startsWith(`${path}/`)) ?? []
    if (request.method === 'OPTIONS') response.writeHead(204).end()
    else if (own !== undefined) own(request, response)
    else answer(directory, request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/.git`,
    origin,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function answer(directory: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...gitEnvironment,
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  })
  request.pipe(backend.stdin)
  const chunks: Buffer[] = []
  backend.stdout.on('data', (chunk) => chunks.push(chunk))
  backend.on('close', () => {
    const output = Buffer.concat(chunks)
    const end = output.indexOf('\r\n\r\n')
    for (const line of output.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(/: */)
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.end(output.subarray(end + 4))
  })
}
