/** What is kept of changes outlives the process that made them; and where nothing can be kept, all else still works. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type DirectoryWorkspace,
  type DirectoryWorkspaceOptions,
  openDirectories,
} from '../../../node/workspace/directory-workspace.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import { makeDirectory } from '../../../src/ops/make-directory.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { realDisk } from '../../real-disk.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { startServer } from '../serve/stdio-server.js'

const directoryOnDisk = () => temporaryDirectory(realDisk)

async function open(root: string, options: DirectoryWorkspaceOptions): Promise<DirectoryWorkspace> {
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], options)
  onTestFinished(() => workspace.close())
  return workspace
}

async function write(workspace: DirectoryWorkspace, path: string, content: string): Promise<void> {
  await writeFiles.run(writeFiles.input.parse({ files: [{ path, content }] }), workspace, {})
}

describe('history', () => {
  test('of an earlier process is undone by a later one, change by change', async () => {
    const [root, state] = [await directoryOnDisk(), await directoryOnDisk()]
    writeFileSync(join(root, 'a.txt'), 'one\n')
    const server = await startServer(root, state)
    await server.call('write_file', { path: 'a.txt', content: 'two\n' })
    await server.call('apply_patch', {
      patch: '--- a/a.txt\n+++ b/sub/b.txt\n@@ -1 +1 @@\n-two\n+three\n',
    })
    await server.end('end of input')

    const { history } = await open(root, { stateDirectory: state })
    expect((await history.list()).map(({ label }) => label)).toEqual(['patch', 'write'])
    await history.undo()
    expect(readdirSync(root)).toEqual(['a.txt'])
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n')
    await history.undo()
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n')
  })

  test('of one process is seen by another that runs beside it', async () => {
    const [root, state] = [await directoryOnDisk(), await directoryOnDisk()]
    const workspace = await open(root, { stateDirectory: state })
    const server = await startServer(root, state)
    await server.call('write_file', { path: 'a.txt', content: 'one\n' })
    await workspace.history.undo()
    expect(await server.call('list_dir', {})).toEqual({ text: '(empty directory)', isError: false })
  })

  test('brings back a deleted tree after a restart, byte for byte', async () => {
    const [root, state] = [await directoryOnDisk(), await directoryOnDisk()]
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251)
    mkdirSync(join(root, 'd/e'), { recursive: true, mode: 0o750 })
    writeFileSync(join(root, 'd/e/b.bin'), bytes, { mode: 0o600 })
    const first = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory: state })
    await deleteEntry.run({ path: 'd', recursive: true }, first, {})
    first.close()
    expect(readdirSync(root)).toEqual([])

    await (await open(root, { stateDirectory: state })).history.undo()
    expect(new Uint8Array(readFileSync(join(root, 'd/e/b.bin')))).toEqual(bytes)
    expect(statSync(join(root, 'd/e/b.bin')).mode & 0o777).toBe(0o600)
    expect(statSync(join(root, 'd/e')).mode & 0o777).toBe(0o750)
  })
})

describe('the state directory', () => {
  test('lies outside the root, is for the user alone, and is one for all names of a root', async () => {
    const base = realpathSync(await directoryOnDisk())
    const [root, link, state] = [join(base, 'root'), join(base, 'link'), join(base, 'new/state')]
    mkdirSync(root)
    symlinkSync('root', link)
    const workspace = await open(root, { stateDirectory: state })
    expect(workspace.durable).toBe(true)
    await write(workspace, 'a.txt', 'one\n')
    await write(await open(link, { stateDirectory: state }), 'a.txt', 'two\n')

    expect(readdirSync(root)).toEqual(['a.txt'])
    expect(readdirSync(state)).toEqual([expect.stringMatching(/^[0-9a-f]{24}$/)])
    for (const directory of [join(base, 'new'), state, join(state, readdirSync(state)[0] as string)]) {
      expect(statSync(directory).mode & 0o777).toBe(0o700)
    }
  })

  test('is in the place for such things unless another is named', async (context) => {
    if (process.platform !== 'linux') context.skip('the place is another on other systems')
    const [root, home, named] = [await directoryOnDisk(), await directoryOnDisk(), await directoryOnDisk()]
    const serve = async (variables: Record<string, string>) => {
      const server = await startServer(root, named, { HOME: home, XDG_STATE_HOME: '', ...variables })
      await server.call('list_dir', {})
      await server.end('end of input')
    }
    await serve({})
    expect([readdirSync(home), readdirSync(named).length]).toEqual([[], 1])
    await serve({ POLYFS_STATE_DIR: '' })
    expect(readdirSync(join(home, '.local/state/polyfs'))).toEqual(readdirSync(named))
    await serve({ POLYFS_STATE_DIR: '', XDG_STATE_HOME: join(home, 'xdg') })
    expect(readdirSync(join(home, 'xdg/polyfs'))).toEqual(readdirSync(named))
  })

  test('is not made where nothing may be changed, or nothing is to be kept', async () => {
    const [root, state] = [await directoryOnDisk(), await directoryOnDisk()]
    const readOnly = await open(root, { stateDirectory: state, readOnly: true })
    const inMemory = await open(root, { stateDirectory: state, durable: false })
    expect([readOnly.durable, inMemory.durable, inMemory.stateFault]).toEqual([false, false, undefined])
    await write(inMemory, 'a.txt', 'one\n')
    expect(readdirSync(state)).toEqual([])
  })
})

describe('without a state directory', () => {
  async function places() {
    const [root, base] = [await directoryOnDisk(), await directoryOnDisk()]
    const file = join(base, 'file')
    writeFileSync(file, '')
    return { root, state: join(file, 'state') }
  }

  test('changes are made, and undone while the process lasts', async () => {
    const { root, state } = await places()
    const workspace = await open(root, { stateDirectory: state })
    expect(workspace.durable).toBe(false)
    expect(workspace.stateFault).toMatchObject({ code: 'ENOTDIR' })
    await write(workspace, 'a.txt', 'one\n')
    await makeDirectory.run({ path: 'd' }, workspace, {})
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'd'])
    await workspace.history.undo()
    await workspace.history.undo()
    expect(readdirSync(root)).toEqual([])
  })

  test('the command serves, and says once what is missing and why', async () => {
    const { root, state } = await places()
    const server = await startServer(root, state)
    expect(await server.call('write_file', { path: 'a.txt', content: 'one\n' })).toEqual({
      text: 'Wrote 4 bytes to a.txt (created).',
      isError: false,
    })
    await server.end('end of input')
    expect(server.stderr()).toMatch(
      /^polyfs: no history, and no recovery after a crash: ENOTDIR: not a directory, mkdir '[^\n]*'\n$/,
    )
  })

  test('one that may not be written is not used', async (context) => {
    if (process.getuid?.() === 0) context.skip('root may write everywhere')
    const [root, state] = [await directoryOnDisk(), await directoryOnDisk()]
    const first = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory: state })
    first.close()
    spawnSync('chmod', ['-R', 'a-w', state])
    onTestFinished(() => void spawnSync('chmod', ['-R', 'u+w', state]))
    const workspace = await open(root, { stateDirectory: state })
    expect([workspace.durable, workspace.stateFault]).toMatchObject([false, { code: 'EACCES' }])
    await write(workspace, 'a.txt', 'one\n')
  })
})

test('a record of the journal that can not be read is set aside and reported, and changes go on', async () => {
  const [root, state] = [await directoryOnDisk(), await directoryOnDisk()]
  writeFileSync(join(root, 'a.txt'), 'one\n')
  const first = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory: state })
  first.close()
  const journal = join(state, readdirSync(state)[0] as string)
  const record = '000000000000001-00000001-00000000.committed'
  writeFileSync(join(journal, 'pending', record), 'no journal of ours\n')

  const server = await startServer(root, state)
  expect(await server.call('read_file', { path: 'a.txt' })).toEqual({ text: '     1\tone', isError: false })
  expect(await server.call('write_file', { path: 'a.txt', content: 'two\n' })).toMatchObject({ isError: false })
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two\n')
  await server.end('end of input')
  expect(server.stderr()).toContain(record)
  expect(readdirSync(join(journal, 'pending'))).toEqual([])
})
