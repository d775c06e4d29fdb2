import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../../node/serve/http.js'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { scaled } from '../../scale.js'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'

const edits = 64
const rounds = scaled(10)

/** Every acknowledged edit of distinct lines of one file must be on disk, however the calls arrive. */
async function editInParallel(root: string, clients: readonly Client[]): Promise<void> {
  const file = join(root, 'lines.txt')
  for (let round = 0; round < rounds; round += 1) {
    await writeFile(file, Array.from({ length: edits }, (_, line) => `line-${line}-old\n`).join(''))
    const replies = await Promise.all(
      Array.from({ length: edits }, (_, line) => {
        const client = clients[line % clients.length] as Client
        const args = { path: 'lines.txt', old_string: `line-${line}-old`, new_string: `line-${line}-new` }
        return client.callTool({ name: 'edit_file', arguments: args })
      }),
    )
    expect(replies.filter(({ isError }) => isError)).toEqual([])
    const expected = Array.from({ length: edits }, (_, line) => `line-${line}-new\n`).join('')
    expect(await readFile(file, 'utf8')).toBe(expected)
  }
}

async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

async function startServer(root: string, state: string, dialect = 'clarvis'): Promise<Client> {
  return connect(new StdioClientTransport(await cliCommand(['--dialect', dialect, root], state)))
}

describe(`${edits} parallel edits of one file all land, ${rounds} times over`, () => {
  test('through one connection', async () => {
    const [root, state] = [await temporaryDirectory(), await temporaryDirectory()]
    await editInParallel(root, [await startServer(root, state)])
  })

  test('through 8 clients of one server', async () => {
    const [root, state] = [await temporaryDirectory(), await temporaryDirectory()]
    const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory: state })
    const server = await serveHttp({ workspace, dialect: clarvis })
    onTestFinished(async () => {
      await server.close()
      workspace.close()
    })
    const url = new URL(server.url)
    const clients = await Promise.all(Array.from({ length: 8 }, () => connect(new StreamableHTTPClientTransport(url))))
    await editInParallel(root, clients)
  })

  test('through 4 server processes on one root', async () => {
    const [root, state] = [await temporaryDirectory(), await temporaryDirectory()]
    const clients = await Promise.all(Array.from({ length: 4 }, () => startServer(root, state)))
    await editInParallel(root, clients)
  })
})

test('calls that edit all files at the same time, through 4 server processes, all land', async () => {
  const [root, state] = [await temporaryDirectory(), await temporaryDirectory()]
  const clients = await Promise.all(Array.from({ length: 4 }, () => startServer(root, state, 'polyfs')))
  const [files, calls] = [['a.txt', 'b.txt', 'd/c.txt', 'd/e/f.txt'], 24]
  const text = (ending: string) => Array.from({ length: calls }, (_, line) => `line-${line}-${ending}\n`).join('')
  await mkdir(join(root, 'd/e'), { recursive: true })
  for (let round = 0; round < scaled(4); round += 1) {
    for (const file of files) await writeFile(join(root, file), text('old'))
    const replies = await Promise.all(
      Array.from({ length: calls }, (_, line) => {
        const which = line % 3 === 0 ? { paths: files } : { glob: '**/*.txt' }
        const args = {
          ...which,
          old_string: `line-${line}-old`,
          new_string: `line-${line}-new`,
          expected_count: files.length,
        }
        return (clients[line % clients.length] as Client).callTool({ name: 'edit_file', arguments: args })
      }),
    )
    expect(replies.filter(({ isError }) => isError)).toEqual([])
    for (const file of files) expect(await readFile(join(root, file), 'utf8')).toBe(text('new'))
  }
})
