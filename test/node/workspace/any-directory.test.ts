import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type AnyDirectory, anyDirectory } from '../../../node/workspace/any-directory.js'
import { fileEditor } from '../../../src/dialects/file-editor/tools.js'
import { callTool } from '../../../src/tools/call-tool.js'
import type { Session } from '../../../src/workspace/workspace.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const open: AnyDirectory[] = []

afterEach(() => {
  for (const workspace of open.splice(0)) workspace.close()
})

/** A connection to a server that was started without a directory. */
async function connect(options: { readOnly?: boolean } = {}) {
  const workspace = anyDirectory({ ...options, stateDirectory: await temporaryDirectory(), fsync: false })
  open.push(workspace)
  const session: Session = {}
  return async (tool: string, args: object): Promise<string> => {
    const { content } = await callTool(workspace, fileEditor, tool, args, { session })
    return content[0]?.type === 'text' ? content[0].text : ''
  }
}

describe('without a directory to serve', () => {
  test('there is nothing until the agent has chosen a directory', async () => {
    const call = await connect()
    expect(await call('list_files', { path: '/' })).toBe(
      'Error: Workspace not set. Please call set_workspace first to establish a secure workspace root directory.',
    )
  })

  test('any directory of the machine can be chosen, and then nothing beside it can be reached', async () => {
    const base = await temporaryDirectory()
    await mkdir(join(base, 'work'))
    await writeFile(join(base, 'beside'), 'secret')
    await symlink('../beside', join(base, 'work/link'))
    const call = await connect()
    const root = join(base, 'work')
    expect(await call('set_workspace', { path: relative(process.cwd(), root) })).toBe(
      `Successfully set workspace root to: ${root}`,
    )
    expect(await call('write_files', { path: join(root, 'd/a'), content: 'x', line_count: 1 })).toBe(
      `File written successfully: ${join(root, 'd/a')} (1 lines)`,
    )
    expect(await readFile(join(root, 'd/a'), 'utf8')).toBe('x')
    const outside = 'Error: Access denied: Path is outside the workspace boundary'
    for (const path of ['../beside', join(base, 'beside'), 'link']) {
      expect(await call('read_files', { path })).toBe(outside)
    }
  })

  test('a directory that was created again under the same name can be chosen again, and so can many in a row', async () => {
    const base = await temporaryDirectory()
    const call = await connect()
    for (let round = 0; round < 8; round += 1) {
      const root = join(base, String(round % 3))
      await rm(root, { recursive: true, force: true })
      await mkdir(root)
      await call('set_workspace', { path: root })
      expect(await call('write_files', { path: `${round}`, content: '', line_count: 1 })).toBe(
        `File written successfully: ${round} (1 lines)`,
      )
    }
    expect(await readdir(join(base, '1'))).toEqual(['7'])
  })

  test('a directory inside .git can be read but not written, under any name', async () => {
    const base = await temporaryDirectory()
    await mkdir(join(base, '.git/hooks'), { recursive: true })
    await symlink('.git/hooks', join(base, 'hooks'))
    const call = await connect()
    for (const name of ['.git', '.git/hooks', 'hooks']) {
      await call('set_workspace', { path: join(base, name) })
      expect(await call('write_files', { path: 'pre-commit', content: 'x', line_count: 1 })).toBe(
        'Error: Failed to write 1 file(s): pre-commit: Access denied: Path is read-only: pre-commit',
      )
    }
  })

  test('a read-only server stays read-only', async () => {
    const base = await temporaryDirectory()
    const call = await connect({ readOnly: true })
    await call('set_workspace', { path: base })
    expect(await call('write_files', { path: 'a', content: 'x', line_count: 1 })).toBe(
      'Error: Unknown tool: write_files',
    )
  })

  test.each([
    ['no', 'Workspace directory does not exist: no'],
    ['', 'Invalid workspace root: must be a non-empty string'],
    ['a\0b', 'Invalid workspace root: contains null bytes'],
  ])('%j is not a directory', async (path, message) => {
    const call = await connect()
    expect(await call('set_workspace', { path })).toBe(`Error: ${message}`)
  })
})
