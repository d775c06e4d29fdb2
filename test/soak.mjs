/**
 * `npm run soak -- [--minutes N] [--workers N]`: mixed calls for a long time through the built command, each answer compared with what must
 * be there. Fails on a wrong answer, on descriptors that stay open, on memory that keeps growing, and on a heap that after each collection
 * has grown by more than `mostBytesPerCall` for each call.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { heapAfterCollection, heapGrowth, mostBytesPerCall, tellingHeap } from './heap-growth.mjs'

const { values } = parseArgs({ options: { minutes: { type: 'string' }, workers: { type: 'string' } } })
const minutes = Number(values.minutes ?? 10)
const workers = Number(values.workers ?? 8)
const project = fileURLToPath(new URL('..', import.meta.url))
if (!fs.existsSync(path.join(project, 'dist/node/cli.js')))
  execFileSync('node', ['build/build.mjs', 'cli'], { cwd: project })

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-soak-'))
const root = path.join(directory, 'root')
fs.mkdirSync(root)
const state = path.join(directory, 'state')
const heapFile = path.join(directory, 'heap')
const command = [path.join(project, 'dist/node/cli.js'), '--dialect', 'clarvis', root]
const child = spawn(process.execPath, [...tellingHeap, ...command], {
  stdio: ['pipe', 'pipe', 'inherit'],
  env: { ...process.env, POLYFS_STATE_DIR: state, POLYFS_HEAP_FILE: heapFile },
})
const pending = new Map()
createInterface(child.stdout).on('line', (line) => {
  const message = JSON.parse(line)
  pending.get(message.id)?.(message)
  pending.delete(message.id)
})
let lastId = 0
function request(method, params) {
  const id = ++lastId
  return new Promise((resolve) => {
    pending.set(id, resolve)
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  })
}
async function call(name, args) {
  const at = performance.now()
  const { result, error } = await request('tools/call', { name, arguments: args })
  const latency = performance.now() - at
  since.add(name, latency)
  overall.add(name, latency)
  calls += 1
  if (error) return { text: error.message, isError: true }
  return { text: result.content[0].text, isError: result.isError ?? false }
}

let calls = 0
let wrong = 0
let since = latencies()
const overall = latencies()
const samples = []
const endMs = Date.now() + minutes * 60_000

await request('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'soak', version: '1' },
})
child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
await Promise.all(Array.from({ length: workers }, (_, n) => prepare(n)))
const descriptorsBefore = descriptors()
const reporting = setInterval(() => void report(), Math.max(1000, (minutes * 60_000) / 20))
await Promise.all(Array.from({ length: workers }, (_, n) => work(n)))
clearInterval(reporting)
await report()

const quarter = Math.max(1, Math.floor(samples.length / 4))
const mean = (some) => some.reduce((sum, { rssMb }) => sum + rssMb, 0) / some.length
// The first sample is taken before every kind of call has run once.
const [early, late] = [mean(samples.slice(1, 1 + quarter)), mean(samples.slice(-quarter))]
const descriptorsAfter = descriptors()
child.stdin.end()
const [code] = await once(child, 'close')
const left = fs.readdirSync(root, { recursive: true }).filter((name) => /\.tmp|polyfs-/.test(name))
fs.rmSync(directory, { recursive: true, force: true })
const grows = late > early * 1.1 + 5
const heap = heapGrowth(samples)
console.log(`in all: ${overall.summary()}`)
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
console.log(
  `heap after collection ${megabytes(heap.early)} early, ${megabytes(heap.late)} late: ${heap.perCall.toFixed(0)} bytes for each call, ` +
    `at most ${mostBytesPerCall}${heap.isLeak ? ': a LEAK' : ''}`,
)
console.log(
  `${calls} calls, ${wrong} wrong; resident ${early.toFixed(0)} MB early, ${late.toFixed(0)} MB late; ` +
    `descriptors ${descriptorsBefore} before, ${descriptorsAfter} after; ${left.length} stray files; exit code ${code}`,
)
process.exit(
  wrong > 0 || grows || heap.isLeak || descriptorsAfter > descriptorsBefore + 8 || left.length > 0 || code !== 0
    ? 1
    : 0,
)

async function prepare(n) {
  fs.mkdirSync(path.join(root, `worker-${n}`))
  await call('write_file', { path: `worker-${n}/first.txt`, content: 'first\n' })
  await call('grep', { pattern: 'first' })
}

/** Tracks the expected content of its own files. */
async function work(n) {
  const files = new Map()
  const random = (below) => Math.floor(Math.random() * below)
  const name = () => `worker-${n}/file-${random(40)}.txt`
  const check = (isRight, what) => {
    if (isRight) return
    wrong += 1
    console.error(`worker ${n}: wrong answer to ${what}`)
  }
  let stamp = 0
  while (Date.now() < endMs) {
    const file = name()
    const known = files.get(file)
    const what = random(10)
    if (what < 3 || known === undefined) {
      const content = `${file} ${++stamp}\n${'line of text\n'.repeat(random(200))}`
      check(!(await call('write_file', { path: file, content })).isError, `write ${file}`)
      files.set(file, content)
    } else if (what < 7) {
      const { text } = await call('read_file', { path: file })
      check(text.startsWith(`     1\t${known.split('\n')[0]}`), `read ${file}`)
    } else if (what < 8) {
      const [first] = known.split('\n')
      const next = `${file} ${++stamp} edited`
      const { isError } = await call('edit_file', { path: file, old_string: `${first}\n`, new_string: `${next}\n` })
      check(!isError, `edit ${file}`)
      files.set(file, known.replace(first, next))
    } else if (what < 9) {
      const { text } = await call('list_dir', { path: `worker-${n}` })
      check(text.split('\n').length === files.size + 1, 'list')
    } else {
      const [first] = known.split('\n')
      const { text } = await call('grep', { pattern: first.replaceAll('.', '\\.'), path: `worker-${n}` })
      check(text.includes(path.basename(file)), `grep ${file}`)
    }
  }
}

function descriptors() {
  return fs.readdirSync(`/proc/${child.pid}/fd`).length
}

async function report() {
  const heapBytes = await heapAfterCollection(child, heapFile)
  const rssMb = Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024
  samples.push({ rssMb, calls, heapBytes })
  console.log(
    `${calls} calls, resident ${rssMb.toFixed(0)} MB, heap ${(heapBytes / 1e6).toFixed(1)} MB, ${descriptors()} descriptors; ${since.summary()}`,
  )
  since = latencies()
}

/** How long calls took, tool by tool. */
function latencies() {
  const byTool = new Map()
  return {
    add(tool, ms) {
      if (!byTool.has(tool)) byTool.set(tool, [])
      byTool.get(tool).push(ms)
    },
    summary: () => [...byTool].map(([tool, all]) => `${tool} ${quantiles(all)}`).join(', ') + ' ms (p50/p99/most)',
  }
}

function quantiles(all) {
  const sorted = all.sort((a, b) => a - b)
  return [0.5, 0.99, 1]
    .map((share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1))
    .join('/')
}
