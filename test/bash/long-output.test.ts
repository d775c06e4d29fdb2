import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeFs } from '../../node/disk/node-fs.js'
import { type DirectoryWorkspaceOptions, openDirectories } from '../../node/workspace/directory-workspace.js'
import { clarvis } from '../../src/dialects/clarvis/tools.js'
import { tools } from '../../src/dialects/tool-definitions.js'
import { outputPlace } from '../../src/fs/output-directory.js'
import { spillOutput } from '../../src/ops/shell/spill-output.js'
import { callTool } from '../../src/tools/call-tool.js'
import type { Dialect } from '../../src/tools/dialect.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { dialects } from '../dialects/all.js'
import { temporaryDirectory } from '../node/cli/run-cli.js'

const long = 'seq 1 5000'
const dayMs = 24 * 60 * 60 * 1000

async function open(prepare: (root: string) => void, options: DirectoryWorkspaceOptions = {}) {
  const root = fs.realpathSync(await temporaryDirectory())
  const stateDirectory = fs.realpathSync(await temporaryDirectory())
  prepare(root)
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory,
    fsync: false,
    ...options,
  })
  onTestFinished(() => workspace.close())
  return { root, stateDirectory, workspace, ...tools(workspace) }
}

/** Every entry below a directory, with its content. */
function snapshot(directory: string): Record<string, string> {
  const entries = fs.readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
    const file = path.join(entry.parentPath, entry.name)
    const content = entry.isSymbolicLink()
      ? `-> ${fs.readlinkSync(file)}`
      : entry.isFile()
        ? fs.readFileSync(file, 'utf8')
        : '/'
    return [path.relative(directory, file), content] as const
  })
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function old(file: string): void {
  const seconds = (Date.now() - 30 * dayMs) / 1000
  fs.utimesSync(file, seconds, seconds)
}

/** Entries of a repository that could mislead the clean-up, and files a user may have there. */
const trees: Record<string, (root: string, directory: string) => void> = {
  'a link to the sources': (root, directory) => fs.symlinkSync('src', path.join(root, directory)),
  'a link to the root': (root, directory) => fs.symlinkSync('.', path.join(root, directory)),
  'a link to itself': (root, directory) => fs.symlinkSync(directory, path.join(root, directory)),
  'a file': (root, directory) => fs.writeFileSync(path.join(root, directory), 'a file of the same name\n'),
  "a user's own directory": (root, directory) => {
    fs.mkdirSync(path.join(root, directory))
    for (const name of ['notes.md', 'stdout-0123456789abcdef.log', 'bash-1-01234567.stdout.log']) {
      fs.writeFileSync(path.join(root, directory, name), 'mine\n')
      old(path.join(root, directory, name))
    }
  },
  'one that looks like ours': (root, directory) => {
    trees["a user's own directory"]?.(root, directory)
    fs.writeFileSync(path.join(root, directory, '.gitignore'), '*\n')
    fs.symlinkSync('../src/main.ts', path.join(root, directory, 'stderr-0123456789abcdef.log'))
  },
}

function withSources(root: string): void {
  fs.mkdirSync(path.join(root, 'src'))
  for (const name of ['main.ts', '.gitignore', 'stdout-0123456789abcdef.log']) {
    fs.writeFileSync(path.join(root, 'src', name), 'of the project\n')
    old(path.join(root, 'src', name))
  }
}

const served: [string, Dialect, string, DirectoryWorkspaceOptions][] = [
  ['in the state directory', dialects.polyfs, '.polyfs', {}],
  ['in the tree', dialects.polyfs, '.polyfs', { durable: false }],
  ['in the tree, as the dialect says', clarvis, '.clarvis', { limits: { maxOutputBytes: 1024 } }],
]

for (const [where, dialect, directory, options] of served) {
  test.each(Object.keys(trees))(`long output kept ${where} touches only our own files: %s`, async (name) => {
    const { root, workspace } = await open((top) => {
      withSources(top)
      trees[name]?.(top, directory)
    }, options)
    const before = snapshot(root)
    for (const command of [long, 'seq 1 6000 >&2', long]) {
      await callTool(workspace, dialect, 'bash', { command, ...(dialect.name === 'polyfs' && { max_tokens: 500 }) })
    }
    const after = snapshot(root)
    expect(Object.fromEntries(Object.keys(before).map((file) => [file, after[file]]))).toEqual(before)
    // Output may be added to a directory that looks like ours, and nowhere else.
    const added = Object.keys(after).filter((file) => !(file in before))
    expect(added.filter((file) => !file.startsWith(`${directory}/`) || name !== 'one that looks like ours')).toEqual([])
  })
}

test('output is in the state directory, readable by every tool and writable by none', async () => {
  const { root, stateDirectory, call, callText } = await open(() => {})
  const { facts } = await call('bash', { command: long, max_tokens: 500 })
  const [file = ''] = (facts as { output: string[] }).output
  expect(path.dirname(path.dirname(path.dirname(file)))).toBe(stateDirectory)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
  expect(await callText('read_file', { path: file, offset: -1 })).toMatch(/^5000\t5000\n/)
  expect(await callText('grep', { pattern: '^4321$', path: path.dirname(file) })).toContain('4321')
  for (const [tool, args] of [
    ['write_file', { path: file, content: 'other' }],
    ['delete', { path: file }],
    ['move', { source: file, destination: path.join(root, 'moved.log') }],
    ['write_file', { path: path.join(path.dirname(file), 'new.txt'), content: 'other' }],
  ] as const) {
    const { isError, content } = await call(tool, args)
    expect(isError, tool).toBe(true)
    expect(content[0]?.text).toMatch(/^read_only: /)
  }
  expect(fs.readFileSync(file, 'utf8').split('\n')).toHaveLength(5001)
  expect(fs.readdirSync(root)).toEqual([])
  expect(await callText('history', { action: 'list' })).toBe('(no changes)')
})

test('output in the state directory is limited by age and size, oldest first, and nothing else is removed', async () => {
  const directory = await temporaryDirectory()
  const store = nodeFs(directory, { fsync: false })
  onTestFinished(() => store.close())
  let now = Date.now()
  const place = outputPlace({ store, path: '/out', bounds: { maxBytes: 250, maxAgeMs: dayMs }, now: () => now })
  const name = (at: number) => `stdout-${String(at).padStart(16, '0')}.log`
  fs.writeFileSync(path.join(directory, 'notes.md'), 'x'.repeat(1000))
  fs.symlinkSync('notes.md', path.join(directory, name(99)))
  old(path.join(directory, 'notes.md'))
  for (const at of [1, 2, 3, 4]) {
    await place.keep(name(at), new Uint8Array(100))
    fs.utimesSync(path.join(directory, name(at)), (now - dayMs / 2) / 1000 + at, (now - dayMs / 2) / 1000 + at)
  }
  expect(fs.readdirSync(directory).sort()).toEqual(['notes.md', name(3), name(4), name(99)].sort())
  now += dayMs
  expect(await place.keep(name(5), new Uint8Array(100))).toBe(`/out/${name(5)}`)
  expect(fs.readdirSync(directory).sort()).toEqual(['notes.md', name(5), name(99)].sort())
  await place.clear()
  expect(fs.readdirSync(directory).sort()).toEqual(['notes.md', name(99)].sort())
})

test('output in the tree is limited by size, and files changed since are not removed', async () => {
  const root = fs.realpathSync(await temporaryDirectory())
  const disk = nodeFs(root, { fsync: false })
  onTestFinished(() => disk.close())
  const workspace: Workspace = createWorkspace({ fs: disk })
  const keep = (name: string) =>
    spillOutput.run(
      { directory: 'out', name, content: new Uint8Array(100), inTree: false, maxAgeMs: dayMs, maxBytes: 250 },
      workspace,
      {},
    )
  for (const name of ['a.log', 'b.log']) await keep(name)
  fs.writeFileSync(path.join(root, 'out/a.log'), 'taken over by someone')
  for (const name of ['c.log', 'd.log']) await keep(name)
  expect(fs.readdirSync(path.join(root, 'out')).sort()).toEqual(['.gitignore', 'a.log', 'c.log', 'd.log'])
})
