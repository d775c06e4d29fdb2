/** One workspace, two clients, each with the tools it knows: two dialects at two addresses. A change of one is seen by the other. */
import { createWorkspace, fsDialect, memory, polyfs } from 'polyfs'
import { serveHttp } from 'polyfs/node'

const workspace = createWorkspace({ fs: memory({ 'plan.md': '# Plan\n' }) })
const servers = {
  ours: await serveHttp({ workspace, dialect: polyfs, port: 0 }),
  theirs: await serveHttp({ workspace, dialect: fsDialect, port: 0 }),
}

/** What an MCP client sends for a call, without the rest of the client. */
async function ask<Result>({ url }: { url: string }, method: string, params: Record<string, unknown>): Promise<Result> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'example', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  })
  return ((await response.json()) as { result: Result }).result
}

for (const [name, server] of Object.entries(servers)) {
  const { tools } = await ask<{ tools: { name: string }[] }>(server, 'tools/list', {})
  console.log(
    `${name}: ${tools.length} tools, ${tools
      .slice(0, 3)
      .map((tool) => tool.name)
      .join(' ')} …`,
  )
}

const edit = { path: 'plan.md', old_string: 'Plan', new_string: 'The plan' }
await ask(servers.ours, 'tools/call', { name: 'edit_file', arguments: edit })
const read = { name: 'fs.read_file', arguments: { path: 'plan.md' } }
const { content } = await ask<{ content: { text: string }[] }>(servers.theirs, 'tools/call', read)
console.log(content[0]?.text)

for (const server of Object.values(servers)) await server.close()
