import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../../node/serve/http.js'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { withStructuredResults } from '../../../src/tools/structured-results.js'
import { type CliCommand, cliCommand, temporaryDirectory } from '../cli/run-cli.js'

const info = { name: 'test', version: '1' }

/** The official clients, in every protocol era each can speak. */
const clients = {
  'v1 client': async (place: Place) => {
    const client = new FirstClient(info)
    await client.connect(place.stdio ? new FirstStdio(place.stdio) : new FirstHttp(new URL(place.url)))
    // Version 1 of the SDK does not report the revision; it passes it to its transports.
    const call: Call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options)
    return { client, call, revision: '2025-11-25' }
  },
  'v2 client, 2025-11-25': async (place: Place) => {
    const client = new ModernClient(info)
    await client.connect(modernTransport(place))
    return { client, call: callOf(client), revision: client.getNegotiatedProtocolVersion() }
  },
  'v2 client, 2026-07-28': async (place: Place) => {
    const client = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(modernTransport(place))
    return { client, call: callOf(client), revision: client.getNegotiatedProtocolVersion() }
  },
}

/** The two versions of the SDK take the options of a call in different places. */
type Call = (
  name: string,
  args: Record<string, unknown>,
  options?: { signal?: AbortSignal; onprogress?: (reported: { progress: number }) => void },
) => Promise<Record<string, unknown>>

function callOf(client: ModernClient): Call {
  return (name, args, options) => client.callTool({ name, arguments: args }, options)
}

type Place = { stdio: CliCommand; url?: never } | { url: string; stdio?: never }

function modernTransport({ stdio, url }: Place) {
  return stdio ? new ModernStdio(stdio) : new ModernHttp(new URL(url))
}

const revisions = {
  'v1 client': '2025-11-25',
  'v2 client, 2025-11-25': '2025-11-25',
  'v2 client, 2026-07-28': '2026-07-28',
}

async function oneFile(): Promise<string> {
  const root = await temporaryDirectory()
  await writeFile(join(root, 'a.txt'), 'alpha\nbeta\n')
  return root
}

async function fill(directory: string, files: number): Promise<void> {
  await mkdir(directory)
  await Promise.all(Array.from({ length: files }, (_, at) => writeFile(join(directory, `f${at}`), 'text\n')))
}

async function stdio(root: string, dialect: Dialect): Promise<Place> {
  return { stdio: await cliCommand(['--dialect', dialect.name, root]) }
}

async function http(root: string, dialect: Dialect): Promise<Place> {
  const stateDirectory = await temporaryDirectory()
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory })
  const server = await serveHttp({ workspace, dialect })
  onTestFinished(async () => {
    await server.close()
    workspace.close()
  })
  return { url: server.url }
}

const names = Object.keys(clients) as Array<keyof typeof clients>

describe.each([
  ['stdio', stdio],
  ['HTTP', http],
] as const)('over %s', (_transport, open) => {
  test.each(names)('%s lists and calls tools', async (name) => {
    const { client, revision } = await clients[name](await open(await oneFile(), clarvis))
    onTestFinished(() => client.close())
    expect(revision).toBe(revisions[name])

    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual([
      'read_file',
      'write_file',
      'edit_file',
      'multi_edit',
      'apply_patch',
      'list_dir',
      'glob',
      'grep',
      'bash',
    ])
    expect(tools[5]).toMatchObject({
      title: 'List directory',
      annotations: { readOnlyHint: true, openWorldHint: false },
      inputSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', default: '.', description: 'Directory to list; the workspace root by default.' },
        },
        additionalProperties: false,
      },
    })

    const listed = await client.callTool({ name: 'list_dir', arguments: {} })
    expect(listed.content).toEqual([{ type: 'text', text: 'a.txt\t11' }])
    const read = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })
    expect(read.content).toEqual([{ type: 'text', text: '     1\talpha\n     2\tbeta' }])
    const missing = await client.callTool({ name: 'read_file', arguments: { path: 'b.txt' } })
    expect({ isError: missing.isError, content: missing.content }).toEqual({
      isError: true,
      content: [{ type: 'text', text: '{"error":"not_found","message":"No such file: b.txt","path":"b.txt"}' }],
    })
  })

  test.each(names)('%s gets resources, progress and cancellation from polyfs', async (name) => {
    const root = await oneFile()
    await fill(join(root, 'few'), 20)
    await fill(join(root, 'many'), 1500)
    const { client, call } = await clients[name](await open(root, polyfs))
    onTestFinished(() => client.close())

    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual(
      polyfs.tools.filter((tool) => !tool.unlistedBesideShell).map((tool) => tool.name),
    )
    const { resources } = await client.listResources()
    expect(resources[0]?.name).toBe('a.txt')
    const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' })
    expect(contents).toEqual([{ uri: resources[0]?.uri, mimeType: 'text/plain', text: 'alpha\nbeta\n' }])

    const missing = await call('read_file', { path: 'b.txt' })
    expect(missing).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/^not_found: /) }],
    })

    const reported: number[] = []
    const onprogress = ({ progress }: { progress: number }) => void reported.push(progress)
    let archives = 0
    // A client that reads the response and earlier notifications in one chunk drops the notifications.
    await expect
      .poll(async () => {
        reported.length = 0
        archives += 1
        await call('archive', { action: 'create', path: `a${archives}.zip`, paths: ['few'] }, { onprogress })
        return reported.at(-1)
      })
      .toBe(21)
    expect(reported).toEqual([...reported].sort((a, b) => a - b))

    const controller = new AbortController()
    const cancelled = call(
      'archive',
      { action: 'create', path: 'b.zip', paths: ['many'] },
      { signal: controller.signal, onprogress: () => controller.abort() },
    )
    await expect(cancelled).rejects.toThrow()
    // Waits for the rest of the call.
    const written = await call('write_file', { path: 'b.zip', content: 'free\n' })
    expect(written.isError).toBeFalsy()
    const history = await call('history', { action: 'list' })
    const [{ text: listed }] = history.content as [{ text: string }]
    expect(listed.split('\n').map((line) => line.replace(/^\S+ \S+ /, ''))).toEqual([
      'write: b.zip',
      ...Array.from({ length: archives }, (_, at) => `archive: a${archives - at}.zip`),
    ])
  })
})

describe('--structured', () => {
  // The clients themselves check results against the schemas that were listed.
  test.each(Object.entries(clients))('%s', async (_name, connect) => {
    const { client, call } = await connect({ stdio: await cliCommand(['--structured', await oneFile()]) })
    onTestFinished(() => client.close())
    const { tools } = await client.listTools()
    expect(tools.filter(({ outputSchema }) => outputSchema === undefined)).toEqual([])
    expect(await call('grep', { pattern: 'beta' })).toMatchObject({
      content: [
        { type: 'text', text: 'a.txt\n2: beta' },
        { type: 'text', text: '[1 match in 1 file; 1 file searched]' },
      ],
      structuredContent: { matches: 1, files: 1, skipped: { binary: 0, too_large: 0 } },
    })
    expect(await call('read_file', { path: 'no.txt' })).toMatchObject({
      structuredContent: { error: 'not_found', path: 'no.txt' },
      isError: true,
    })
  })

  test('over HTTP', async () => {
    const place = await http(await oneFile(), withStructuredResults(polyfs))
    const { client, call } = await clients['v2 client, 2026-07-28'](place)
    onTestFinished(() => client.close())
    await client.listTools()
    expect(await call('read_file', { path: 'a.txt' })).toMatchObject({
      structuredContent: { path: 'a.txt', first_line: 1, last_line: 2, total_lines: 2 },
    })
  })
})
