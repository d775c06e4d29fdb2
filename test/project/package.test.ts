/** What a user gets from npm: the packed archive, installed in an empty project. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { help } from '../../node/cli/help.js'
import { pageSnippets } from '../../playground/connect/snippets.js'
import { version } from '../../src/version.js'
import { isFull, longTest, onlyInFull } from '../scale.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const nodeTypes = join(root, 'node_modules/@types')
const typesOfNode = ['--typeRoots', nodeTypes, '--types', 'node']
const bundled = ['--module', 'esnext', '--moduleResolution', 'bundler']
const run = promisify(execFile)
/** Those with names to import; workers and the bindings of a package that is not installed have none. */
const entries = Object.keys(manifest.exports)
  .filter((path) => manifest.exports[path].types !== undefined && path !== './sdk-v1')
  .map((path) => path.replace('.', 'polyfs'))

const nodeConsumer = `
import { createWorkspace, FsError, memory, type FileSystem } from 'polyfs'
import { contractCases } from 'polyfs/contract'
import { nodeFs, serveStdio } from 'polyfs/node'

export const files: FileSystem = nodeFs('/')
export const workspace = createWorkspace({ fs: files })
export const isError = (error: unknown): error is FsError => error instanceof FsError
export const names: string[] = contractCases.map(({ name }) => name)
export { serveStdio }

// @ts-expect-error: were the types missing, everything would be allowed
memory(42)
`

const pageConsumer = `
import { clarvis, createWorkspace, type FileSystem } from 'polyfs'
import { type FileEndpoint, opfs, serveFiles } from 'polyfs/web'

export const files: FileSystem = await opfs('project')
export const endpoint: FileEndpoint = await serveFiles({ workspace: createWorkspace({ fs: files }), dialect: clarvis })

// @ts-expect-error: were the types missing, everything would be allowed
opfs(42)
`

/** A program with its own copy of zod, and with transports of both major versions of the SDK. */
const extendingConsumer = `
import { StdioServerTransport as First } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createWorkspace, memory, polyfs, serve } from 'polyfs'
import { project } from 'polyfs/dialect'
import { operation } from 'polyfs/operations'
import * as z from 'zod'

const double = operation({
  mutates: false,
  input: z.object({ value: z.number().default(1) }),
  run: async ({ value }): Promise<number> => 2 * value,
})
export const tool = project(double, {
  name: 'double',
  title: 'Double',
  description: 'Doubles a number.',
  annotations: { readOnlyHint: true },
  input: z.object({ value: z.number().optional() }),
  toOp: ({ value }) => (value === undefined ? {} : { value }),
  print: (result) => String(result),
})
const workspace = createWorkspace({ fs: memory() })
for (const transport of [new StdioServerTransport(), new First()]) serve(transport, { workspace, dialect: polyfs })
// @ts-expect-error: not a transport
serve({ send: 1 }, { workspace, dialect: polyfs })
`

/** React is not installed here; this is what the code uses of it. */
const partOfReact = `
declare module 'react' {
  export function useEffect(run: () => void | (() => void), dependencies?: readonly unknown[]): void
  export function useState<State>(): [State | undefined, (state: State | undefined) => void]
}
`

/** Bytes of the installed package. It has the programs of the emulated shell three times: for Node, for pages, and in the playground. */
const maxInstalledBytes = 16_500_000

let directory: string
let project: string
let tarball: string

beforeAll(async () => {
  if (!existsSync(join(root, 'dist/declarations'))) throw new Error('dist is missing or incomplete: npm run build')
  directory = await mkdtemp(join(tmpdir(), 'polyfs-package-'))
  project = join(directory, 'project')
  await mkdir(project)
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  // Scripts are left out because the archive must not depend on building it here.
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory], { cwd: root })
  const [archive = ''] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'))
  tarball = join(directory, archive)
  // Offline: it needs no other package.
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project })
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

describe('the installed package', () => {
  test('is one package of less than 16.5 MB', async () => {
    const installed = (await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.'))
    expect(installed).toEqual(['polyfs'])
    const files = await readdir(join(project, 'node_modules'), { recursive: true, withFileTypes: true })
    const sizes = files.filter((file) => file.isFile()).map(({ parentPath, name }) => stat(join(parentPath, name)))
    const bytes = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0)
    expect(bytes).toBeLessThan(maxInstalledBytes)
  })

  test('imports only what Node has, and peers', async () => {
    const dist = join(project, 'node_modules/polyfs/dist')
    const files = (await readdir(dist, { recursive: true })).filter((file) => /^(?!web).*\.js$/.test(file))
    const imported = new Set<string>()
    for (const file of files) {
      const code = await readFile(join(dist, file), 'utf8')
      // As the minifier writes them: texts have other quotes. `requirePeer` looks for a peer where the command was started, too, and of some only files are read.
      const specifiers = code.matchAll(
        /\b(?:from|import|import\(|requirePeer\(|\w+\(\w+\)\.resolve\()["`]((?:@[\w-]+\/)?\w[\w:-]*)[^"`\s]*["`]/g,
      )
      // `optional-package.ts` finds those that are named with their version.
      const optional = code.matchAll(/=\{name:["`]([@\w./-]+)["`],version:["`][\w.-]+["`]\}/g)
      for (const [, name = ''] of [...specifiers, ...optional]) imported.add(name)
    }
    const outside = [...imported].filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
    expect(outside.sort()).toEqual(Object.keys(manifest.peerDependencies).sort())
  })

  test('has no file for pages that loads isomorphic-git before git is used', async () => {
    const web = join(project, 'node_modules/polyfs/dist/web')
    const files = (await readdir(web, { recursive: true })).filter((file) => file.endsWith('.js'))
    expect(files.some((file) => file.includes('isomorphic-git'))).toBe(true)
    const loading: string[] = []
    for (const file of files) {
      const code = await readFile(join(web, file), 'utf8')
      if (/(?:\bfrom|\bimport)\s*["'`][^"'`]*isomorphic-git/.test(code)) loading.push(file)
    }
    expect(loading).toEqual([])
  })

  test('lists the licences of the packages that it contains', async () => {
    const text = await readFile(join(project, 'node_modules/polyfs/dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const name of ['zod', '@modelcontextprotocol/server', 'isomorphic-git', 'quickjs-wasi', '@codemirror/view']) {
      expect(text).toMatch(new RegExp(`^${name} \\d[^\\n]* \\((MIT|Apache-2.0)\\)$`, 'm'))
    }
  })

  test('serves a directory with its command', async () => {
    const served = join(directory, 'served')
    await mkdir(served, { recursive: true })
    await writeFile(join(served, 'a.txt'), 'hello\n')
    const client = new Client({ name: 'test', version: '1' })
    const env = { ...getDefaultEnvironment(), POLYFS_STATE_DIR: join(directory, 'state') }
    await client.connect(
      new StdioClientTransport({ command: 'npx', args: ['--no-install', 'polyfs', served], cwd: project, env }),
    )
    const { content } = await client.callTool({ name: 'read_file', arguments: { path: join(served, 'a.txt') } })
    await client.close()
    expect(JSON.stringify(content)).toContain('hello')
  })

  longTest('serves the playground, which it has in an archive', async () => {
    const cli = join(project, 'node_modules/polyfs/dist/node/cli.js')
    const server = spawn(process.execPath, [cli, '--memory', '--http', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void server.kill())
    const address = await new Promise<string>((resolve) => {
      createInterface(server.stdout).on('line', (line) => {
        const [url] = /(?<=Open )\S+(?= for the playground)/.exec(line) ?? []
        if (url !== undefined) resolve(url)
      })
    })
    const page = await (await fetch(address)).text()
    const names = [...page.matchAll(/(?:src|href)="(.+?)"/g)].map(([, name]) => name ?? '')
    expect(names.length).toBeGreaterThan(1)
    for (const name of names) {
      const sent = Buffer.from(await (await fetch(new URL(name, address))).arrayBuffer())
      expect(sent.equals(await readFile(join(root, 'dist/playground', name))), name).toBe(true)
    }
    const missing = await fetch(new URL('assets/missing.js', address))
    expect(missing.status).toBe(404)
  })

  test('finds its workers', async () => {
    const script = `
      import { createWorkspace, memory, tools } from 'polyfs'
      import { emulatedShell } from 'polyfs/bash'
import { openDirectories } from 'polyfs/node'
      const workspace = createWorkspace({ fs: memory({ 'a.txt': 'x' }), shell: emulatedShell() })
      console.log((await tools(workspace).callText('bash', { command: 'echo in a worker; cat a.txt' })).split('\\n')[0])
      const disk = await openDirectories([{ directory: process.cwd(), access: 'read-only' }], { searchThreads: 2 })
      const found = await tools(disk).callText('grep', { pattern: '"consumer"', glob: 'package.json' })
      console.log(found.includes('package.json'))
      disk.close()
      process.exit(0)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: project,
      env: { ...process.env, POLYFS_STATE_DIR: join(directory, 'state') },
    })
    expect(stdout).toBe('in a worker\ntrue\n')
  })

  test('each of its entries can be imported', async () => {
    const script = `
      const counts = {}
      for (const entry of ${JSON.stringify(entries)}) counts[entry] = Object.keys(await import(entry)).length
      console.log(JSON.stringify(counts))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: project })
    const counts: Record<string, number> = JSON.parse(stdout)
    expect(Object.keys(counts)).toEqual(entries)
    expect(Object.keys(counts).filter((entry) => counts[entry] === 0)).toEqual([])
  })

  test('an error of polyfs/node is an instance of the class that polyfs exports', async () => {
    const script = `
      import { FsError } from 'polyfs'
      import { nodeFs } from 'polyfs/node'
      const error = await nodeFs(process.cwd()).stat('/absent').catch((error) => error)
      console.log(error instanceof FsError, error.code)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: project })
    expect(stdout).toBe('true NOT_FOUND\n')
  })

  test('an error that nobody catches is printed with the statement that threw it, not with all code', async () => {
    const script = `
      import { createWorkspace, memory } from 'polyfs'
      import { readText } from 'polyfs/operations'
      await createWorkspace({ fs: memory() }).run(readText, {})`
    const running = run(process.execPath, ['--input-type=module', '--eval', script], { cwd: project })
    const { stderr } = await running.then(
      () => expect.fail('the error was lost'),
      (failed: { stderr: string }) => failed,
    )
    expect(stderr).toContain('FsError: INVALID_INPUT')
    expect(stderr.length).toBeLessThan(2000)
  })

  test('its command prints its version', async () => {
    const { stdout } = await run('npx', ['--no-install', 'polyfs', '--version'], { cwd: project })
    expect(stdout).toBe(`${manifest.version}\n`)
  })

  test('its command prints its help', async () => {
    const { stdout } = await run('npx', ['--no-install', 'polyfs', '--help'], { cwd: project })
    expect(stdout).toBe(help)
  })

  test.for([
    ['a Node program', nodeConsumer, ['--module', 'node16', ...typesOfNode]],
    [
      'a program that is bundled',
      nodeConsumer,
      ['--module', 'esnext', '--moduleResolution', 'bundler', ...typesOfNode],
    ],
    ['a page', pageConsumer, [...bundled, '--types', '']],
    // The declarations of the SDK itself have faults.
    ['a program with tools of its own', extendingConsumer, ['--module', 'nodenext', ...typesOfNode, '--skipLibCheck']],
  ] as const)('its types fit %s', async ([, source, flags], { skip }) => {
    // By default the examples in the documentation show that the types fit.
    if (!isFull) skip(onlyInFull)
    await writeFile(join(project, 'consumer.ts'), source)
    const links = source === extendingConsumer ? ['zod', '@modelcontextprotocol'] : []
    for (const name of links)
      await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name), 'junction')
    const strict = ['--checkers', '1', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022']
    const { stdout } = await run(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), ...strict, ...flags, 'consumer.ts'],
      { cwd: project, timeout: 120_000 },
    ).catch((error) => ({ stdout: error.stdout ?? String(error) }))
    for (const name of links) await rm(join(project, 'node_modules', name))
    expect(stdout).toBe('')
  })

  longTest('its types fit the code that the playground gives to copy', async () => {
    const files = await Promise.all(
      pageSnippets.map(async ({ text }, index) => {
        await writeFile(join(project, `snippet-${index}.ts`), text)
        return `snippet-${index}.ts`
      }),
    )
    await writeFile(join(project, 'react.d.ts'), partOfReact)
    const links = ['@modelcontextprotocol', 'ai']
    for (const name of links)
      await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name), 'junction')
    const flags = ['--checkers', '1', '--noEmit', '--strict', '--target', 'es2022', '--skipLibCheck', ...bundled]
    const { stdout } = await run(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), ...flags, '--types', '', 'react.d.ts', ...files],
      { cwd: project, timeout: 120_000 },
    ).catch((error) => ({ stdout: error.stdout ?? String(error) }))
    for (const name of links) await rm(join(project, 'node_modules', name))
    expect(stdout).toBe('')
  })

  test.each(['polyfs', 'polyfs/operations', 'polyfs/web'])('%s generates no code in a page', async (entry) => {
    const script = `
      let generated = 0
      globalThis.Function = class extends Function { constructor(...parts) { super(...parts); generated++ } }
      await import('${entry}')
      const { createWorkspace, clarvis, memory, tools } = await import('polyfs')
      await tools(createWorkspace({ fs: memory() }), { dialect: clarvis }).call('list_dir', {})
      console.log(generated)`
    const { stdout } = await run(process.execPath, ['--conditions=browser', '--input-type=module', '--eval', script], {
      cwd: project,
    })
    expect(stdout).toBe('0\n')
  })
})

test('the command loads few files at its start, and the rest on first use', async () => {
  const coverage = join(directory, 'coverage')
  await run(process.execPath, [join(root, 'dist/node/cli.js'), 'tools'], {
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
  })
  const [file = ''] = await readdir(coverage)
  const { result } = JSON.parse(await readFile(join(coverage, file), 'utf8'))
  const loaded: string[] = result.map(({ url }: { url: string }) => url).filter((url: string) => url.includes('/dist/'))
  expect(loaded.length).toBeLessThanOrEqual(7)
  expect(loaded.filter((url) => /git|zip|bash|serve|emulated|search-worker|eval/.test(basename(url)))).toEqual([])
})

test('portable entries load nothing of Node', async () => {
  const chunks = new Set<string>()
  const visit = async (file: string): Promise<void> => {
    if (chunks.has(file)) return
    chunks.add(file)
    const code = await readFile(file, 'utf8')
    const imports = code.matchAll(/^import\b.*?from"(\.[^"]+)"|;import\b[^;"]*?from"(\.[^"]+)"/gm)
    for (const [, first, second] of imports) await visit(join(dirname(file), first ?? second ?? ''))
  }
  for (const entry of ['index', 'fs', 'dialect', 'operations', 'archive', 'changes', 'agent', 'harness', 'models']) {
    await visit(join(root, `dist/${entry}.js`))
  }
  expect(chunks.size).toBeGreaterThan(8)
  const ofNode = [...chunks].map((file) => basename(file)).filter((name) => /^(disk|cli|main)/.test(name))
  expect(ofNode).toEqual([])
})

test('the command can be run as a program', async () => {
  const file = join(root, 'dist/node/cli.js')
  expect((await readFile(file, 'utf8')).split('\n')[0]).toBe('#!/usr/bin/env node')
  expect(((await stat(file)).mode & 0o111) !== 0 || process.platform === 'win32').toBe(true)
})

test('publint reports nothing', async () => {
  const { messages, pkg } = await publint({ pkgDir: root, strict: true, pack: false })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

longTest('@arethetypeswrong reports nothing', async () => {
  const program = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
  // A package of modules only. The two workers are scripts, which nobody imports names from.
  const importable = Object.keys(manifest.exports).filter((path) => !path.endsWith('-worker'))
  const checked = isFull ? importable : ['.', './node']
  const options = ['--profile', 'esm-only', '--format', 'json', '--entrypoints', ...checked]
  const { stdout } = await run(process.execPath, [program, tarball, ...options])
  const { analysis, problems } = JSON.parse(stdout)
  expect(Object.keys(analysis.entrypoints).sort()).toEqual(checked.sort())
  const found = Object.values(problems).flat() as { kind: string; resolutionKind?: string }[]
  const relevant = found.filter(({ resolutionKind }) => !['node10', 'node16-cjs'].includes(resolutionKind ?? ''))
  expect(relevant).toEqual([])
})

test('the version in the code is that of the package', () => {
  expect(version).toBe(manifest.version)
})

test('the lock file names no registry', async () => {
  const lock = await readFile(join(root, 'package-lock.json'), 'utf8')
  expect(lock.match(/"resolved"/g)).toEqual(null)
})
