import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../node/http.js'
import { openDirectories } from '../../node/workspace.js'
import { clarvis } from '../../src/dialects/clarvis/tools.js'
import { type CliCommand, cliCommand, temporaryDirectory } from './run-cli.js'

const info = { name: 'test', version: '1' }

/** The official clients, in every protocol era each can speak. */
const clients = {
  'v1 client': async (place: Place) => {
    const client = new FirstClient(info)
    await client.connect(place.stdio ? new FirstStdio(place.stdio) : new FirstHttp(new URL(place.url)))
    // The first line of the SDK does not tell the revision; its transports are given it.
    return { client, revision: '2025-11-25' }
  },
  'v2 client, 2025-11-25': async (place: Place) => {
    const client = new ModernClient(info)
    await client.connect(modernTransport(place))
    return { client, revision: client.getNegotiatedProtocolVersion() }
  },
  'v2 client, 2026-07-28': async (place: Place) => {
    const client = new ModernClient(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(modernTransport(place))
    return { client, revision: client.getNegotiatedProtocolVersion() }
  },
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

async function stdio(): Promise<Place> {
  const root = await temporaryDirectory()
  await writeFile(join(root, 'a.txt'), 'alpha\nbeta\n')
  return { stdio: await cliCommand(['--dialect', 'clarvis', root]) }
}

async function http(): Promise<Place> {
  const root = await temporaryDirectory()
  await writeFile(join(root, 'a.txt'), 'alpha\nbeta\n')
  const stateDirectory = await temporaryDirectory()
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory })
  const server = await serveHttp({ workspace, dialect: clarvis })
  onTestFinished(async () => {
    await server.close()
    workspace.close()
  })
  return { url: server.url }
}

describe.each([
  ['stdio', stdio],
  ['HTTP', http],
] as const)('over %s', (_transport, open) => {
  test.each(Object.keys(clients) as Array<keyof typeof clients>)('%s lists and calls tools', async (name) => {
    const { client, revision } = await clients[name](await open())
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
})
