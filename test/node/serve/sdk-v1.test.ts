import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { expect, onTestFinished, test } from 'vitest'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { fsContext } from '../../../src/dialects/fs-context/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { bindTools } from '../../../src/mcp/sdk-v1.js'
import { describeTool } from '../../../src/tools/call-tool.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

async function connect(dialect: Dialect): Promise<Client> {
  const server = new Server({ name: 'host', version: '1' }, { capabilities: { tools: {} } })
  bindTools(server, { workspace: createWorkspace({ fs: memory({ 'a.txt': 'alpha\n' }) }), dialect })
  const client = new Client({ name: 'test', version: '1' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  onTestFinished(() => client.close())
  return client
}

test('a server of version 1 of the SDK lists the same tools', async () => {
  const client = await connect(clarvis)
  const { tools } = await client.listTools()
  const expected = clarvis.tools.filter(({ needs }) => needs === undefined).map(describeTool)
  expect(tools).toEqual(expected)
})

test('results and errors are in the wording of the dialect', async () => {
  const client = await connect(clarvis)
  expect(await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })).toEqual({
    content: [{ type: 'text', text: '     1\talpha' }],
  })
  expect(await client.callTool({ name: 'read_file', arguments: { path: 'none' } })).toEqual({
    isError: true,
    content: [{ type: 'text', text: '{"error":"not_found","message":"No such file: none","path":"none"}' }],
  })
})

test('a call that is cancelled ends, and the next one is served', async () => {
  const client = await connect(clarvis)
  const cancel = new AbortController()
  const call = client.callTool({ name: 'grep', arguments: { pattern: 'a' } }, undefined, { signal: cancel.signal })
  cancel.abort()
  await expect(call).rejects.toThrow()
  expect((await client.callTool({ name: 'list_dir', arguments: {} })).content).toEqual([
    { type: 'text', text: 'a.txt\t6' },
  ])
})

test('structured results are passed on', async () => {
  const client = await connect(fsContext)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(fsContext.tools.map(({ name }) => name))
})
