import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'

const ticksPerSecond = 100

/** A minimal client of a server that is started with these arguments. */
export function connect({ args, env, cwd }) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'], env, cwd })
  // A server that has ended shows as a missing answer.
  child.stdin.on('error', () => {})
  const pending = new Map()
  let parts = []
  let lastId = 0
  child.stdout.on('data', (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString()
      parts = []
      start = end + 1
      const message = JSON.parse(line)
      pending.get(message.id)?.(message)
      pending.delete(message.id)
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  })
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    request(method, params) {
      const id = ++lastId
      return new Promise((resolve) => {
        pending.set(id, resolve)
        write({ id, method, params })
      })
    },
    notify: (method) => write({ method }),
    cpuMs() {
      const fields = fs.readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
      return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
    },
    residentMb: () => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024,
    kill: () => child.kill('SIGKILL'),
    async end() {
      child.stdin.end()
      await once(child, 'close')
    },
  }
}
