/** Two servers on one database or store, each with caches of its own: what one has acknowledged, every tool of the other shows at once. */
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../../src/text/seeded-random.js'
import { scaled, seeded } from '../../scale.js'
import { cliCommand, temporaryDirectory } from '../cli/run-cli.js'
import { redisIsMissing, startRedis, whyNoRedis } from '../eval/redis-server.js'

const rounds = scaled(300)

interface Kind {
  what: string
  /** Why it can't be tried here. */
  isMissing?: string | false
  flags(directory: string): Promise<string[]>
}

const kinds: Kind[] = [
  {
    what: 'a database file',
    isMissing: process.getBuiltinModule('node:sqlite') === undefined && 'node:sqlite is there from Node 22.13 on',
    flags: async (directory) => ['--sqlite', path.join(directory, 'work.db')],
  },
  { what: 'a store in a directory', flags: async (directory) => ['--store', path.join(directory, 'store')] },
  {
    what: 'redis',
    isMissing: redisIsMissing && whyNoRedis,
    async flags() {
      const redis = await startRedis()
      onTestFinished(() => redis.remove())
      return ['--store', redis.url]
    },
  },
]

describe('a read that begins after a write was acknowledged by another server sees it', () => {
  test.for(kinds)('$what', { timeout: 1_200_000 }, async ({ isMissing, flags }, { skip }) => {
    if (isMissing) skip(isMissing)
    const given = await flags(await temporaryDirectory())
    await takeTurns([await connect(given), await connect(given)])
  })
})

/** A tree as it has to be: paths of files and their content. */
type Tree = Map<string, string>

async function takeTurns(servers: readonly [Client, Client]): Promise<void> {
  const random = seededRandom(seeded(11))
  const below = (count: number) => Math.floor(random() * count)
  const tree: Tree = new Map()
  for (let round = 0; round < rounds; round += 1) {
    const [by, other] = below(2) === 0 ? servers : ([servers[1], servers[0]] as const)
    const file = `d${below(3)}/f${below(4)}.txt`
    const done = await change(by, file, tree, { round, kind: below(8) })
    // The reader asks in another order each time: the first to ask may fill a cache for the rest.
    const looks = shuffled(Object.entries(reads), below)
    for (const [name, look] of looks) {
      expect(await look(other, file, tree), `round ${round}: ${name} after ${done} ${file}`).toBe(true)
    }
  }
}

async function change(by: Client, file: string, tree: Tree, { round, kind }: { round: number; kind: number }) {
  // Always of one length, and often within one tick of a clock.
  const content = `word${10_000 + round}\n`
  const known = tree.get(file)
  if (known !== undefined && kind === 0) {
    await done(by, 'delete', { path: file })
    tree.delete(file)
    return 'delete'
  }
  if (known !== undefined && kind === 1) {
    const to = `d${round % 3}/moved${round}.txt`
    await done(by, 'move', { from: file, to })
    tree.delete(file)
    tree.set(to, known)
    return 'move'
  }
  if (known !== undefined && kind === 2) {
    await done(by, 'edit_file', { path: file, old_string: known, new_string: content })
    tree.set(file, content)
    return 'edit'
  }
  if (known !== undefined && kind === 3) {
    await done(by, 'history', { action: 'undo' })
    await done(by, 'write_file', { path: file, content })
    // What was undone is not known here, so all of it is asked of the server that did it.
    tree.clear()
    for (const [at, text] of await all(by)) tree.set(at, text)
    return 'undo and write'
  }
  if (kind < 6) {
    await done(by, 'bash', { command: `mkdir -p ${path.dirname(file)} && printf '${content.trim()}\\n' > ${file}` })
    tree.set(file, content)
    return 'command'
  }
  await done(by, 'write_file', { path: file, content })
  tree.set(file, content)
  return 'write'
}

async function all(client: Client): Promise<Tree> {
  const { text } = await ask(client, 'bash', {
    command: 'find . -name "*.txt" | sort | while read f; do echo "$f $(cat $f)"; done',
  })
  const found = [...text.matchAll(/\.\/(d\d\/\w+\.txt) (word\d+)/g)]
  return new Map(found.map(([, at = '', word]) => [at, `${word}\n`]))
}

type Look = (client: Client, file: string, tree: Tree) => Promise<boolean>

/** Each is right or not, whatever it says else. */
const reads: Record<string, Look> = {
  async read_file(client, file, tree) {
    const { text, failed } = await ask(client, 'read_file', { path: file })
    return shows(text, failed, tree.get(file))
  },
  async 'a resource'(client, file, tree) {
    const { text, failed } = await client
      .readResource({ uri: `polyfs:///${file}` })
      .then(({ contents }) => ({ text: JSON.stringify(contents), failed: false }))
      .catch((error) => ({ text: String(error), failed: true }))
    return shows(text, failed, tree.get(file))
  },
  async bash(client, file, tree) {
    const { text, failed } = await ask(client, 'bash', { command: `cat ${file}` })
    return shows(text, failed || !text.includes('word'), tree.get(file))
  },
  async grep(client, file, tree) {
    const { text } = await ask(client, 'grep', { pattern: tree.get(file)?.trim() ?? 'word1' })
    return text.includes(file) === tree.has(file)
  },
  async glob(client, _, tree) {
    const { text } = await ask(client, 'glob', { pattern: '**/*.txt' })
    return sameNames(text, tree)
  },
  async list_dir(client, _, tree) {
    const { text } = await ask(client, 'list_dir', { path: '.', depth: 3 })
    return [...tree.keys()].every((at) => text.includes(path.basename(at)))
  },
  async file_info(client, file, tree) {
    const { failed } = await ask(client, 'file_info', { path: file })
    return failed === !tree.has(file)
  },
  async 'all with bash'(client, _, tree) {
    const found = await all(client)
    return JSON.stringify([...found].sort()) === JSON.stringify([...tree].sort())
  },
}

function shows(text: string, failed: boolean, known: string | undefined): boolean {
  return known === undefined ? failed : !failed && text.includes(known.trim())
}

function sameNames(text: string, tree: Tree): boolean {
  const found = new Set([...text.matchAll(/d\d\/\w+\.txt/g)].map(([name]) => name))
  return found.size === tree.size && [...tree.keys()].every((at) => found.has(at))
}

function shuffled<Item>(items: readonly Item[], below: (count: number) => number): Item[] {
  const left = [...items]
  return items.map(() => left.splice(below(left.length), 1)[0] as Item)
}

async function done(client: Client, name: string, args: Record<string, unknown>): Promise<void> {
  const { failed, text } = await ask(client, name, args)
  expect(failed, text).toBe(false)
}

async function ask(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args })
  const text = (content as { text?: string }[]).map((each) => each.text ?? '').join('\n')
  return { text, failed: isError === true }
}

async function connect(flags: readonly string[]): Promise<Client> {
  const { command, args, env } = await cliCommand(flags)
  const client = new Client({ name: 'test', version: '1' })
  const environment = { ...process.env, ...env } as Record<string, string>
  await client.connect(new StdioClientTransport({ command, args, env: environment }))
  onTestFinished(() => client.close())
  return client
}
