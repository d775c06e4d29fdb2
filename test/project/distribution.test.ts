/** What registries, clients and containers get: made from package.json, valid by their rules, and able to start the server. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packExtension, unpackExtension, validateManifest } from '@anthropic-ai/mcpb'
import { Client } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { installLinks, layOutBundle, serverJson, withButtons } from '../../build/distribution.mjs'
import { changedFiles, closedSection, faultsOf, nextVersion } from '../../build/release.mjs'
import { longTest } from '../scale.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const run = promisify(execFile)
const text = (file: string) => readFile(join(root, file), 'utf8')

/** The rules of the registry's schema of 2025-12-11 for a server that is an npm package. */
const input = {
  description: z.string().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  isRepeated: z.boolean().optional(),
  default: z.string().optional(),
  value: z.string().optional(),
}
const registryEntry = z.strictObject({
  $schema: z.url(),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z
    .string()
    .max(255)
    .regex(/^\d+\.\d+\.\d+$/),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: z.string(),
        version: z.string().regex(/^\d+\.\d+\.\d+$/),
        runtimeHint: z.string(),
        transport: z.strictObject({ type: z.literal('stdio') }),
        packageArguments: z.array(
          z.discriminatedUnion('type', [
            z.strictObject({ type: z.literal('positional'), valueHint: z.string(), ...input }),
            z.strictObject({ type: z.literal('named'), name: z.string(), ...input }),
          ]),
        ),
      }),
    )
    .min(1),
})

async function place(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'polyfs-distribution-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

test('server.json is made from package.json, and follows the rules of the registry', async () => {
  const entry = JSON.parse(await text('server.json'))
  expect(entry).toEqual(serverJson(manifest))
  expect(registryEntry.parse(entry)).toEqual(entry)
  // The registry compares these two to see whose package it is.
  expect(entry.name).toBe(manifest.mcpName)
  expect(entry.packages[0].identifier).toBe(manifest.name)
})

test('the bundle is valid, and serves the directories that are chosen', async () => {
  const directory = await place()
  const laidOut = join(directory, 'bundle')
  await layOutBundle(laidOut)
  expect(validateManifest(join(laidOut, 'manifest.json'))).toBe(true)
  const file = join(directory, 'polyfs.mcpb')
  expect(await packExtension({ extensionPath: laidOut, outputPath: file, silent: true })).toBe(true)
  const installed = join(directory, 'installed')
  await unpackExtension({ mcpbPath: file, outputDir: installed, silent: true })

  const { server, tools } = JSON.parse(await readFile(join(installed, 'manifest.json'), 'utf8'))
  expect(existsSync(join(installed, server.entry_point))).toBe(true)
  const chosen = join(directory, 'chosen')
  await mkdir(chosen)
  await writeFile(join(chosen, 'a.txt'), 'hello\n')
  const args = server.mcp_config.args.map((arg: string) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a client replaces these
    arg.replace('${__dirname}', installed).replace('${user_config.directories}', chosen),
  )
  const client = new Client({ name: 'test', version: '1' })
  const env = { ...getDefaultEnvironment(), POLYFS_STATE_DIR: join(directory, 'state') }
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
  const listed = (await client.listTools()).tools.map(({ name }) => name)
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(listed)
  const { content } = await client.callTool({ name: 'bash', arguments: { command: `cat '${join(chosen, 'a.txt')}'` } })
  await client.close()
  expect(JSON.stringify(content)).toContain('hello')
})

test('the links carry a configuration that each client reads', async () => {
  const links = installLinks(manifest)
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a client replaces it
  const entry = { command: 'npx', args: ['-y', 'polyfs', '${workspaceFolder}'] }
  const vscode = new URL(links['VS Code']).searchParams
  expect([vscode.get('name'), JSON.parse(vscode.get('config') ?? '')]).toEqual(['files', { type: 'stdio', ...entry }])
  const cursor = new URL(links.Cursor).searchParams
  const config = Buffer.from(cursor.get('config') ?? '', 'base64').toString()
  expect([cursor.get('name'), JSON.parse(config)]).toEqual(['files', entry])
  const page = await text('docs/install.md')
  expect(page).toContain(links.Cursor)
  expect(withButtons(page, manifest)).toBe(page)
})

test('the Dockerfile follows the usual rules', async () => {
  const file = (await text('Dockerfile')).replace(/\\\n/g, ' ')
  const steps = file.split('\n').filter((line) => /^[A-Z]/.test(line))
  const last = steps.slice(steps.lastIndexOf('FROM node:22-slim'))
  const words = last.map((line) => line.split(' ')[0] ?? '')
  const at = (word: string) => words.lastIndexOf(word)
  expect(
    steps.filter((line) => line.startsWith('FROM ')).every((line) => /^FROM node:\d+-slim( AS \w+)?$/.test(line)),
  ).toBe(true)
  expect(steps.filter((line) => /^(ADD|MAINTAINER) /.test(line))).toEqual([])
  expect(file).not.toMatch(/sudo|--privileged|apt-get(?!.*rm -rf)|curl|npm install(?! -g)/)
  // Not root, and nothing afterwards that would run as root.
  expect(last[at('USER')]).toBe('USER node')
  expect(at('USER')).toBeGreaterThan(at('RUN'))
  for (const word of ['HEALTHCHECK', 'ENTRYPOINT', 'CMD']) expect(last[at(word)]).toMatch(/\[".*"\]$/)
  // Dependencies are installed before the sources are copied, so that they are cached.
  expect(file.indexOf('npm ci')).toBeLessThan(file.indexOf('COPY . .'))
  const ignored = (await text('.dockerignore')).split('\n')
  for (const name of ['.git', 'node_modules', 'dist']) expect(ignored).toContain(name)
  // Everything it copies from the checkout or the build is there.
  for (const [, name = ''] of file.matchAll(/COPY (?:--from=build \/build\/)?([\w./-]+) /g)) {
    if (name !== '.') expect([name, existsSync(join(root, name.replace('/build/', '')))]).toEqual([name, true])
  }
})

test('a container is healthy while the server answers', async () => {
  const health = (commandLine: string) =>
    run(process.execPath, [join(root, 'docker/health.mjs'), ...commandLine.split(' ')]).then(
      () => 'healthy',
      () => 'ill',
    )
  const cli = join(root, 'dist/node/cli.js')
  const server = spawn(process.execPath, [cli, '--memory', '--http', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void server.kill())
  const port = await new Promise<string>((resolve) => {
    createInterface(server.stdout).on('line', (line) => {
      const [found] = /(?<=at http:\/\/127\.0\.0\.1:)\d+/.exec(line) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  expect(await health(`node cli.js --http 0.0.0.0:${port} /workspace`)).toBe('healthy')
  expect(await health('node cli.js --http 127.0.0.1:1 /workspace')).toBe('ill')
  expect(await health('node cli.js /workspace')).toBe('healthy')
})

test.each([
  ['0.1.0', 'patch', '0.1.1'],
  ['0.1.9', 'minor', '0.2.0'],
  ['0.9.9', 'major', '1.0.0'],
  ['0.1.0', '0.1.10', '0.1.10'],
])('%s is followed by a %s release %s', (version, bump, next) => {
  expect(nextVersion(version, bump)).toBe(next)
})

test.each(['0.1.0', '0.0.9', 'next', '1.0', '0.1'])('%s is not a release after 0.1.0', (bump) => {
  expect(() => nextVersion('0.1.0', bump)).toThrow(/^release: /)
})

test('a release moves what is unreleased under its version', () => {
  const before = '# Changelog\n\n## Unreleased\n\n### Added\n\n- This.\n\n## 0.1.0 - 2026-01-01\n\n- That.\n'
  expect(closedSection(before, '0.2.0', '2026-02-02')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-02-02\n\n### Added\n\n- This.\n\n## 0.1.0 - 2026-01-01\n\n- That.\n',
  )
  expect(() => closedSection('# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- That.\n', '0.2.0', '')).toThrow('empty')
})

test('a release sets the version everywhere', async () => {
  const names = ['package.json', 'package-lock.json', 'src/version.ts', 'server.json', 'CHANGELOG.md']
  const files = new Map(await Promise.all(names.map(async (name) => [name, await text(name)] as const)))
  const changed = changedFiles((name) => files.get(name) ?? '', '7.8.9', '2026-02-02')
  expect(Object.keys(changed)).toEqual(names)
  for (const name of names) expect([name, changed[name]?.includes('7.8.9')]).toEqual([name, true])
  for (const name of ['package.json', 'package-lock.json', 'src/version.ts', 'server.json'])
    expect(changed[name]?.replaceAll('7.8.9', manifest.version)).toBe(files.get(name))
})

test('a package that lacks something, or has too much, is not released', () => {
  const faults = faultsOf({ files: [{ path: 'src/index.ts' }, { path: 'dist/index.js' }], unpackedSize: 13_000_000 })
  expect(faults).toContain('dist/node/cli.js is missing')
  expect(faults).toContain('src/index.ts should not be in it')
  expect(faults).toContain('13000000 bytes are more than 12000000')
})

longTest('a dry run of a release shows everything and changes nothing', async () => {
  const before = await Promise.all(['package.json', 'CHANGELOG.md', 'src/version.ts'].map(text))
  // Git refuses a checkout that belongs to another user, as it does when the suites are run as one.
  const trusting = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }
  const env = { ...process.env, ...trusting }
  const { stdout } = await run(process.execPath, [join(root, 'build/release.mjs'), 'minor', '--dry-run'], { env })
  expect(stdout).toMatch(/^polyfs \S+ -> \d+\.\d+\.0, dry run: nothing is changed\n/)
  expect(stdout).toMatch(/\npacked: \d+ files, [\d.]+ MB, [\d.]+ MB unpacked\n/)
  expect(stdout).toMatch(/would commit "Release \S+" and tag v/)
  expect(await Promise.all(['package.json', 'CHANGELOG.md', 'src/version.ts'].map(text))).toEqual(before)
})
