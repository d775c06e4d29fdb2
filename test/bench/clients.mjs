/** 64 HTTP clients with mixed calls at once: how long each kind of call takes, and whether memory grows. A round takes ten seconds. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const project = fileURLToPath(new URL('../..', import.meta.url))
const clientCount = 64
const targetMs = 1000
const mostMegabytes = 400
/** Without a pause 64 clients saturate the machine, and the time of a call only shows the length of the queue. */
const pauseMs = Number(process.env.POLYFS_BENCH_PAUSE_MS ?? 0)

export async function benchClients(_ours, rows, { rounds }) {
  // Outside of the project, so that another build can be measured at the same time.
  const command = process.env.POLYFS_BENCH_COMMAND ?? path.join(project, 'dist/node/cli.js')
  if (process.env.POLYFS_BENCH_COMMAND === undefined) {
    execFileSync(process.execPath, [path.join(project, 'build/build.mjs'), 'cli'], { stdio: 'ignore' })
  }
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-clients-'))
  const root = path.join(directory, 'root')
  for (let one = 0; one < clientCount; one += 1) plant(path.join(root, `d${one % 8}`), one)
  const env = { ...process.env, POLYFS_STATE_DIR: path.join(directory, 'state') }
  const args = [command, '--dialect', 'clarvis', '--max-sessions', '128', '--http', '0', root]
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const url = await addressOf(server)
    const clients = await Promise.all(Array.from({ length: clientCount }, () => connect(url)))
    const took = { read: [], write: [], edit: [], grep: [] }
    const seconds = rounds * 10
    const untilMs = performance.now() + seconds * 1000
    const memory = watchMemory(server.pid)
    const [cpuBefore, ownBefore] = [processorSeconds(server.pid), process.cpuUsage()]
    await Promise.all(clients.map((client, index) => work(client, index, took, untilMs)))
    const { early, late } = memory.end()
    const cpuSeconds = processorSeconds(server.pid) - cpuBefore
    const made = Object.values(took).reduce((sum, times) => sum + times.length, 0)
    const changing = took.write.length + took.edit.length
    rows.note(
      `mixed calls for ${seconds} s, a pause of ${pauseMs} ms after each: ${(made / seconds).toFixed(0)} a second, of which ${(changing / seconds).toFixed(0)} change a file`,
    )
    for (const [kind, times] of Object.entries(took)) {
      const sorted = times.sort((a, b) => a - b)
      const [p50, p99] = [0.5, 0.99].map((share) => sorted[Math.floor(sorted.length * share)] ?? 0)
      rows.note(`${kind}: ${times.length} calls, half of them within ${p50.toFixed(0)} ms`)
      rows.limit(`${clientCount} HTTP clients at once: 99 of 100 calls to ${kind} end within`, p99, targetMs)
    }
    const { user, system } = process.cpuUsage(ownBefore)
    rows.note(
      `processor: ${cpuSeconds.toFixed(1)} s of the server, ${((user + system) / 1e6).toFixed(1)} s of the clients`,
    )
    rows.limit(`${clientCount} HTTP clients at once: memory of the server`, Math.max(early, late), mostMegabytes, 'MB')
    rows.note(`memory: ${early} MB early, ${late} MB late`)
    await Promise.all(clients.map((client) => client.close()))
  } finally {
    server.kill()
    await once(server, 'close')
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

function plant(directory, one) {
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(directory, `file-${one}.txt`), `count 0\n${'a line of text\n'.repeat(250)}`)
}

function addressOf(server) {
  return new Promise((resolve, reject) => {
    let said = ''
    const listen = (chunk) => {
      said += chunk
      const address = /http:\/\/\S+\/mcp/.exec(said)?.[0]
      if (address !== undefined) resolve(new URL(address))
    }
    server.stdout.on('data', listen)
    server.stderr.on('data', listen)
    server.on('close', () => reject(new Error(`the server did not start: ${said}`)))
  })
}

async function connect(url) {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url))
  return client
}

/** Half of the calls read, the others write, edit and search. */
async function work(client, index, took, untilMs) {
  const file = `d${index % 8}/file-${index}.txt`
  let count = 0
  const calls = {
    read: () => ({ name: 'read_file', arguments: { path: file } }),
    write: () => ({ name: 'write_file', arguments: { path: `d${index % 8}/new-${index}.txt`, content: `${count}\n` } }),
    edit: () => ({
      name: 'edit_file',
      arguments: { path: file, old_string: `count ${count}\n`, new_string: `count ${++count}\n` },
    }),
    grep: () => ({ name: 'grep', arguments: { pattern: 'count \\d+', path: `d${index % 8}` } }),
  }
  const kinds = ['read', 'write', 'read', 'edit', 'read', 'grep']
  for (let turn = index; performance.now() < untilMs; turn += 1) {
    const kind = kinds[turn % kinds.length]
    const begunMs = performance.now()
    const { isError, content } = await client.callTool(calls[kind]())
    took[kind].push(performance.now() - begunMs)
    if (isError) throw new Error(`${kind}: ${JSON.stringify(content)}`)
    await sleep(pauseMs * 2 * Math.random())
  }
}

function processorSeconds(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Resident megabytes, in the second tenth of the time and in the last. */
function watchMemory(pid) {
  const seen = []
  const timer = setInterval(() => {
    const pages = Number(fs.readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
    seen.push(Math.round((pages * 4096) / (1 << 20)))
  }, 500)
  const middle = (part) => part.sort((a, b) => a - b)[part.length >> 1] ?? 0
  return {
    end() {
      clearInterval(timer)
      const tenth = Math.max(1, Math.floor(seen.length / 10))
      return { early: middle(seen.slice(tenth, 2 * tenth)), late: middle(seen.slice(-tenth)) }
    },
  }
}
