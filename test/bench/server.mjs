/**
 * The server over stdio, compared with a server of the SDK that does nothing, with the official file server, and for large writes with
 * a server that only writes.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { peers } from './corpus.mjs'
import { median } from './measure.mjs'
import { connect } from './stdio-client.mjs'

const project = fileURLToPath(new URL('../..', import.meta.url))

export async function benchServer(_ours, rows, { rounds, only }) {
  execFileSync(process.execPath, [path.join(project, 'build/build.mjs'), 'cli'], { stdio: 'ignore' })
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-bench-server-'))
  const root = path.join(directory, 'root')
  fs.mkdirSync(root)
  fs.writeFileSync(path.join(root, 'small.txt'), text(4096))
  fs.writeFileSync(path.join(root, 'large.txt'), text(9 << 20))
  try {
    const servers = contestants(root, directory)
    const results = { ours: [], usual: [], plain: [], official: [], bare: [] }
    for (let round = 0; round < rounds; round += 1) {
      const order = Object.keys(servers).sort(() => Math.random() - 0.5)
      for (const name of order) results[name].push(await measure(servers[name]))
      process.stderr.write(`round ${round + 1} of ${rounds}\r`)
    }
    print(rows, results, only)
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

function contestants(root, directory) {
  const installed = peers(
    '@modelcontextprotocol/server-filesystem@2026.8.31',
    '@modelcontextprotocol/sdk@1.32.2',
    'zod@4.1.13',
  )
  const plain = path.join(installed, 'plain-server.mjs')
  fs.writeFileSync(plain, plainServer)
  const bare = path.join(directory, 'bare-server.mjs')
  fs.writeFileSync(bare, bareServer)
  const env = { ...process.env, POLYFS_STATE_DIR: path.join(directory, 'state') }
  return {
    ours: {
      args: [path.join(project, 'dist/node/cli.js'), '--dialect', 'clarvis', '--max-output-bytes', '32M', root],
      read: (file) => ({ name: 'read_file', arguments: { path: file } }),
      readAll: (file) => ({ name: 'read_file', arguments: { path: file, limit: 2_000_000 } }),
      write: (file, content) => ({ name: 'write_file', arguments: { path: file, content } }),
      env,
    },
    usual: {
      args: [path.join(project, 'dist/node/cli.js'), root],
      read: (file) => ({ name: 'read_file', arguments: { path: file } }),
      env,
    },
    plain: { args: [plain], read: (file) => ({ name: 'noop', arguments: { path: file } }), env },
    official: {
      args: [path.join(installed, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'), root],
      read: (file) => ({ name: 'read_text_file', arguments: { path: path.join(root, file) } }),
      env,
    },
    bare: {
      args: [bare, root],
      write: (file, content) => ({ name: 'write', arguments: { path: `bare-${file}`, content } }),
      env,
    },
  }
}

/** Writes as durably as ours, without checking paths and rights, and without undo. */
const bareServer = `
import fs from 'node:fs'
import path from 'node:path'
const root = process.argv[2]
let parts = []
process.stdin.on('data', (chunk) => {
  for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10)) {
    const line = Buffer.concat([...parts, chunk.subarray(0, end)]).toString()
    parts = []
    chunk = chunk.subarray(end + 1)
    const { id, params } = JSON.parse(line)
    if (params?.arguments) write(path.join(root, params.arguments.path), params.arguments.content)
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }))
  }
  if (chunk.length > 0) parts.push(chunk)
})
function write(file, content) {
  fs.writeFileSync(file + '.new', content, { flush: true })
  fs.renameSync(file + '.new', file)
  const directory = fs.openSync(path.dirname(file))
  fs.fsyncSync(directory)
  fs.closeSync(directory)
}
`

/** One tool, which answers with 4 KB and touches nothing. */
const plainServer = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import * as z from 'zod'
const text = ${JSON.stringify(text(4096))}
const server = new McpServer({ name: 'plain', version: '1' })
server.registerTool('noop', { inputSchema: { path: z.string() } }, async () => ({ content: [{ type: 'text', text }] }))
await server.connect(new StdioServerTransport())
`

/** A request that the SDK's own transport copies again and again, and one that it hangs up on. */
const largeMb = { written: 9, hungUpOn: 11 }
const writes = 5

async function measure(server) {
  const started = performance.now()
  const client = connect(server)
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  const startMs = performance.now() - started
  const startCpuMs = client.cpuMs()
  client.notify('notifications/initialized')
  const idleMb = client.residentMb()
  if (!server.read) {
    const written = await measureWrites(client, server)
    await client.end()
    return written
  }
  const list = await client.request('tools/list', {})
  const call = () => client.request('tools/call', server.read('small.txt'))
  for (let i = 0; i < 300; i += 1) await call()

  const alone = []
  for (let i = 0; i < 500; i += 1) {
    const at = performance.now()
    await call()
    alone.push(performance.now() - at)
  }
  const throughput = {}
  const cpu = client.cpuMs()
  const calls = 4000
  for (const width of [32, 256]) {
    const at = performance.now()
    let left = calls
    const worker = async () => {
      while (left-- > 0) await call()
    }
    await Promise.all(Array.from({ length: width }, worker))
    throughput[width] = calls / ((performance.now() - at) / 1000)
  }
  const cpuPerCallUs = ((client.cpuMs() - cpu) * 1000) / (2 * calls)
  const busyMb = client.residentMb()
  let largeMs
  if (server.readAll) {
    const at = performance.now()
    const { result } = await client.request('tools/call', server.readAll('large.txt'))
    largeMs = performance.now() - at
    if (result.content[0].text.length < 9 << 20) throw new Error('the large file was cut')
  }
  const written = server.write && (await measureWrites(client, server))
  await client.end()
  return {
    ...written,
    startMs,
    startCpuMs,
    listBytes: JSON.stringify(list.result).length,
    p50Ms: median(alone),
    perSecond32: throughput[32],
    perSecond256: throughput[256],
    cpuPerCallUs,
    idleMb,
    busyMb,
    largeMs,
  }
}

/** New files, and replacing a file of the same size, which ours stores for undo. */
async function measureWrites(client, { write }) {
  const created = await timeWrites(client, () => `new-${newFiles++}.txt`, write)
  const replaced = await timeWrites(client, () => 'written.txt', write)
  const { result } = await client.request('tools/call', write('written.txt', text(largeMb.hungUpOn << 20)))
  if (!result || result.isError) throw new Error(`a file of ${largeMb.hungUpOn} MB was not written`)
  return { createMs: created.ms, createCpuMs: created.cpuMs, replaceMs: replaced.ms, replaceCpuMs: replaced.cpuMs }
}

let newFiles = 0

async function timeWrites(client, name, write) {
  const times = []
  const cpu = client.cpuMs()
  for (let i = 0; i < writes; i += 1) {
    // New content every time: writing the same would be not a change.
    const call = write(name(), `${i}${text(largeMb.written << 20)}`)
    const at = performance.now()
    const { result } = await client.request('tools/call', call)
    times.push(performance.now() - at)
    if (!result || result.isError) throw new Error('a large file was not written')
  }
  return { ms: median(times), cpuMs: (client.cpuMs() - cpu) / writes }
}

function print(rows, { ours, usual, plain, official, bare }, only) {
  const of = (results, key) => median(results.map((result) => result[key]))
  /** The median of the rounds' own ratios; for speeds, of the inverse. */
  const ratio = (key, mine, theirs, inverse) =>
    median(mine.map((own, i) => (inverse ? theirs[i][key] / own[key] : own[key] / theirs[i][key])))
  const row = (title, against, key, theirs, target, { inverse = false, mine = ours, unit = 'ms' } = {}) => {
    if (!title.includes(only)) return
    const measured = {
      oursMs: of(mine, key),
      theirsMs: of(theirs, key),
      ratio: ratio(key, mine, theirs, inverse),
      unit,
    }
    rows.row(title, against, measured, target)
  }
  const sdk = 'SDK server that does nothing'
  const file = 'official file server'
  const writer = 'server that only writes'
  const byDefault = { mine: usual }
  rows.note('polyfs serves the dialect clarvis, except where the default dialect is named')
  rows.note('for calls a second the ratio is theirs to ours')
  row('start a server, until it answers', sdk, 'startMs', plain, 0.7)
  row('processor time to start a server', sdk, 'startCpuMs', plain, 0.7)
  row('start a server, until it answers', file, 'startMs', official)
  row('start a server, default dialect', sdk, 'startMs', plain, 0.7, byDefault)
  row('read 4 KB', file, 'p50Ms', official, 1 / 3)
  row('read 4 KB', sdk, 'p50Ms', plain)
  row('read 4 KB, default dialect', file, 'p50Ms', official, 1 / 3, byDefault)
  row('processor time to read 4 KB', sdk, 'cpuPerCallUs', plain, 1.3, { unit: 'µs' })
  row('processor time to read 4 KB', file, 'cpuPerCallUs', official, 1 / 3, { unit: 'µs' })
  row('processor time to read 4 KB, default dialect', sdk, 'cpuPerCallUs', plain, 1.3, { ...byDefault, unit: 'µs' })
  const aSecond = { inverse: true, unit: 'calls a second' }
  row('reads of 4 KB, 32 at once', file, 'perSecond32', official, 1 / 2.5, aSecond)
  row('reads of 4 KB, 256 at once', file, 'perSecond256', official, 1 / 2.5, aSecond)
  row('write 9 MB to a new file', writer, 'createMs', bare, 1.2)
  row('processor time to write 9 MB to a new file', writer, 'createCpuMs', bare)
  row('write 9 MB over a file of 9 MB', writer, 'replaceMs', bare, 1.2)
  row('processor time to write 9 MB over a file', writer, 'replaceCpuMs', bare)
  row('size of the list of tools', file, 'listBytes', official, undefined, { unit: 'bytes' })
  row('memory after the start', file, 'idleMb', official, undefined, { unit: 'MB' })
  row('memory after reads', file, 'busyMb', official, undefined, { unit: 'MB' })
  rows.note(`a write of ${largeMb.hungUpOn} MB was answered in every round`)
  rows.note(`9 MB read ${of(ours, 'largeMs').toFixed(0)} ms; the official server can't answer it`)
}

function text(bytes) {
  const line = 'The quick brown fox jumps over the lazy dog, and "quotes" are \\ escaped.\n'
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes)
}
