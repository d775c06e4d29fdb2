/**
 * MCP clients of others, on the built server, over stdio and HTTP. `npm test -- --clients` installs all of them into a cache; by default
 * the one that the project has anyway is tried. docs/clients.md has a program for each, which is run here too.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { polyfs } from '../../src/dialects/polyfs/tools.js'
import { memory } from '../../src/fs/backends/memory.js'
import { callTool } from '../../src/tools/call-tool.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { built } from '../node/cli/built.js'
import { installedFrom } from '../npm-cache.mjs'
import { runtime } from '../runtimes/install.mjs'

interface Client {
  name: string
  package: string
  error: 'returned' | 'thrown'
  progress: boolean
  /** Whether the server hears of an aborted call, or only the caller. */
  cancel: 'yes' | 'stops waiting only' | 'no'
}

const clients: Record<string, Client> = {
  'ai-sdk': {
    name: 'Vercel AI SDK',
    package: '@ai-sdk/mcp',
    error: 'returned',
    progress: false,
    cancel: 'stops waiting only',
  },
  'openai-agents': {
    name: 'OpenAI Agents SDK',
    package: '@openai/agents',
    error: 'returned',
    progress: false,
    cancel: 'yes',
  },
  langchain: { name: 'LangChain', package: '@langchain/mcp-adapters', error: 'thrown', progress: true, cancel: 'yes' },
  mastra: { name: 'Mastra', package: '@mastra/mcp', error: 'thrown', progress: true, cancel: 'yes' },
  'mcp-use': { name: 'mcp-use', package: 'mcp-use', error: 'returned', progress: true, cancel: 'yes' },
  inspector: {
    name: "Inspector's command line",
    package: '@modelcontextprotocol/inspector',
    error: 'returned',
    progress: false,
    cancel: 'no',
  },
}

const isAll = process.env.POLYFS_TEST_CLIENTS !== undefined
const run = promisify(execFile)
/** 600 MB may have to come over a slow line. */
const installMs = 1_800_000
const folder = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const page = await readFile(join(root, 'docs/clients.md'), 'utf8')
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const longText = Array.from({ length: 3500 }, (_, index) => `line ${index + 1} of a long file\n`).join('')
const first = '1\thello[1 line, hash 5891b5b522d5df08]'

let cli: string
/** Where the packages are, and the Node that runs them. */
let modules: string
let node: string

beforeAll(async () => {
  cli = built('node/cli.js')
  modules = join(isAll ? await installedFrom('polyfs-test-clients', folder) : root, 'node_modules')
  // Some of the packages need a newer Node than the project does.
  const isFit = process.platform === 'linux' && process.arch === 'x64'
  node = isAll && isFit ? (await runtime('Node 24'))[0] : process.execPath
}, installMs)

describe.each(Object.entries(clients).filter(([key]) => isAll || key === 'ai-sdk'))('%s', (key, client) => {
  test.each(['stdio', 'http'])('works over %s', async (transport) => {
    const { place, project } = await prepare()
    const skipped = client.cancel === 'no' ? ['progress', 'cancel'] : []
    const { stdout } = await run(node, ['play.mjs', key, transport, process.execPath, cli, project], {
      ...options(place),
      env: {
        ...options(place).env,
        POLYFS_SKIPPED: skipped.join(),
        POLYFS_CANCELS_COMMAND: client.cancel === 'yes' ? '1' : '0',
      },
    })
    const results = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
    const expected = {
      list: polyfs.tools
        .filter(({ name, unlistedBesideShell }) => name === 'copy' || !unlistedBesideShell)
        .map(({ name }) => name),
      call: first,
      image: `image image/png ${picture}`,
      error: `${client.error} not_found: missing.txt does not exist`,
      'long result': await longResult(),
      'long argument': true,
      progress: client.progress ? '62/62' : 'none',
      cancel: 'stopped',
      'call after that': first,
    }
    expect(results).toEqual(Object.fromEntries(Object.entries(expected).filter(([what]) => !skipped.includes(what))))
  })

  test('the program in docs/clients.md prints what it says', async () => {
    const { place, project } = await prepare()
    const ours = (text: string) => text.replaceAll('/path/to/project', project)
    const [, language, program = '', prints] =
      new RegExp(`\`\`\`(js|sh) ${key}\n(.*?)\`\`\`\n(?:\n\`\`\`text\n(.*?)\`\`\`)?`, 's').exec(page) ?? []
    if (language === 'sh') {
      const words = ours(program).trim().split(' ')
      expect(words.slice(0, 6).join(' ')).toBe(`npx ${client.package} --cli npx -y polyfs`)
      const launcher = join(modules, client.package, 'clients/launcher/build/index.js')
      const { stdout } = await run(node, [launcher, '--cli', process.execPath, cli, ...words.slice(6)], options(place))
      expect(JSON.parse(stdout).content[0].text).toBe('1\thello')
      return
    }
    const started = `command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(cli)}, '/path/to/project']`
    const code = program.replace("command: 'npx', args: ['-y', 'polyfs', '/path/to/project']", started)
    expect(code).not.toBe(program)
    await writeFile(join(place, 'program.mjs'), ours(code))
    const { stdout } = await run(node, ['program.mjs'], options(place))
    expect(stdout).toBe(prints)
  })
})

test('the table in docs/clients.md has what is tested', async () => {
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'))
  const rows = Object.values(clients).map(({ name, package: id, error, progress, cancel }) => {
    const { version } = packages[`node_modules/${id}`]
    return `${name} | \`${id}\` ${version} | yes | yes | yes | ${error} | yes | ${progress ? 'yes' : 'no'} | ${cancel}`
  })
  const shown = page.match(/^\| \[.*/gm)?.map((row) => row.replace(/^\| \[(.*?)\]\(.*?\)/, '$1').replace(/ \|$/, ''))
  expect(shown).toEqual(rows)
})

/** A directory whose modules find the packages, and a project for the server. */
async function prepare(): Promise<{ place: string; project: string }> {
  const place = await mkdtemp(join(tmpdir(), 'polyfs-clients-'))
  // Several times: a server that a client has left may still be ending.
  onTestFinished(() => rm(place, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }))
  const project = join(place, 'project')
  await cp(join(folder, 'drivers'), join(place, 'drivers'), { recursive: true })
  await cp(join(folder, 'play.mjs'), join(place, 'play.mjs'))
  await symlink(modules, join(place, 'node_modules'), 'junction')
  await mkdir(join(project, 'many'), { recursive: true })
  await writeFile(join(project, 'a.txt'), 'hello\n')
  await writeFile(join(project, 'long.txt'), longText)
  await writeFile(join(project, 'dot.png'), Buffer.from(picture, 'base64'))
  for (let index = 0; index < 30; index++) await writeFile(join(project, `many/${index}.txt`), `${index}\n`)
  return { place, project }
}

function options(place: string) {
  const env = { ...process.env, POLYFS_STATE_DIR: join(place, 'state'), MCP_USE_ANONYMIZED_TELEMETRY: 'false' }
  return { cwd: place, maxBuffer: 2 ** 26, timeout: 280_000, env }
}

/** What the tool answers without a client in between. */
async function longResult(): Promise<string> {
  const workspace = createWorkspace({ fs: memory({ 'long.txt': longText }) })
  const { content } = await callTool(workspace, polyfs, 'read_file', { path: 'long.txt' })
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  return `${text.length} ${createHash('sha256').update(text).digest('hex')}`
}
