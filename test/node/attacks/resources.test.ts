/** `resources/read` shows what `read_file` may show, and no spelling of a URI gets it further, holds it up or ends it. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { serve } from '../../../src/mcp/serve.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { aim, attacks } from '../../attacks/corpus.js'
import { canary } from '../../attacks/layout.js'
import type { Stage } from '../../attacks/suite.js'
import { sample, scaled } from '../../scale.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { linked } from '../serve/linked-transports.js'
import { diskStage } from './stage.js'

let stage: Stage

beforeAll(async () => {
  stage = await diskStage()
})
afterAll(() => stage.close())

async function connect(workspace: Workspace): Promise<Client> {
  const [near, far] = linked()
  const server = serve(far, { workspace, dialect: polyfs })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  return client
}

/** Ways to write a path in a URI. Some are not URI at all. */
const spellings: Record<string, (given: string) => string> = {
  'as it is': (given) => `polyfs://${given}`,
  encoded: (given) => `polyfs://${given.split('/').map(encoded).join('/')}`,
  'with encoded slashes': (given) => `polyfs:///${encoded(given.slice(1))}`,
  'every byte encoded': (given) => `polyfs:///${everyByte(given.slice(1))}`,
  'in lower case': (given) => `polyfs:///${everyByte(given.slice(1)).toLowerCase()}`,
  'with encoded dots': (given) => `polyfs://${given.replaceAll('.', '%2e')}`,
  'encoded twice': (given) => `polyfs:///${everyByte(everyByte(given.slice(1)))}`,
  'overlong dots': (given) => `polyfs://${given.replaceAll('.', '%c0%ae')}`,
  'with a NUL at its end': (given) => `polyfs://${given}%00`,
  'with a NUL and a suffix': (given) => `polyfs://${given}%00.txt`,
  'with a query': (given) => `polyfs://${given}?a=/../..`,
  'with a fragment': (given) => `polyfs://${given}#/../../`,
  'with parameters': (given) => `polyfs://${given};a=b`,
  'with a host': (given) => `polyfs://localhost${given}`,
  'with a user and a host': (given) => `polyfs://root@127.0.0.1:80${given}`,
  'without an authority': (given) => `polyfs:${given}`,
  'with four slashes': (given) => `polyfs:///${given}`,
  'with a loud scheme': (given) => `POLYFS://${given}`,
  'of files': (given) => `file://${given}`,
  'of the web': (given) => `http://127.0.0.1${given}`,
  'without a scheme': (given) => given,
  'with white space around it': (given) => ` polyfs://${given}\n`,
  'with backslashes': (given) => `polyfs://${given.replaceAll('/', '\\')}`,
  'with a cut escape': (given) => `polyfs://${given}%`,
  'by way of a file': (given) => `polyfs://${stage.places.root}/sub/a.txt/..${given}`,
  'relative to the root': (given) => `polyfs://${stage.places.root}/${given}`,
  'by way of above': (given) => `polyfs://${stage.places.root}/../../../../../../..${given}`,
}

/** Lone surrogates have no bytes; a client can send them as they are. */
function encoded(given: string): string {
  try {
    return encodeURIComponent(given)
  } catch {
    return given
  }
}

function everyByte(given: string): string {
  return Array.from(Buffer.from(given), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

/** The path that a URI names, by the book; absent for one that names none. */
function pathIn(uri: string): string | undefined {
  if (!uri.startsWith('polyfs:///')) return undefined
  try {
    return decodeURIComponent(uri.slice('polyfs://'.length))
  } catch {
    return undefined
  }
}

/** What the kernel has at a path, where that is a file in the root. It follows links by itself. */
function onDisk(given: string, root: string): string | undefined {
  try {
    const real = fs.realpathSync.native(given)
    if (real !== root && !real.startsWith(`${root}/`)) return undefined
    return fs.statSync(real).isFile() ? fs.readFileSync(real, 'latin1') : undefined
  } catch {
    return undefined
  }
}

async function read(client: Client, uri: string): Promise<{ content?: string; failure?: string }> {
  try {
    const { contents } = await client.readResource({ uri })
    const [{ text, blob } = {}] = contents as { text?: string; blob?: string }[]
    return { content: Buffer.from(text ?? blob ?? '', text === undefined ? 'base64' : 'utf8').toString('latin1') }
  } catch (error) {
    return { failure: String(error) }
  }
}

test.each(Object.entries(spellings))('a URI %s', async (_, spell) => {
  const { places, workspace } = stage
  const client = await connect(workspace)
  const outside = await stage.outsideState()
  for (const attack of sample(attacks, { every: 10 })) {
    const input = aim(attack.path, places)
    for (const given of new Set([input.startsWith('/') ? input : `${places.root}/${input}`, `/${input}`])) {
      const uri = spell(given)
      const { content, failure = '' } = await read(client, uri)
      expect(failure.replaceAll(uri, ''), uri).not.toContain(canary)
      if (content === undefined) continue
      expect(content, uri).not.toContain(canary)
      const named = pathIn(uri)
      expect(content, uri).toBe(named && onDisk(path.posix.resolve(named), places.root))
      const asked = await client.callTool({ name: 'read_file', arguments: { path: named } })
      expect(asked.isError ?? false, uri).toBe(false)
    }
  }
  expect(await stage.outsideState()).toBe(outside)
  expect(await read(client, `polyfs://${places.root}/sub/a.txt`)).toEqual({ content: 'alpha\n' })
})

test('completions and subscriptions get no further', async () => {
  const { places, workspace } = stage
  const client = await connect(workspace)
  const ref = { type: 'ref/resource' as const, uri: 'polyfs:///{+path}' }
  for (const attack of sample(attacks, { every: 10 })) {
    const input = aim(attack.path, places)
    for (const given of [input, `${places.root.slice(1)}/${input}`, `${places.root.slice(1)}/${input}/`, `${input}/`]) {
      const { completion } = await client.complete({ ref, argument: { name: 'path', value: given } })
      for (const value of completion.values) expect(value.replace(given, ''), given).not.toContain(canary)
    }
    const uri = `polyfs://${input}`
    const failure = await client.subscribeResource({ uri }).then(() => '', String)
    expect(failure.replaceAll(uri, ''), uri).not.toContain(canary)
    await client.unsubscribeResource({ uri })
  }
})

test('of what is not a file of text or bytes nothing is shown, at once', async () => {
  const [root, other, state] = [await directory(), await directory(), await directory()]
  const workspace = await openDirectories(
    [
      { directory: root, access: 'read-write' },
      { directory: other, access: 'read-only' },
    ],
    { stateDirectory: state, commands: false, fsync: false },
  )
  onTestFinished(() => workspace.close())
  await workspace.ready
  const client = await connect(workspace)
  const socket = net.createServer().listen(path.join(root, 'socket'))
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  execFileSync('mkfifo', [path.join(root, 'fifo')])
  for (const [name, target] of Object.entries({ 'to-fifo': 'fifo', 'to-device': '/dev/zero', 'to-state': state })) {
    fs.symlinkSync(target, path.join(root, name))
  }
  fs.mkdirSync(path.join(root, 'directory'))
  fs.writeFileSync(path.join(root, 'just'), new Uint8Array(5_000_000).fill(1))
  fs.writeFileSync(path.join(root, 'larger'), new Uint8Array(5_000_001).fill(1))
  fs.writeFileSync(path.join(root, 'sparse'), '')
  fs.truncateSync(path.join(root, 'sparse'), 2 ** 40)
  fs.writeFileSync(path.join(other, 'a.txt'), 'read only\n')
  const found: Record<string, string> = {}
  const names = ['socket', 'fifo', 'to-fifo', 'to-device', 'to-state', 'directory', 'larger', 'sparse', '', 'none']
  for (const name of names) {
    const { content, failure = '' } = await read(client, `polyfs://${root}/${name}`)
    expect(content).toBeUndefined()
    found[name] = failure.replaceAll(`polyfs://${root}`, '').replaceAll(root, '')
  }
  const special = 'special_file: NAME is a device, socket or pipe, which file tools do not open. Choose a regular file.'
  const isNone = 'Resource not found: /NAME'
  const large = (size: number) =>
    `too_large: NAME has ${size} bytes, more than the 5000000 that are read or edited whole. Read a part with offset and limit, or search it with grep.`
  const expected = {
    socket: special,
    fifo: special,
    'to-fifo': special,
    'to-device': isNone,
    'to-state': isNone,
    directory: isNone,
    larger: large(5_000_001),
    sparse: large(2 ** 40),
    '': isNone,
    none: isNone,
  }
  for (const [name, text] of Object.entries(expected)) {
    expect(found[name]).toBe(`ProtocolError: ${text.replace('NAME', name)}`)
  }
  expect((await read(client, `polyfs://${root}/just`)).content?.length).toBe(5_000_000)
  expect(await read(client, `polyfs://${other}/a.txt`)).toEqual({ content: 'read only\n' })
  const states = fs.readdirSync(state, { recursive: true, encoding: 'utf8' })
  expect(states.length).toBeGreaterThan(3)
  for (const name of states) {
    expect((await read(client, `polyfs://${state}/${name}`)).failure).toContain('Resource not found')
    expect((await read(client, `polyfs://${root}/to-state/${name}`)).failure).toContain('Resource not found')
  }
})

test('a file that comes and goes is read whole or not found', async () => {
  const { places, workspace } = stage
  const client = await connect(workspace)
  const file = path.join(places.root, 'comes.txt')
  const contents = ['one\n'.repeat(20_000), 'another\n'.repeat(30_000)]
  const seen = new Set<string>()
  for (let round = 0; round < scaled(600); round += 1) {
    const reading = Array.from({ length: 4 }, () => read(client, `polyfs://${file}`))
    if (round % 3 === 0) fs.rmSync(file, { force: true })
    else if (round % 3 === 1) fs.writeFileSync(`${file}.new`, contents[round % 2] ?? '')
    else if (fs.existsSync(`${file}.new`)) fs.renameSync(`${file}.new`, file)
    for (const { content, failure } of await Promise.all(reading)) {
      if (content !== undefined) expect(contents).toContain(content)
      else expect(failure).toContain('Resource not found')
      seen.add(failure === undefined ? 'read' : 'not found')
    }
  }
  expect([...seen].sort()).toEqual(['not found', 'read'])
  fs.rmSync(file, { force: true })
  fs.rmSync(`${file}.new`, { force: true })
})

async function directory(): Promise<string> {
  return fs.realpathSync(await temporaryDirectory())
}
