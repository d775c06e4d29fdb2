import { execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, readdir, readFile, readlink, realpath, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { gitPatch } from '../../../node/workspace/overlay-patch.js'
import { openOverlayWorkspace } from '../../../node/workspace/overlay-workspace.js'
import { clarvis } from '../../../src/dialects/clarvis/tools.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { type OverlayFileSystem, overlay } from '../../../src/fs/backends/overlay.js'
import { copyEntry } from '../../../src/ops/copy-entry.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import { moveEntry } from '../../../src/ops/move-entry.js'
import type { Operation } from '../../../src/ops/operation.js'
import { callTool } from '../../../src/tools/call-tool.js'
import { built } from '../cli/built.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const bytes = (text: string) => new TextEncoder().encode(text)

/** A project with every kind of entry that git distinguishes. */
async function project(): Promise<string> {
  const root = await temporaryDirectory()
  await mkdir(join(root, 'src/deep'), { recursive: true })
  await writeFile(join(root, 'src/a.txt'), Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join(''))
  await writeFile(join(root, 'src/crlf.txt'), 'one\r\ntwo\r\nthree\r\n')
  await writeFile(join(root, 'src/open end.txt'), 'no newline')
  await writeFile(join(root, 'src/deep/latin1.txt'), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x62, 0x0a]))
  await writeFile(join(root, 'src/deep/moves.txt'), 'stays the same\nwhile it moves\n')
  await writeFile(join(root, 'run.sh'), '#!/bin/sh\necho hi\n')
  await writeFile(join(root, 'picture.bin'), Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7) % 256)))
  await writeFile(join(root, 'gone.bin'), Buffer.from([0, 1, 2, 3]))
  await writeFile(join(root, 'gone.txt'), 'farewell\n')
  await writeFile(join(root, 'empty.txt'), '')
  await writeFile(join(root, 'becomes-link'), 'a file for now\n')
  await writeFile(join(root, 'becomes-directory'), 'a file for now\n')
  await symlink('gone.txt', join(root, 'link'))
  return root
}

/** Every entry with its content and executable bit, which is what git stores. */
async function snapshot(root: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    const name = relative(root, path)
    if (name.split('/')[0] === '.git' || entry.isDirectory()) continue
    const mode = (await lstat(path)).mode & 0o100 ? 'x' : '-'
    found[name] = entry.isSymbolicLink()
      ? `link ${await readlink(path)}`
      : `${mode} ${(await readFile(path)).toString('latin1')}`
  }
  return found
}

async function treeOf(fs: OverlayFileSystem, directory = '/'): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { name, kind } of await fs.readDir(directory)) {
    const path = `${directory === '/' ? '' : directory}/${name}`
    const mode = ((await fs.stat(path)).mode ?? 0) & 0o100 ? 'x' : '-'
    if (kind === 'directory') Object.assign(found, await treeOf(fs, path))
    else if (kind === 'symlink') found[path.slice(1)] = `link ${await fs.readLink?.(path)}`
    else found[path.slice(1)] = `${mode} ${Buffer.from(await fs.readFile(path)).toString('latin1')}`
  }
  return found
}

test('a patch of every kind of change turns the directory into the overlay, and back', async () => {
  const root = await project()
  const before = await snapshot(root)
  const disk = nodeFs(root)
  onTestFinished(() => disk.close())
  const fs = overlay(disk, memory())
  const write = (path: string, content: string | Buffer, mode?: number) =>
    fs.writeFile(path, typeof content === 'string' ? bytes(content) : content, mode === undefined ? {} : { mode })

  await write('/src/a.txt', (await readFile(join(root, 'src/a.txt'), 'utf8')).replace('line 3\n', 'line three\n'))
  await write('/src/crlf.txt', 'one\r\n2\r\nthree\r\n')
  await write('/src/open end.txt', 'no newline\nstill none')
  await write('/src/deep/latin1.txt', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0xfc, 0x0a]))
  await fs.makeDir('/new place')
  await fs.rename('/src/deep/moves.txt', '/new place/moved "here" ü.txt')
  await fs.setMode?.('/run.sh', 0o755)
  await write('/picture.bin', Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 11) % 256)))
  await write('/new.bin', Buffer.from([0, 255, 0, 254]))
  await write('/new.txt', 'hello\n', 0o755)
  await write('/new-empty.txt', '')
  await fs.remove('/gone.bin')
  await fs.remove('/gone.txt')
  await fs.remove('/empty.txt')
  await fs.remove('/becomes-link')
  await fs.symlink?.('run.sh', '/becomes-link')
  await fs.remove('/becomes-directory')
  await fs.makeDir('/becomes-directory')
  await write('/becomes-directory/inside.txt', 'now inside\n')
  await fs.remove('/link')
  await fs.symlink?.('run.sh', '/link')
  await fs.makeDir('/nothing in it')

  expect(await snapshot(root)).toEqual(before)
  const { patch, omitted } = await gitPatch(disk, fs)
  expect(omitted).toEqual([{ path: '/nothing in it', why: 'empty directory' }])
  expect(Buffer.from(patch).toString('latin1')).toContain('rename from src/deep/moves.txt\nrename to "new place/moved')
  const file = join(await temporaryDirectory(), 'changes.patch')
  await writeFile(file, patch)
  const expected = await treeOf(fs)
  execFileSync('git', ['init', '-q'], { cwd: root })
  execFileSync('git', ['apply', '--whitespace=nowarn', file], { cwd: root, stdio: 'pipe' })
  expect(await snapshot(root)).toEqual(expected)
  execFileSync('git', ['apply', '-R', '--whitespace=nowarn', file], { cwd: root, stdio: 'pipe' })
  expect(await snapshot(root)).toEqual(before)
})

test('a patch applies in a directory that is not a repository, and is empty without changes', async () => {
  const root = await project()
  const disk = nodeFs(root)
  onTestFinished(() => disk.close())
  const fs = overlay(disk, memory())
  await fs.writeFile('/gone.txt', bytes('farewell\n'))
  expect(await gitPatch(disk, fs)).toEqual({ patch: Buffer.alloc(0), omitted: [] })
  await fs.writeFile('/gone.txt', bytes('hello again\n'))
  const { patch } = await gitPatch(disk, fs)
  expect(patch.toString()).toBe(`diff --git a/gone.txt b/gone.txt
--- a/gone.txt
+++ b/gone.txt
@@ -1 +1 @@
-farewell
+hello again
`)
  execFileSync('git', ['apply'], {
    cwd: root,
    input: patch,
    stdio: 'pipe',
    env: { ...process.env, GIT_DIR: '/nowhere' },
  })
  expect(await readFile(join(root, 'gone.txt'), 'utf8')).toBe('hello again\n')
})

test('tools work on the overlay and the disk is not changed', async () => {
  const root = await project()
  await chmod(join(root, 'run.sh'), 0o755)
  const before = await snapshot(root)
  const workspace = openOverlayWorkspace([{ directory: root, access: 'read-write' }])
  onTestFinished(() => workspace.close())
  const call = async (tool: string, args: object) => {
    const { content, isError } = await callTool(workspace, clarvis, tool, args)
    expect({ isError, content }).toMatchObject({ isError: undefined })
    return content[0]?.text
  }
  await call('edit_file', { path: 'run.sh', old_string: 'echo hi', new_string: 'echo bye' })
  await call('write_file', { path: 'fresh.txt', content: 'fresh\n' })
  expect(await call('grep', { pattern: 'bye|fresh' })).toBe('fresh.txt\nrun.sh')
  expect(await snapshot(root)).toEqual(before)

  const { patch } = await workspace.patch()
  execFileSync('git', ['apply'], { cwd: root, input: patch, stdio: 'pipe' })
  expect(await snapshot(root)).toEqual({
    ...before,
    'fresh.txt': '- fresh\n',
    'run.sh': 'x #!/bin/sh\necho bye\n',
  })
  expect((await lstat(join(root, 'run.sh'))).mode & 0o777).toBe(0o755)
})

test('links to anywhere are moved, deleted and restored, and the patch has their targets on disk', async () => {
  const root = await temporaryDirectory()
  await mkdir(join(root, 'd'))
  await writeFile(join(root, 'd/file.txt'), 'file\n')
  const places = { out: '/etc/hostname', above: '../../nowhere', inside: join(root, 'd/file.txt'), beside: 'file.txt' }
  for (const [name, target] of Object.entries(places)) await symlink(target, join(root, 'd', name))
  for (const name of ['gone', 'kept']) await symlink('/etc/hostname', join(root, name))
  const before = await snapshot(root)
  const workspace = openOverlayWorkspace([{ directory: root, access: 'read-write' }])
  onTestFinished(() => workspace.close())
  const run = <Given, Input>(operation: Operation<Given, Input, unknown>, input: Given) =>
    operation.run(operation.input.parse(input), workspace, {})

  await run(deleteEntry, { path: 'kept' })
  await run(deleteEntry, { path: 'd', recursive: true })
  for (let taken = 0; taken < 2; taken += 1) await workspace.history.undo()
  expect(await workspace.patch()).toEqual({ patch: Buffer.alloc(0), omitted: [] })

  await run(moveEntry, { from: 'd', to: 'e' })
  await run(moveEntry, { from: 'e', to: 'f' })
  await run(copyEntry, { from: 'f', to: 'g' })
  await run(deleteEntry, { path: 'gone' })
  const { patch } = await workspace.patch()
  execFileSync('git', ['apply'], { cwd: root, input: patch, stdio: 'pipe' })
  const moved = Object.entries(before).filter(([name]) => name.startsWith('d/'))
  const expected = ['f', 'g'].flatMap((to) => moved.map(([name, entry]) => [name.replace('d', to), entry]))
  expect(await snapshot(root)).toEqual({ kept: before.kept, ...Object.fromEntries(expected) })
})

test('an entry that replaced a link is in the patch, with its content', async () => {
  const root = await project()
  await symlink('src', join(root, 'to-src'))
  const disk = nodeFs(root)
  onTestFinished(() => disk.close())
  const fs = overlay(disk, memory())
  await fs.remove('/to-src')
  await fs.makeDir('/to-src')
  await fs.writeFile('/to-src/a.txt', bytes('no longer that of src\n'))
  const { patch } = await gitPatch(disk, fs)
  const expected = await treeOf(fs)
  execFileSync('git', ['apply'], { cwd: root, input: patch, stdio: 'pipe' })
  expect(await snapshot(root)).toEqual(expected)
})

test('a directory with an entry that cannot be copied is not moved, and leaves nothing behind', async () => {
  const root = await temporaryDirectory()
  await mkdir(join(root, 'd'))
  for (const name of ['a', 'z']) await writeFile(join(root, 'd', name), name)
  execFileSync('mkfifo', [join(root, 'd/pipe')])
  const disk = nodeFs(root)
  onTestFinished(() => disk.close())
  const fs = overlay(disk, memory({ '/there/': '' }))
  for (const to of ['/e', '/there']) {
    await expect(fs.rename('/d', to)).rejects.toMatchObject({ code: 'SPECIAL_FILE', facts: { path: '/d/pipe' } })
  }
  expect((await fs.readDir('/')).map(({ name }) => name).sort()).toEqual(['d', 'there'])
  expect(await fs.changes()).toEqual([{ path: '/there', kind: 'directory', change: 'added' }])
})

test('git of the emulated shell follows the user’s own settings', async () => {
  const directory = await realpath(await temporaryDirectory())
  const home = await temporaryDirectory()
  await writeFile(join(home, '.gitconfig'), '[core]\n\tautocrlf = true\n\texcludesFile = ~/rules\n')
  await writeFile(join(home, 'rules'), '*.log\n')
  const environment = { HOME: home, PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1' }
  vi.stubEnv('HOME', home)
  vi.stubEnv('GIT_CONFIG_GLOBAL', undefined)
  vi.stubEnv('XDG_CONFIG_HOME', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  execFileSync('git', ['init', '-q'], { cwd: directory, env: environment })
  await writeFile(join(directory, 'a.txt'), 'a\r\nb\r\n')
  await writeFile(join(directory, 'b.log'), 'log\n')
  const workspace = openOverlayWorkspace([{ directory, access: 'read-write' }], {
    shell: emulatedShell({ worker: built('node/emulated-worker.js') }),
  })
  onTestFinished(() => workspace.close())
  const request = { command: 'git add -A; git ls-files -s', cwd: directory, timeoutMs: 50_000, maxStreamBytes: 10_000 }
  const { stdout } = (await workspace.shell?.exec(request)) ?? {}
  execFileSync('git', ['add', '-A'], { cwd: directory, env: environment, stdio: 'pipe' })
  const theirs = execFileSync('git', ['ls-files', '-s'], { cwd: directory, env: environment, encoding: 'utf8' })
  expect(new TextDecoder().decode(stdout?.bytes)).toBe(theirs)
})
