/** Compares the imports of the code with the table in ARCHITECTURE.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'
import { describe, expect, test } from 'vitest'

/**
 * What each part may import beside itself: parts of this repository by path, libraries by name, Node's own modules as
 * `node:*`. A part is a folder, or a file without its extension; `<name>` stands for any one folder. The first row that matches
 * a file applies.
 */
const mayImport: Record<string, readonly string[]> = {
  'src/errors': [],
  'src/version': [],
  'src/parse-input': ['src/errors', 'zod'],
  'src/call-memory': [],
  'src/fair-queue': ['src/errors'],
  'src/text': ['src/errors', 'pako'],
  'src/fs': ['src/errors', 'src/text'],
  'src/network': ['src/fs', 'src/text'],
  'src/change': ['src/errors', 'src/fs', 'src/text'],
  'src/search': ['src/errors', 'src/fs', 'src/text'],
  'src/shell': ['src/errors', 'src/fs', 'src/change'],
  'src/archive': ['src/errors', 'src/fs', 'src/text', '@zip.js/zip.js'],
  'src/workspace': [
    'src/errors',
    'src/network',
    'src/parse-input',
    'src/call-memory',
    'src/fair-queue',
    'src/fs',
    'src/change',
    'src/search',
    'src/shell',
  ],
  'src/git': ['src/errors', 'src/fs', 'src/text', 'src/change', 'src/search', 'src/workspace', 'isomorphic-git'],
  'src/ops': [
    'src/errors',
    'src/call-memory',
    'src/fs',
    'src/text',
    'src/change',
    'src/search',
    'src/shell',
    'src/archive',
    'src/git',
    'src/workspace',
    'zod',
  ],
  'src/tools': ['src/errors', 'src/parse-input', 'src/ops', 'src/text', 'src/workspace', 'zod'],
  'src/dialects/registry': ['src/dialects', 'src/tools/dialect'],
  'src/dialects/tool-definitions': ['src/dialects', 'src/tools', 'src/workspace'],
  'src/dialects/native-tools': ['src/dialects', 'src/tools', 'src/workspace'],
  'src/dialects/<name>': [
    'src/errors',
    'src/call-memory',
    'src/fs/path',
    'src/git/print',
    'src/ops',
    'src/text',
    'src/workspace',
    'src/tools/dialect',
    'src/tools/make-tool',
    'src/tools/root-gone',
    'src/tools/wording',
    'zod',
  ],
  'src/mcp': [
    'src/errors',
    'src/version',
    'src/text',
    'src/workspace',
    'src/tools/call-tool',
    'src/tools/dialect',
    'src/tools/questions',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/sdk',
  ],
  'src/engine': ['src/errors', 'src/text', 'src/change', 'src/shell', 'src/ops', 'src/tools', 'src/workspace'],
  'src/sample-project': ['src/fs'],
  'src/index': ['src'],
  'src/entries': ['src'],
  'bash/regex': ['src/errors', 'src/text', 'src/search'],
  'bash/io': ['src/network', 'src/errors', 'src/text', 'src/fs'],
  'bash/programs': [
    'bash/io',
    'bash/regex',
    'src/network',
    'src/errors',
    'src/text',
    'src/fs',
    'src/change',
    'src/search',
    'src/archive',
    'quickjs-wasi',
    'acorn',
    'es-module-lexer',
    'sucrase',
    'yaml',
  ],
  'bash/language': ['bash/io', 'bash/programs', 'bash/regex', 'src/network', 'src/errors', 'src/text', 'src/fs'],
  'bash/worker': [
    'bash/io',
    'bash/language',
    'bash/programs',
    'src/network',
    'src/errors',
    'src/text',
    'src/fs',
    'src/shell',
  ],
  'bash/git': [
    'bash/io',
    'bash/programs',
    'bash/regex',
    'src/errors',
    'src/text',
    'src/fs',
    'src/change',
    'src/search',
    'src/git',
    'src/workspace',
  ],
  'bash/host': [
    'bash/git',
    'bash/io',
    'bash/worker',
    'src/network',
    'src/errors',
    'src/fair-queue',
    'src/text',
    'src/fs',
    'src/change',
    'src/shell',
    'src/workspace',
  ],
  'bash/standalone': ['bash/host', 'src/network', 'src/fs', 'src/shell', 'src/workspace'],
  harness: [
    'models',
    'src/network',
    'src/errors',
    'src/version',
    'src/text',
    'src/fs',
    'src/change',
    'src/search',
    'src/shell',
    'src/ops',
    'src/tools',
    'src/dialects',
    'src/workspace',
    'smol-toml',
  ],
  agent: ['models', 'src/errors', 'src/text', 'src/tools/result-text', 'src/workspace'],
  models: ['src/text'],
  'node/terminal': ['node:*'],
  'node/disk': ['src/errors', 'src/fs', 'src/search', 'src/text', 'node:*'],
  'node/locks': ['node/disk', 'src/errors', 'src/fs', 'src/change', 'node:*'],
  'node/threads': ['node/disk', 'src/errors', 'src/fs', 'src/search', 'src/text', 'node:*'],
  'node/shell': [
    'node/disk',
    'bash/host',
    'bash/programs',
    'bash/worker',
    'src/errors',
    'src/change',
    'src/fs',
    'src/shell',
    'src/text',
    'src/workspace',
    'node:*',
  ],
  'node/network': ['src/network', 'node:*'],
  'node/state': ['node/disk', 'node/locks', 'src/errors', 'src/change', 'node:*'],
  'node/workspace': [
    'node/disk',
    'node/locks',
    'node/network',
    'node/shell',
    'node/state',
    'node/threads',
    'src',
    'node:*',
    'unstorage',
  ],
  'node/serve': ['src', 'node:*'],
  'node/ui': ['node/serve', 'node/shell', 'node/state', 'src', 'node:*', 'ws'],
  'node/init': ['node/terminal', 'src/text', 'node:*', 'jsonc-parser', 'smol-toml'],
  'node/eval/agents/agent-module': ['node:*', '(computed)'],
  'node/eval': [
    'node/disk',
    'node/locks',
    'node/serve',
    'node/shell',
    'node/terminal',
    'harness',
    'models',
    'src',
    'node:*',
    'bullmq',
  ],
  'node/cli': ['node', 'src', 'node:*'],
  'node/index': ['node'],
  'node/bash': ['node/shell', 'bash'],
  web: ['src', 'bash', 'zod', '@webcontainer/api'],
  playground: [
    'src',
    'bash/language/syntax',
    'agent',
    'models',
    'web',
    '@ai-sdk/*',
    'codemirror',
    '@codemirror/*',
    '@lezer/highlight',
    '@xterm/*',
  ],
  workers: ['src'],
  build: ['node:*'],
  'contract/fs': ['src/errors', 'src/fs'],
  'contract/shell': ['src/errors', 'src/fs', 'src/shell', 'contract/fs'],
}

/** Each library is imported by one file, so that it can be replaced there. zod is the exception: it describes every input. */
const onlyImporter: Record<string, string> = {
  '@zip.js/zip.js/lib/zip-core-custom.js': 'src/archive/zip-js.ts',
  'isomorphic-git': 'src/git/isomorphic.ts',
  pako: 'src/text/pako.ts',
  'quickjs-wasi': 'bash/programs/node/engine/quickjs.ts',
  acorn: 'bash/programs/node/thread/syntax.ts',
  'es-module-lexer/js': 'bash/programs/node/thread/dynamic-imports.ts',
  'smol-toml': 'harness/tasks/toml.ts',
  yaml: 'bash/programs/yq/read-yaml.ts',
  'sucrase/dist/parser/index.js': 'bash/programs/node/host/typescript/tokens.ts',
}

/**
 * What depends on the machine: its clock, its randomness, its compressor, its time zone and its language. A result that
 * shows any of it can't be repeated, so the core takes all of it from the workspace. Only these files use it themselves.
 */
const dependsOnTheMachine: Record<string, { uses: readonly string[]; because: string }> = {
  'src/workspace/create-workspace.ts': { uses: ['Date.now', 'Math.random'], because: 'the defaults of a workspace' },
  'src/workspace/reproducible.ts': { uses: ['Date.now'], because: 'to see whether a workspace has a clock of its own' },
  'agent/agent.ts': { uses: ['Date.now'], because: 'a default: the clock of an agent is an option' },
  'src/change/changes.ts': { uses: ['Date.now'], because: 'a default; a workspace passes its clock' },
  'src/change/command-watcher.ts': { uses: ['Date.now'], because: 'a default; a workspace passes its clock' },
  'src/fs/backends/memory.ts': { uses: ['Date.now'], because: 'a default: the clock of a tree is an option' },
  'src/fs/backends/key-value/file-system.ts': {
    uses: ['Date.now', 'performance.now'],
    because: 'a default: the clock of a tree is an option; and how old a read is',
  },
  'src/fs/backends/key-value/lock.ts': { uses: ['performance.now'], because: 'how long others are waited for' },
  'src/fs/backends/sqlite/file-system.ts': { uses: ['performance.now'], because: 'when to look for changes by others' },
  'src/fs/backends/sqlite/workspaces.ts': {
    uses: ['Date.now'],
    because: 'a default: the clock of a tree is an option',
  },
  'src/fs/output-directory.ts': { uses: ['Date.now'], because: 'a default: the clock of a place is an option' },
  'src/fs/walk/walk.ts': { uses: ['Date.now', 'performance.now'], because: 'a default, and pauses for other work' },
  'src/fs/yield-between-steps.ts': { uses: ['performance.now'], because: 'pauses for other work' },
  'src/fs/yield-when-due.ts': { uses: ['performance.now'], because: 'pauses for other work' },
  'src/text/deflate-small.ts': {
    uses: ['deflateRawSync', 'deflateSync'],
    because: 'not used in reproducible workspaces',
  },
  'src/fs/staged-name.ts': { uses: ['getRandomValues'], because: 'names that nothing lists or prints' },
  'src/search/run/searcher.ts': { uses: ['Date.now'], because: 'a default; an operation passes its clock' },
  'src/search/run/parallel-search.ts': { uses: ['Date.now'], because: 'the clock that threads share' },
  'src/search/run/time-slices.ts': { uses: ['performance.now'], because: 'pauses for other work' },
  'src/ops/shared/run-in-slices.ts': { uses: ['performance.now'], because: 'pauses for other work' },
  'harness/episode/episode.ts': { uses: ['performance.now'], because: 'wall times in a trace, beside its hash' },
  'harness/run-episode.ts': { uses: ['performance.now'], because: 'wall times in results, beside the hash' },
  'src/text/patch/unified-patch.ts': { uses: ['Date.parse'], because: 'a time that has its zone' },
  'src/text/random-hex.ts': { uses: ['getRandomValues'], because: 'ids in workspaces without randomness of their own' },
  'src/dialects/polyfs/paging/answer-store.ts': {
    uses: ['Date.now', 'Math.random'],
    because: 'a default, and to see whether the workspace has randomness of its own',
  },
  'src/tools/audit.ts': { uses: ['performance.now'], because: 'durations for the log of the host' },
  'src/mcp/http/sessions.ts': { uses: ['Date.now'], because: 'connections that are idle' },
  'src/mcp/server/progress.ts': { uses: ['Date.now'], because: 'how often progress is sent' },
  'src/mcp/server/elicitation.ts': { uses: ['getRandomValues'], because: 'a secret key' },
  'src/archive/deflate.ts': { uses: ['CompressionStream'], because: 'not used in reproducible workspaces' },
  'src/archive/stream-compression.ts': { uses: ['CompressionStream'], because: 'not used in reproducible workspaces' },
  'src/archive/zip-layout.ts': {
    uses: ['getFullYear', 'getMonth', 'getDate', 'getHours', 'getMinutes', 'getSeconds'],
    because: 'not used in reproducible workspaces',
  },
  'src/git/objects/deflate.ts': { uses: ['CompressionStream'], because: 'not used in reproducible workspaces' },
  'src/git/commands/commit.ts': { uses: ['getTimezoneOffset'], because: 'not used in reproducible workspaces' },
  'bash/io/command-clock.ts': {
    uses: ['performance.now', 'setTimeout'],
    because: 'the clock of commands elsewhere than in reproducible workspaces',
  },
  'bash/programs/python/thread/serve-python.ts': {
    uses: ['Date.now', 'performance.now'],
    because: 'the clock of Python elsewhere than in reproducible workspaces',
  },
  'bash/programs/threads/message-queue.ts': {
    uses: ['setTimeout'],
    because: 'while another thread runs a program, it is looked whether the command has to stop',
  },
  'bash/programs/node/thread/local-time.ts': {
    uses: ['getTimezoneOffset'],
    because: "to see whether the browser is in the command's zone",
  },
  'bash/programs/node/thread/serve-node.ts': {
    uses: ['Date.now'],
    because: 'scripts there are those of commands without a clock of their own',
  },
  'bash/host/emulated-shell.ts': {
    uses: ['Date.now', 'Math.random'],
    because: 'to see whether the workspace has a clock and randomness of its own',
  },
  'bash/host/run-command.ts': { uses: ['performance.now'], because: 'timeouts of the machine' },
  'bash/worker/command-limits.ts': { uses: ['performance.now'], because: 'timeouts of the machine' },
  'bash/worker/serve-commands.ts': {
    uses: ['Date.now', 'Math.random'],
    because: 'for commands elsewhere than in reproducible workspaces',
  },
  'bash/programs/archives/compression.ts': {
    uses: ['CompressionStream'],
    because: 'not used in reproducible workspaces',
  },
  'bash/programs/data/time-zone.ts': { uses: ['Intl'], because: 'time zones that a script names' },
  'bash/programs/node/host/zone-name.ts': { uses: ['Intl'], because: 'time zones that a script names' },
}

/** Not imported by operations and dialects, which work on any file system. */
const concreteFileSystems = [
  'src/fs/backends/memory',
  'src/fs/backends/mount',
  'src/fs/backends/overlay',
  'src/fs/backends/readonly',
]

/** Text that runs in the engine of `node`: it imports what scripts name, and its clock and randomness are those of the command. */
const insideEngine = 'bash/programs/node/library/'

const root = fileURLToPath(new URL('..', import.meta.url))
const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
const files = [
  'src',
  'bash',
  'agent',
  'harness',
  'models',
  'node',
  'web',
  'workers',
  'playground',
  'build',
  'contract',
].flatMap(sourcesBelow)
const outsideEngine = files.filter((file) => !file.startsWith(insideEngine))
const imports = outsideEngine.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')))

describe('imports', () => {
  test('follow the table', () => {
    expect(files.length).toBeGreaterThan(20)
    expect(imports.filter((each) => !isAllowed(each)).map(describeImport)).toEqual([])
  })

  test('of a library in the core are in one file', () => {
    const importers = Object.entries(onlyImporter).map(([library]) => [
      library,
      [...new Set(imports.filter((each) => isPortable(each.from) && each.to === library).map(({ from }) => from))],
    ])
    expect(importers).toEqual(Object.entries(onlyImporter).map(([library, file]) => [library, [file]]))
  })

  test('of a concrete file system are in no operation and no dialect', () => {
    const made = imports.filter(
      (each) => /^src\/(ops|dialects|mcp)\//.test(each.from) && concreteFileSystems.includes(withoutExtension(each.to)),
    )
    expect(made.map(describeImport)).toEqual([])
  })

  test('form no cycle between folders', () => {
    expect(cycleIn(folderGraph(imports))).toEqual(undefined)
  })
})

describe('what depends on the machine', () => {
  test('is used in the listed files only', () => {
    const found = outsideEngine
      .filter(isPortable)
      .map((file): [string, string[]] => [file, machineUses(file, readFileSync(join(root, file), 'utf8'))])
      .filter(([, uses]) => uses.length > 0)
    const listed = Object.entries(dependsOnTheMachine).map(([file, { uses }]) => [file, [...uses].sort()])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed))
  })

  test.each([
    ['const time = Date.now', 'Date.now'],
    ['const time = now ?? Date.now()', 'Date.now'],
    ['const time = new Date()', 'new Date'],
    ['const time = new Date(1980, 0, 1)', 'new Date'],
    ['const time = Date.parse(text)', 'Date.parse'],
    ['const value = Math.random()', 'Math.random'],
    ['crypto.getRandomValues(bytes)', 'getRandomValues'],
    ['const { randomUUID } = crypto', 'randomUUID'],
    ['const id = globalThis.crypto.randomUUID()', 'randomUUID'],
    ['const { now } = performance', 'performance.now'],
    ["through(new CompressionStream('gzip'))", 'CompressionStream'],
    ['zlib.deflateSync(bytes)', 'deflateSync'],
    ["new Intl.DateTimeFormat('en')", 'Intl'],
    ["count.toLocaleString('en')", 'toLocaleString'],
    ['names.sort((a, b) => a.localeCompare(b))', 'localeCompare'],
    ['new Date(ms).getHours()', 'getHours'],
  ])('is found: %s', (source, use) => {
    expect(machineUses('src/made-up.ts', source)).toEqual([use])
  })

  test('is not what looks like it', () => {
    const source = `
      // Date.now()
      export const text = 'Math.random()'
      const time = new Date(workspace.now()).toISOString()
      const start = Date.UTC(1980, 0, 1)
      const year = new Date(ms).getUTCFullYear()
      const type: Intl.DateTimeFormat | CompressionStream | undefined = undefined
      setTimeout(run, 10)`
    expect(machineUses('src/made-up.ts', source)).toEqual([])
    expect(machineUses('bash/programs/made-up.ts', 'setTimeout(run, 10)')).toEqual(['setTimeout'])
  })
})

describe('the check itself', () => {
  const fromFs = (source: string) => importsOf('src/fs/made-up.ts', source).filter((each) => !isAllowed(each))

  test.each([
    ["import { readFile } from 'node:fs/promises'", 'node:fs/promises'],
    ["import fs from 'fs'", 'fs'],
    ["import type { Server } from '@modelcontextprotocol/server'", '@modelcontextprotocol/server'],
    ["export { readText } from '../ops/read-text.js'", 'src/ops/read-text.js'],
    ["export * from '../../web/fs-access/fs-access.js'", 'web/fs-access/fs-access.js'],
    ["const load = () => import('../mcp/server/server.js')", 'src/mcp/server/server.js'],
    ["type Tool = import('../tools/dialect.js').Tool", 'src/tools/dialect.js'],
    ['const load = (name: string) => import(name)', '(computed)'],
  ])('finds %s', (source, to) => {
    expect(fromFs(source)).toEqual([{ from: 'src/fs/made-up.ts', to }])
  })

  test('accepts what the table allows, and text that only looks like an import', () => {
    const source = `
      import { FsError } from '../errors.js'
      import { join } from './path.js'
      // import 'node:fs'
      export const text = "import 'node:fs'"`
    expect(fromFs(source)).toEqual([])
  })

  test('refuses an import of another dialect', () => {
    const found = importsOf('src/dialects/one/tools.ts', "import '../two/tools.js'\nimport '../../tools/dialect.js'")
    expect(found.filter((each) => !isAllowed(each)).map(describeImport)).toEqual([
      'src/dialects/one/tools.ts imports src/dialects/two/tools.js',
    ])
  })

  test('refuses that a folder of the Node adapter imports a higher one', () => {
    const found = importsOf('node/disk/made-up.ts', "import '../locks/file-lock.js'\nimport './node-fs.js'")
    expect(found.filter((each) => !isAllowed(each)).map(describeImport)).toEqual([
      'node/disk/made-up.ts imports node/locks/file-lock.js',
    ])
  })

  test('finds a cycle', () => {
    const made = [
      { from: 'src/a/x.ts', to: 'src/b/x.js' },
      { from: 'src/b/x.ts', to: 'src/c.js' },
      { from: 'src/c.ts', to: 'src/a/y.js' },
    ]
    expect(cycleIn(folderGraph(made))).toEqual(['src/a', 'src/b', 'src/c', 'src/a'])
  })
})

describe('ARCHITECTURE.md', () => {
  test('has the same import table', () => {
    expect(tableIn(architecture)).toEqual(mayImport)
  })

  test('draws every part above what it imports', () => {
    const levels = drawnIn(architecture)
    const part = (path: string) => withoutExtension(path).split('/')[path.startsWith('src/') ? 1 : 0] ?? ''
    const drawn = imports.filter(({ from, to }) => levels.has(part(from)) && isOurs(to) && part(from) !== part(to))
    expect(drawn.filter(({ from, to }) => !below(part(to), part(from))).map(describeImport)).toEqual([])
    const others = ['build', 'contract']
    const parts = new Set(files.map(part).filter((name) => !others.includes(name)))
    expect([...levels.keys()].sort()).toEqual([...parts].sort())

    function below(lower: string, upper: string): boolean {
      return (levels.get(lower) ?? 0) > (levels.get(upper) ?? 0)
    }
  })

  test('says what belongs in each folder of more than ten files', () => {
    const [, table = ''] = architecture.split('## What belongs in the larger folders')
    const described = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| (`.*`) \|/gm)].flatMap(([, folders = '']) =>
      [...folders.matchAll(/`([^`]+)`/g)].map(([, folder]) => folder),
    )
    expect(described.sort()).toEqual(largerFolders().sort())
  })

  test('lists exactly the folders that exist', () => {
    const skipped = ['node_modules', 'dist', 'coverage', 'test-results']
    const folders = (path: string) =>
      readdirSync(join(root, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !skipped.includes(entry.name))
        .map((entry) => posix.join(path, entry.name, '/'))
    expect(foldersIn(architecture).sort()).toEqual(['.', 'src', 'bash', 'node'].flatMap(folders).sort())
  })
})

const machineMembers: Record<string, readonly string[]> = {
  Date: ['now', 'parse'],
  Math: ['random'],
  performance: ['now'],
}
const machineGlobals = ['CompressionStream', 'Intl']
const machineMethods =
  /^(deflate(Raw)?Sync|getRandomValues|randomUUID|toLocale\w+|localeCompare|getTimezoneOffset|get(FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds))$/

/** In every file that has a use, and in few others: parsing is slow. */
const machineWords =
  /\b(Date|random\w*|performance|CompressionStream|deflate\w*Sync|Intl|getRandomValues|toLocale\w+|localeCompare|get[A-Z]\w+|setTimeout)\b/

/** Each once, sorted. In the interpreter and its programs timers too: they wait by the clock of the command. */
function machineUses(file: string, source: string): string[] {
  if (!machineWords.test(source)) return []
  const timers = /^bash\/(language|programs|io)\//.test(file)
  const uses = new Set<string>()
  visit(parseAst(source, { lang: 'ts' }))
  return [...uses].sort()

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    if (node.type?.startsWith('TS') && !node.type.endsWith('Expression')) return
    use(node)
    for (const child of Object.values(node)) visit(child)
  }

  function use({ type, object, property, callee, id, init, arguments: given = [] }: Node): void {
    if (type === 'NewExpression' && callee?.name === 'Date' && given.length !== 1) uses.add('new Date')
    if (type === 'NewExpression' && machineGlobals.includes(callee?.name ?? '')) uses.add(callee?.name ?? '')
    if (type === 'CallExpression' && timers && callee?.name === 'setTimeout') uses.add('setTimeout')
    if (type === 'MemberExpression' && property?.name !== undefined) useMember(object?.name, property.name)
    if (type !== 'VariableDeclarator') return
    for (const each of id?.properties ?? []) if (each.key?.name) useMember(init?.name, each.key.name)
  }

  function useMember(object: string | undefined, name: string): void {
    if (object !== undefined && machineMembers[object]?.includes(name)) uses.add(`${object}.${name}`)
    else if (object === 'Intl') uses.add('Intl')
    else if (machineMethods.test(name)) uses.add(name)
  }
}

interface Node {
  type?: string
  name?: string
  object?: Node
  property?: Node
  callee?: Node
  id?: Node
  init?: Node
  key?: Node
  properties?: Node[]
  arguments?: unknown[]
}

interface Import {
  from: string
  /** A path from the root of the repository, or a library's specifier as written. */
  to: string
}

/** What runs anywhere: it uses neither Node nor a page. */
function isPortable(file: string): boolean {
  return /^(src|bash|agent|harness|models)\//.test(file)
}

function describeImport({ from, to }: Import): string {
  return `${from} imports ${to}`
}

function sourcesBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((file) => /\.[jt]s$/.test(file) && !file.endsWith('.d.ts'))
    .sort()
}

/** Every specifier: static, dynamic, re-exported, and in types. */
function importsOf(file: string, source: string): Import[] {
  const specifiers: string[] = []
  visit(parseAst(source, { lang: 'ts' }))
  return specifiers.map((specifier) => ({
    from: file,
    to: specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier,
  }))

  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return
    const { type, source } = node as { type?: string; source?: { value?: unknown } | null }
    if (typeof source?.value === 'string') specifiers.push(source.value)
    else if (type === 'ImportExpression') specifiers.push('(computed)')
    for (const child of Object.values(node)) visit(child)
  }
}

function isAllowed({ from, to }: Import): boolean {
  const row = Object.keys(mayImport).find((name) => covers(name, from))
  if (row === undefined) return false
  const own = row.replace('<name>', from.split('/')[2] ?? '')
  return [own, ...(mayImport[row] ?? [])].some((allowed) => covers(allowed, to))
}

/** `src/fs` covers everything below it, `src/errors` one file, `src/dialects/<name>` everything in one of its folders. */
function covers(name: string, path: string): boolean {
  if (name === 'node:*') return path.startsWith('node:')
  if (/^@[^/]+\/\*$/.test(name)) return path.startsWith(name.slice(0, -1))
  if (name.endsWith('/<name>')) return posix.dirname(path).startsWith(name.slice(0, -'<name>'.length))
  return withoutExtension(path) === name || path.startsWith(`${name}/`)
}

function withoutExtension(path: string): string {
  return path.replace(/\.[jt]s$/, '')
}

/** Nodes are the folders and files directly in `src`, `bash` and `node`, nested folders that have a row in the table, and the other top-level folders. */
function folderGraph(all: readonly Import[]): Map<string, Set<string>> {
  const nested = Object.keys(mayImport).filter((name) => /^src\/[^/]+\/[\w/-]+$/.test(name))
  const folder = (path: string) =>
    nested.find((name) => covers(name, path)) ??
    withoutExtension(path)
      .split('/')
      .slice(0, /^(src|bash|node)\//.test(path) ? 2 : 1)
      .join('/')
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of all) {
    if (!/^(src|bash|agent|harness|models|node|web|workers|playground)\//.test(to) || folder(from) === folder(to))
      continue
    graph.set(folder(from), (graph.get(folder(from)) ?? new Set()).add(folder(to)))
  }
  return graph
}

function cycleIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const search = (path: string[]): string[] | undefined => {
    for (const next of graph.get(path.at(-1) ?? '') ?? []) {
      if (path.includes(next)) return [...path.slice(path.indexOf(next)), next]
      const found = search([...path, next])
      if (found) return found
    }
    return undefined
  }
  for (const start of graph.keys()) {
    const found = search([start])
    if (found) return found
  }
  return undefined
}

/** Rows of the table headed `from | may import`: names in backticks, in order. */
function tableIn(markdown: string): Record<string, string[]> {
  const rows = markdown.split('| from | may import |')[1]?.split('\n\n')[0]?.split('\n').slice(2) ?? []
  const names = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  return Object.fromEntries(
    rows.map((row) => {
      const [, from, allowed] = row.split('|')
      return [names(from).join(), names(allowed)]
    }),
  )
}

/** The line of each part in the drawing at the start. */
function drawnIn(markdown: string): Map<string, number> {
  const lines = markdown.split('```')[1]?.split('\n') ?? []
  const names = (line: string) => line.slice(0, 33).match(/[\w-]+/g) ?? []
  return new Map(
    lines.flatMap((line, level) =>
      line.startsWith('─') ? [] : names(line).map((name): [string, number] => [name, level]),
    ),
  )
}

function isOurs(path: string): boolean {
  return files.includes(path.replace(/\.js$/, '.ts'))
}

/** Folders of the code with more than ten files of their own. */
function largerFolders(): string[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const folder = posix.dirname(file)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count > 10).map(([folder]) => folder)
}

/** Lines of the tree that name a folder: `src/` at the margin, `  fs/` indented below it. */
function foldersIn(markdown: string): string[] {
  const tree = markdown.split('\n## Folders\n')[1]?.split('```')[1] ?? ''
  const folders: string[] = []
  let parent = ''
  for (const line of tree.split('\n')) {
    const [, indent, name] = /^( *)([\w-]+\/)(?: |$)/.exec(line) ?? []
    if (name === undefined) continue
    if (indent === '') parent = name
    folders.push(indent === '' ? name : parent + name)
  }
  return folders.filter((folder) => folder.split('/').length === 2 || /^(src|bash|node)\//.test(folder))
}
