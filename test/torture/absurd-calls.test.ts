/** Every tool of every dialect with absurd arguments over HTTP. A second client that reads is answered meanwhile, and memory stays bounded. */
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dialectNames } from '../../src/dialects/registry.js'
import { cliCommand, temporaryDirectory } from '../node/cli/run-cli.js'

/** Wide enough for a loaded machine; the faults that they catch took minutes and gigabytes. */
const longestAnswerMs = 60_000
const mostMegabytes = 1500
/** Processor time of the server for one call. */
const mostWorkMs = 10_000

interface Tool {
  name: string
  inputSchema: { properties?: Record<string, object>; required?: string[] }
}

const many = <Value>(count: number, value: (index: number) => Value) =>
  Array.from({ length: count }, (_, i) => value(i))

const texts = {
  long: 'x'.repeat(5_000_000),
  stars: '*a'.repeat(100_000),
  braces: '{a,b}'.repeat(20_000),
  parentheses: '('.repeat(50_000) + ')'.repeat(50_000),
  alternatives: many(40_000, (i) => `w${i}`).join('|'),
  directories: 'a/'.repeat(1_000_000),
  repetitions: '(a{1,1000}){1,1000}',
  lines: 'a\n'.repeat(1_000_000),
}
const numbers = { huge: Number.MAX_SAFE_INTEGER, negative: -Number.MAX_SAFE_INTEGER }
const lists = {
  'one name again and again': many(20_000, () => 'a.txt'),
  'many names': many(20_000, (i) => `dir/f${i}`),
  objects: many(10_000, () => ({ path: 'a.txt', old_string: 'zz', new_string: 'y' })),
  'wrong values': many(45_000, () => 1),
  'long names': many(50, () => 'x'.repeat(200_000)),
}

function absurdValues(schema: object): [string, unknown][] {
  const text = JSON.stringify(schema)
  return [
    ...(text.includes('"string"') ? Object.entries(texts) : []),
    ...(/"(integer|number)"/.test(text) ? Object.entries(numbers) : []),
    ...(text.includes('"array"') ? Object.entries(lists) : []),
  ]
}

describe.each(dialectNames)('%s', (dialect) => {
  test('answers another client meanwhile', async () => {
    const { root, url, pid } = await start(dialect)
    const [sender, reader] = [await connect(url), await connect(url)]
    if (dialect === 'file-editor') {
      for (const client of [sender, reader]) await client.call('set_workspace', { path: root })
    }
    const tools: Tool[] = (await sender.request('tools/list', {})).result.tools
    const read = tools.find(({ name }) => /read/.test(name))?.name ?? tools[0]?.name ?? ''
    let calls = 0
    let mostMs = 0
    for (const { name, inputSchema } of tools) {
      const { properties = {}, required = [] } = inputSchema
      const needed = Object.fromEntries(required.map((key) => [key, 'a.txt']))
      for (const [key, schema] of Object.entries(properties)) {
        // A command may use all of its timeout.
        if (key === 'command') continue
        for (const [label, value] of absurdValues(schema)) {
          const before = await usage(pid)
          let isOver = false
          const answer = sender.call(name, { ...needed, [key]: value }).finally(() => {
            isOver = true
          })
          while (!isOver) await reader.call(read, { path: join(root, 'a.txt') })
          expect((await answer).status).toBe(200)
          const { workMs, megabytes } = await usage(pid)
          mostMs = Math.max(mostMs, workMs - before.workMs)
          const within = { work: workMs - before.workMs < mostWorkMs, memory: megabytes < mostMegabytes }
          expect({ call: `${name} ${key} ${label}`, ...within }).toEqual({
            call: `${name} ${key} ${label}`,
            work: true,
            memory: true,
          })
          calls += 1
        }
      }
    }
    console.log(`${dialect}: ${calls} absurd calls of ${tools.length} tools, at most ${mostMs} ms of work for one`)
  })
})

async function start(dialect: string): Promise<{ root: string; url: string; pid: number }> {
  const root = await temporaryDirectory()
  await mkdir(join(root, 'dir'))
  await writeFile(join(root, 'a.txt'), 'alpha\n')
  for (let i = 0; i < 1000; i += 1) await writeFile(join(root, 'dir', `f${i}`), `line ${i}\nalpha\n`)
  const { command, args, env } = await cliCommand(['--dialect', dialect, '--http', '0', root])
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  const url = await new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk
      const [, address] = /at (http:\S+)/.exec(printed) ?? []
      if (address !== undefined) resolve(address)
    })
  })
  return { root, url, pid: child.pid ?? 0 }
}

async function connect(url: string) {
  let ids = 0
  let session: Record<string, string> = {}
  async function request(method: string, params: object) {
    const send = () =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...session,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: ++ids, method, params }),
        signal: AbortSignal.timeout(longestAnswerMs),
      })
    // The server closes idle connections after some seconds, maybe just now.
    const response = await send().catch((error: TypeError) => {
      if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'ECONNRESET') throw error
      return send()
    })
    const body = await response.text()
    const line = body.split('\n').find((each) => each.startsWith('data: {')) ?? body
    return { status: response.status, headers: response.headers, ...JSON.parse(line.replace(/^data: /, '')) }
  }
  const greeting = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { headers } = await request('initialize', greeting)
  session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
  return { request, call: (name: string, args: object) => request('tools/call', { name, arguments: args }) }
}

/** Processor time and memory of a process; only on Linux. */
async function usage(pid: number): Promise<{ workMs: number; megabytes: number }> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ])
  const fields = stat.slice(stat.lastIndexOf(')')).split(' ')
  const ticks = Number(fields[12]) + Number(fields[13])
  return { workMs: ticks * 10, megabytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024 }
}
