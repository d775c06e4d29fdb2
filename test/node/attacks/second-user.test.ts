/** Another user of the machine against a page and a server of episodes: what of theirs can be read, reached or ended. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'
import { sayYes, writeFiles } from '../eval/suite.js'
import { address, pageAt, places, start } from '../ui/started-ui.js'

const stranger = { uid: 65_534, gid: 65_534 }

/** What the other user has to know, and all they find out. */
interface Given {
  pid: number
  origin: string
  /** Places to look for files of the server in. */
  directories: string[]
  requests: [method: string, path: string, headers: Record<string, string>][]
}

interface Found {
  read: string[]
  answers: string[]
  killed: boolean
}

/** Runs as the other user, so it uses nothing of ours. */
const attack = `
const fs = require('node:fs'), http = require('node:http'), path = require('node:path')
const given = JSON.parse(process.argv[1])
const found = { read: [], answers: [], killed: false }
function look(place) {
  try { if (fs.lstatSync(place).isDirectory()) return fs.readdirSync(place).forEach((name) => look(path.join(place, name))) } catch { return }
  try { found.read.push(place + ' ' + fs.readFileSync(place, 'latin1').slice(0, 300)) } catch {}
}
given.directories.forEach(look)
for (const name of ['environ', 'maps', 'fd', 'cwd', 'root']) look('/proc/' + given.pid + '/' + name)
try { found.read.push('cmdline ' + fs.readFileSync('/proc/' + given.pid + '/cmdline', 'latin1')) } catch {}
try { process.kill(given.pid, 'SIGTERM'); found.killed = true } catch {}
const { hostname, port } = new URL(given.origin)
function ask([method, path, headers]) {
  return new Promise((resolve) => {
    const request = http.request({ hostname, port, method, path, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk)).on('end', () => resolve(method + ' ' + path + ' ' + response.statusCode))
    })
    request.on('upgrade', () => resolve(method + ' ' + path + ' upgraded'))
    request.on('error', (error) => resolve(method + ' ' + path + ' ' + error.code))
    request.end(method === 'POST' ? '{}' : undefined)
  })
}
;(async () => {
  for (const one of given.requests) found.answers.push(await ask(one))
  process.stdout.write(JSON.stringify(found), () => process.exit())
})()
`

async function asStranger(given: Given): Promise<Found> {
  const child = spawn(process.execPath, ['-e', attack, JSON.stringify(given)], {
    ...stranger,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  await once(child, 'close')
  return JSON.parse(output)
}

const upgrade = (protocols: string) => ({
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-protocol': protocols,
})

function pidOf({ pid = 0 }: ChildProcess): number {
  return pid
}

/** New in the directory for temporary files. */
async function whatIsNew<Result>(run: () => Promise<Result>): Promise<{ result: Result; made: string[] }> {
  const before = new Set(fs.readdirSync(tmpdir()))
  const result = await run()
  const made = fs.readdirSync(tmpdir()).filter((name) => !before.has(name))
  return { result, made: made.map((name) => path.join(tmpdir(), name)) }
}

describe('another user', () => {
  beforeEach(({ skip }) => {
    if (process.geteuid?.() !== 0) skip('only root can be another user')
  })

  test('finds no token, key or secret of a page, and gets in nowhere', async () => {
    const { root, state } = await places()
    // As on a machine where everybody may enter a user's directory.
    for (const directory of [path.dirname(root), root]) fs.chmodSync(directory, 0o755)
    const { result: server, made } = await whatIsNew(() => start(['ui', '--ask', '--shell', root], state))
    const printed = await server.printed(address)
    const page = await pageAt(printed)
    const [presence = ''] = fs
      .readdirSync(state, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
    const { secret } = JSON.parse(fs.readFileSync(path.join(state, presence), 'utf8')) as { secret: string }
    const found = await asStranger({
      pid: pidOf(server.child),
      origin: new URL(printed).origin,
      directories: [path.dirname(root), ...made],
      requests: [
        ['POST', '/ui/enter', {}],
        ['GET', '/ui/key', {}],
        ['GET', '/ui/socket', upgrade('polyfs')],
        ['GET', '/ui/member', upgrade('polyfs')],
        ['GET', '/ui/member', upgrade(`polyfs, key.${'a'.repeat(43)}`)],
        ['POST', '/ui/values?session=x', {}],
        ['POST', '/mcp', { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }],
        ['DELETE', '/mcp', {}],
      ],
    })
    expect(found.killed).toBe(false)
    const all = found.read.join('\n')
    for (const hidden of [secret, /token=([\w-]+)/.exec(printed)?.[1] ?? 'none']) expect(all).not.toContain(hidden)
    expect(found.read.filter((one) => one.startsWith(state))).toEqual([])
    expect(found.answers.map((one) => one.split(' ').at(-1))).toEqual([
      '403',
      '401',
      '401',
      '401',
      '401',
      '401',
      '401',
      '401',
    ])
    // Nothing of that has disturbed the page.
    await page.run('writeFiles', { files: [{ path: path.join(root, 'b.txt'), content: 'new\n' }] })
    expect(fs.readFileSync(path.join(root, 'b.txt'), 'utf8')).toBe('new\n')
  })

  test('finds no token of a server of episodes, and can neither read nor end one', async () => {
    const directory = await temporaryDirectory()
    fs.chmodSync(directory, 0o755)
    await writeFiles(path.join(directory, 'suite/right'), sayYes)
    const token = path.join(directory, 'token')
    const args = ['eval', 'serve', path.join(directory, 'suite'), '--http', '0', '--token-file', token]
    const { result, made } = await whatIsNew(async () => {
      const { command, args: given, env } = await cliCommand(args)
      const child = spawn(command, given, { env: { ...process.env, ...env }, stdio: 'pipe' })
      onTestFinished(() => void child.kill('SIGKILL'))
      let output = ''
      child.stdout.on('data', (chunk) => (output += chunk))
      await expect.poll(() => output).toMatch(/Stop with/)
      return { child, origin: /http:\S+/.exec(output)?.[0] ?? '' }
    })
    const bearer = fs.readFileSync(token, 'utf8').trim()
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    const opened = await fetch(`${result.origin}/episodes`, { method: 'POST', headers, body: '{"task":"right"}' })
    const { id } = (await opened.json()) as { id: string }
    expect(opened.status).toBe(201)
    const found = await asStranger({
      pid: pidOf(result.child),
      origin: result.origin,
      directories: [directory, ...made],
      requests: [
        ['GET', '/', {}],
        ['GET', '/tasks', {}],
        ['POST', '/episodes', {}],
        ['GET', `/episodes/${id}`, {}],
        ['GET', `/episodes/${id}/files/answer.txt`, { authorization: 'Bearer ' }],
        ['POST', `/episodes/${id}/exec`, { authorization: `Basic ${bearer}` }],
        ['POST', `/episodes/${id}/score`, {}],
        ['DELETE', `/episodes/${id}`, {}],
      ],
    })
    expect(found.killed).toBe(false)
    expect(found.read.join('\n')).not.toContain(bearer)
    expect(found.answers.map((one) => one.split(' ').at(-1))).toEqual(Array(8).fill('401'))
    expect((await fetch(`${result.origin}/episodes/${id}`, { headers })).status).toBe(200)
  })
})
