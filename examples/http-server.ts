/** A server over HTTP on a folder of the disk, and a client that calls one tool. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { polyfs } from 'polyfs'
import { openDirectories, serveHttp } from 'polyfs/node'

const base = await mkdtemp(join(tmpdir(), 'polyfs-example-'))
const stateDirectory = await mkdtemp(join(tmpdir(), 'polyfs-example-state-'))
await writeFile(join(base, 'notes.md'), '# Notes\n')

const workspace = await openDirectories([{ directory: base, access: 'read-write' }], { stateDirectory })
const server = await serveHttp({ workspace, dialect: polyfs, token: 'a-token-that-only-the-client-knows' })

// An MCP client would do this; any program that can send JSON can.
const response = await fetch(server.url, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${server.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'read_file',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'read_file',
      arguments: { path: 'notes.md' },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'example', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
})
const { result } = (await response.json()) as { result: { content: { text: string }[] } }
console.log(result.content[0]?.text)

await server.close()
await workspace.close()
for (const directory of [base, stateDirectory]) await rm(directory, { recursive: true })
