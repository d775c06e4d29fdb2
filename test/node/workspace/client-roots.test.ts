import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../../node/serve/http.js'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { replay } from '../../../src/dialects/replay/tools.js'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'

/** A client of fs-context on `root` that announces `announced`. */
async function connect(root: string, announced: { now: string[] }): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: { listChanged: true } } })
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: announced.now.map((path) => ({ uri: pathToFileURL(path).href })),
  }))
  await client.connect(new StdioClientTransport(await cliCommand(['--dialect', 'fs-context', root])))
  onTestFinished(() => client.close())
  return client
}

async function allowed(client: Client): Promise<unknown> {
  const { structuredContent } = await client.callTool({ name: 'list_allowed_directories', arguments: {} })
  return (structuredContent as { allowedDirectories: unknown }).allowedDirectories
}

test('roots that a client announces restrict its access, and never extend it', async () => {
  const [root, outside] = [await temporaryDirectory(), await temporaryDirectory()]
  const [odd, plain] = [join(root, 'öd d'), join(root, 'plain')]
  for (const directory of [odd, plain]) await mkdir(directory)
  await writeFile(join(plain, 'a.txt'), 'A')
  const announced = { now: [odd, outside, '/', join(root, 'missing')] }
  const client = await connect(root, announced)
  expect(await allowed(client)).toEqual([odd])
  const refused = await client.callTool({ name: 'read_file', arguments: { path: join(plain, 'a.txt') } })
  expect(refused.structuredContent).toMatchObject({ ok: false, error: { code: 'E_ACCESS_DENIED' } })

  announced.now = [plain, odd]
  await client.sendRootsListChanged()
  await expect.poll(() => allowed(client)).toEqual([plain, odd])
})

test('announced roots outside the served ones have no effect', async () => {
  const [root, outside] = [await temporaryDirectory(), await temporaryDirectory()]
  expect(await allowed(await connect(root, { now: [outside] }))).toEqual([root])
})

test('a dialect keeps its error codes over HTTP too', async () => {
  const root = await temporaryDirectory()
  const workspace = await openDirectories([{ directory: root, access: 'read-only' }])
  const server = await serveHttp({ workspace, dialect: replay })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  onTestFinished(async () => {
    await client.close()
    await server.close()
    workspace.close()
  })
  await expect(
    client.callTool({ name: 'read_file', arguments: { path: join(root, 'missing') } }),
  ).rejects.toMatchObject({
    code: -32002,
    data: undefined,
  })
})
