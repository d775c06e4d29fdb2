/** What a user gets from npm: the packed archive, installed in an empty project. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { help } from '../../node/cli/help.js'
import { version } from '../../src/version.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const nodeTypes = join(root, 'node_modules/@types')
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

let directory: string
let project: string

beforeAll(async () => {
  if (!existsSync(join(root, 'dist/types'))) throw new Error('dist is missing or incomplete: npm run build')
  directory = await mkdtemp(join(tmpdir(), 'polyfs-package-'))
  project = join(directory, 'project')
  await mkdir(project)
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  // Scripts are left out because the archive must not depend on building it here.
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory], { cwd: root })
  const [archive = ''] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'))
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(directory, archive)], {
    cwd: project,
  })
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

describe('the installed package', () => {
  test('declares the packages its Node entries import, and no others', async () => {
    const dist = join(project, 'node_modules/polyfs/dist')
    const files = (await readdir(dist, { recursive: true })).filter((file) =>
      /^(\w+|chunks.*|contract.*|node.index)\.js$/.test(file),
    )
    const imported = new Set<string>()
    for (const file of files) {
      const code = await readFile(join(dist, file), 'utf8')
      for (const [, name = ''] of code.matchAll(/^(?:import|export) .*?from "((?:@[^/"]+\/)?[^./"][^/"]*)/gm))
        imported.add(name)
    }
    const outside = [...imported].filter((name) => !name.startsWith('node:')).sort()
    expect(outside).toEqual(Object.keys(manifest.dependencies).sort())
  })

  test.each(entries)('%s can be imported', async (entry) => {
    const script = `import * as entry from '${entry}'; console.log(Object.keys(entry).length > 0)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: project })
    expect(stdout).toBe('true\n')
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

  test('its command prints its version', async () => {
    const { stdout } = await run('npx', ['--no-install', 'polyfs', '--version'], { cwd: project })
    expect(stdout).toBe(`${manifest.version}\n`)
  })

  test('its command prints its help', async () => {
    const { stdout } = await run('npx', ['--no-install', 'polyfs', '--help'], { cwd: project })
    expect(stdout).toBe(help)
  })

  test.each([
    ['a Node program', nodeConsumer, ['--module', 'nodenext', '--typeRoots', nodeTypes, '--types', 'node']],
    // A page has no types of Node, which the declarations of the MCP SDK mention.
    ['a page', pageConsumer, ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', '', '--skipLibCheck']],
  ])('its types fit %s', async (_, source, flags) => {
    await writeFile(join(project, 'consumer.ts'), source)
    const strict = ['--checkers', '1', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022']
    const { stdout } = await run(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), ...strict, ...flags, 'consumer.ts'],
      { cwd: project },
    ).catch((error) => ({ stdout: error.stdout }))
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

test('the command needs only its own chunks, and loads them on first use', async () => {
  const alone = join(directory, 'alone')
  await cp(join(root, 'dist/node/cli'), join(alone, 'cli'), { recursive: true })
  await copyFile(join(root, 'dist/node/cli.js'), join(alone, 'cli.js'))
  await writeFile(join(alone, 'package.json'), '{ "type": "module" }')
  const { stdout: tools } = await run(process.execPath, ['cli.js', 'tools'], { cwd: alone })
  expect(tools).toMatch(/^read_file /)
  for (const part of await readdir(join(alone, 'cli'))) {
    if (/zip|git|bash|search-worker|episode|eval/.test(part)) await rm(join(alone, 'cli', part), { recursive: true })
  }
  const { stdout } = await run(process.execPath, ['cli.js', '--version'], { cwd: alone })
  expect(stdout).toBe(`${manifest.version}\n`)
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

test('the version in the code is that of the package', () => {
  expect(version).toBe(manifest.version)
})

test('the lock file names no registry', async () => {
  const lock = await readFile(join(root, 'package-lock.json'), 'utf8')
  expect(lock.match(/"resolved"/g)).toEqual(null)
})
