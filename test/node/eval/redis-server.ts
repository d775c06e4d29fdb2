/** Debian's redis-server, started for a test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const redisIsMissing = !(process.env.PATH ?? '')
  .split(path.delimiter)
  .some((directory) => existsSync(path.join(directory, 'redis-server')))

export const whyNoRedis = 'redis-server is not installed'

export interface RedisServer {
  readonly url: string
  /** Ends it, and waits for that. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Starts it again, with what it has stored. */
  start(): Promise<void>
  /** Ends it for good. */
  remove(): Promise<void>
}

export async function startRedis({
  appendOnly = true,
  password,
}: {
  appendOnly?: boolean
  password?: string
} = {}): Promise<RedisServer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'polyfs-redis-'))
  const port = await freePort()
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const options = {
      port,
      bind: '127.0.0.1',
      dir: directory,
      appendonly: appendOnly ? 'yes' : 'no',
      save: '',
      ...(password !== undefined && { requirepass: password }),
    }
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
    child = spawn('redis-server', args, { stdio: 'ignore' })
    for (let waited = 0; !(await isListening(port)); waited += 50) {
      if (waited > 20_000) throw new Error('redis-server did not start')
      await sleep(50)
    }
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const ending = child
    child = undefined
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = new Promise((resolve) => ending.once('close', resolve))
    ending.kill(signal)
    await ended
  }

  await start()
  return {
    url: `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
    start,
    stop,
    async remove() {
      await stop('SIGKILL')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
    socket.once('connect', () => socket.end())
  })
}
