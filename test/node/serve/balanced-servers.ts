/** Several servers as processes, and a proxy in front that sends each request to the next one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { built } from '../cli/built.js'

export interface BalancedServers {
  /** The address of the proxy. */
  readonly url: string
  /** Kills one process, and starts another in its place. Does nothing while only one answers. */
  killOne(): boolean
  readonly kills: number
  close(): Promise<void>
}

interface Backend {
  port?: number
  child: ChildProcess
}

export async function startBalanced(args: readonly string[], count: number): Promise<BalancedServers> {
  const cli = built('node/cli.js')
  const backends: Backend[] = []
  let turn = 0
  let kills = 0
  let isClosing = false

  function start(index: number): Promise<void> {
    const child = spawn(process.execPath, [cli, ...args, '--http', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
    const backend: Backend = { child }
    backends[index] = backend
    return new Promise((resolve, reject) => {
      let said = ''
      child.stdout?.on('data', (data) => {
        said += data
        const port = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(said)?.[1]
        if (port === undefined || backend.port !== undefined) return
        backend.port = Number(port)
        resolve()
      })
      child.once('exit', (code) => {
        if (backends[index] === backend) delete backend.port
        if (!isClosing) reject(new Error(`a server ended with ${code}: ${said}`))
      })
    })
  }

  /** The next one that answers. */
  function next(): number | undefined {
    for (let tried = 0; tried < count; tried += 1) {
      turn += 1
      const { port } = backends[turn % count] ?? {}
      if (port !== undefined) return port
    }
    return undefined
  }

  const proxy = createServer(async (request, response) => {
    const body: Buffer[] = []
    for await (const part of request) body.push(part as Buffer)
    const port = next()
    if (port === undefined) return response.writeHead(503).end('no server is up')
    const headers = { ...request.headers, host: `127.0.0.1:${port}` }
    const onward = send({ port, path: request.url, method: request.method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    // A balancer does not know whether a server has done what it did not answer.
    onward.on('error', (error) => response.headersSent || response.writeHead(502).end(`bad gateway: ${error.message}`))
    onward.end(Buffer.concat(body))
  })
  await Promise.all([
    new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening)),
    ...Array.from({ length: count }, (_, index) => start(index)),
  ])
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`,
    get kills() {
      return kills
    },
    killOne() {
      const up = backends.flatMap(({ port }, index) => (port === undefined ? [] : [index]))
      const index = up[kills % up.length]
      if (up.length < 2 || index === undefined) return false
      const victim = backends[index] as Backend
      delete victim.port
      victim.child.kill('SIGKILL')
      kills += 1
      start(index).catch(() => {})
      return true
    },
    async close() {
      isClosing = true
      proxy.closeAllConnections()
      await new Promise((closed) => proxy.close(closed))
      for (const { child } of backends) {
        const ended = new Promise((resolve) => child.once('close', resolve))
        if (child.exitCode !== null || child.signalCode !== null) continue
        child.kill('SIGKILL')
        await ended
      }
    },
  }
}
