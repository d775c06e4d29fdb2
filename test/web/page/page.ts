import { Client } from '@modelcontextprotocol/client'
import { clarvis, createWorkspace, memory } from '../../../src/index.js'
import { type FileEndpoint, opfs, serveFiles } from '../../../web/index.js'
import { type ClientName, visit, visitAddress } from './clients.js'

const violations: string[] = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  violations.push(`${violatedDirective} ${blockedURI}`)
})

const tree = { '/notes/todo.txt': 'one\ntwo\n', '/readme.md': '# Hello\n' }

const ways = {
  'a workspace in the page': () => serveFiles({ workspace: createWorkspace({ fs: memory(tree) }), dialect: clarvis }),
  'a tree in a worker': () => serveFiles({ fs: { memory: tree }, dialect: 'clarvis' }),
  'OPFS in a worker': async () => {
    const name = crypto.randomUUID()
    const fs = await opfs(name)
    await fs.makeDir('/notes')
    for (const [path, text] of Object.entries(tree)) await fs.writeFile(path, new TextEncoder().encode(text))
    return serveFiles({ fs, dialect: 'clarvis' })
  },
} satisfies Record<string, () => Promise<FileEndpoint>>

export type Way = keyof typeof ways

let files: FileEndpoint

function visitFromWorker(name: ClientName): Promise<unknown> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.postMessage(name, [files.port()])
  }).finally(() => worker.terminate())
}

/** The functions that the test calls. */
export const testPage = {
  violations,
  async open(way: Way) {
    files = await ways[way]()
    return files.runsIn
  },
  visit: (name: ClientName) => visit(name, files.connect()),
  visitFromWorker,
  /** Several concurrent connections to the same files. */
  async shareFiles() {
    const clients = await Promise.all([connected(), connected()])
    const [first, second] = clients as [Client, Client]
    await first.callTool({ name: 'write_file', arguments: { path: 'shared.txt', content: 'from the first' } })
    const { content } = await second.callTool({ name: 'read_file', arguments: { path: 'shared.txt' } })
    await first.close()
    const after = await second.callTool({ name: 'read_file', arguments: { path: 'shared.txt' } })
    await second.close()
    return [content, after.content]
  },
  /** How often the page's event loop ran during a search. */
  async turnsDuringSearch() {
    const client = await connected()
    for (let part = 0; part < 40; part += 1) {
      const content = `${'abcdefghij klmnop '.repeat(4)}\n`.repeat(4000)
      await client.callTool({ name: 'write_file', arguments: { path: `large/${part}.txt`, content } })
    }
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    })
    const { isError } = await client.callTool({ name: 'grep', arguments: { pattern: '([a-z]+ )+z$' } })
    clearInterval(timer)
    await client.close()
    return { turns, isError }
  },
  otherDialect: async () => (await files.listTools({ dialect: 'fs' })).map(({ name }) => name),
  unknownDialect: () => files.listTools({ dialect: 'none' }).then(() => 'listed', String),
  run: () => files.run('listDirectory', { path: '/notes' }),
  runFailing: () => files.run('readBytes', { path: '/missing' }).then(() => 'read', String),
  async visitAddress(name: ClientName) {
    const { url } = await files.serviceWorker('/mcp')
    return visitAddress(name, new URL(url))
  },
  exposeWebMCP: () => files.exposeWebMCP(),
  async closeAndConnect() {
    const client = await connected()
    const closed = new Promise<string>((resolve) => {
      client.onclose = () => resolve('connection closed')
    })
    await files.close()
    try {
      files.connect()
      return 'connected'
    } catch (error) {
      return [await closed, String(error)]
    }
  },
}

async function connected(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(files.connect())
  return client
}

export type TestPage = typeof testPage
