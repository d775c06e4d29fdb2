/** A database file, opened by the SQLite of Node. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqliteWorkspace, openWorkspaces } from '../../../node/workspace/sqlite-workspace.js'
import { describeContract } from '../../describe-contract.js'
import { runCli, temporaryDirectory } from '../cli/run-cli.js'

const isThere = isBuiltin('node:sqlite')
const encode = (text: string) => new TextEncoder().encode(text)

test('without a driver, one line says what to do', async ({ skip }) => {
  if (isThere) skip('this Node has SQLite')
  const { code, stdout, stderr } = await runCli(['--sqlite', join(await temporaryDirectory(), 'db')])
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: `polyfs: --sqlite needs Node 22.13 or newer, or the package better-sqlite3 (npm install better-sqlite3); this is Node ${process.versions.node}\n`,
  })
})

test.each([
  [['--sqlite', 'db', 'src'], '--sqlite takes no directories; leave out one of the two'],
  [['--sqlite', 'db', '--memory'], '--sqlite excludes --memory'],
  [['--export', 'a.zip', 'src'], '--export requires --sqlite or --store'],
  [['--from', 'src'], '--from requires --memory, --sqlite or --store'],
  [['sqlite', 'db'], "'polyfs sqlite' takes a database file and what to do, such as list"],
  [['sqlite', 'db', 'diff', 'a'], 'usage: polyfs sqlite FILE diff A B'],
  [['sqlite', 'db', 'eat'], "'polyfs sqlite FILE' takes list, diff, gc, fork, snapshot, restore, drop, not 'eat'"],
  [['sqlite', '/nowhere/db', 'list'], 'no such file: /nowhere/db'],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await runCli(args)
  expect({ code, stderr }).toEqual({ code: 2, stderr: `polyfs: ${message} (polyfs --help shows the options)\n` })
})

describe.skipIf(!isThere)('with node:sqlite, which Node 20 does not have', () => {
  describeContract('a database file', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'polyfs-sqlite-'))
    const { workspaces, close } = openWorkspaces(join(directory, 'db'))
    const dispose = async () => {
      close()
      await rm(directory, { recursive: true })
    }
    return { fs: workspaces.open('main'), base: '/base', dispose }
  })

  test('a workspace outlives the process that filled it, with its history', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, 'src'))
    await writeFile(join(directory, 'src/a.txt'), 'one\n', { mode: 0o600 })
    const file = join(directory, 'db')
    const request = { label: 'edit', scopes: [{ path: '/a.txt' }] }
    const first = await openSqliteWorkspace(file, { from: join(directory, 'src') })
    await first.workspace.changes.run(request, (draft) => draft.write('/a.txt', encode('two\n')))
    first.close()

    const second = await openSqliteWorkspace(file, { from: join(directory, 'src') })
    const { fs, history } = second.workspace
    expect(new TextDecoder().decode(await fs.readFile('/a.txt'))).toBe('two\n')
    await history.undo()
    expect(new TextDecoder().decode(await fs.readFile('/a.txt'))).toBe('one\n')
    expect((await fs.stat('/a.txt')).mode).toBe(0o600)
    second.close()
  })

  test('two processes can use one file: each change of both is kept', async () => {
    const file = join(await temporaryDirectory(), 'db')
    const [one, other] = [await openSqliteWorkspace(file, {}), await openSqliteWorkspace(file, {})]
    await one.workspace.changes.run({ label: 'new', scopes: [{ path: '/a' }] }, (draft) =>
      draft.write('/a', encode('')),
    )
    const adding = [one, other].flatMap(({ workspace }, owner) =>
      Array.from({ length: 32 }, (_, index) =>
        workspace.changes.run({ label: 'add', scopes: [{ path: '/a' }] }, async (draft) => {
          const text = new TextDecoder().decode(await draft.read('/a'))
          await draft.write('/a', encode(`${text}${owner}-${index}\n`))
        }),
      ),
    )
    await Promise.all(adding)
    const lines = new TextDecoder()
      .decode(await one.workspace.fs.readFile('/a'))
      .trim()
      .split('\n')
    expect(new Set(lines).size).toBe(64)
    expect((await other.workspace.history.list()).length).toBe(65)
    for (const { close } of [one, other]) close()
  })

  test('the command lists, forks, compares, restores and exports', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, 'src'))
    await writeFile(join(directory, 'src/a.txt'), 'one\n')
    const file = join(directory, 'db')
    const { workspace, close } = await openSqliteWorkspace(file, { from: join(directory, 'src') })
    const run = async (...args: string[]) => {
      const { code, stdout } = await runCli(args)
      return `${code}\n${stdout.replace(/\d{4}-\S+Z/g, 'TIME')}`
    }
    expect(await run('sqlite', file, 'snapshot', 'main', 'before')).toBe('0\n')
    expect(await run('sqlite', file, 'fork', 'main', 'twin')).toBe('0\n')
    await workspace.changes.run({ label: 'edit', scopes: [{ path: '/', tree: true }] }, async (draft) => {
      await draft.write('/a.txt', encode('two\n'))
      await draft.write('/b.txt', encode('new\n'))
    })
    expect(await run('sqlite', file, 'diff', 'before', 'main')).toBe('0\nM /a.txt\nA /b.txt\n')
    expect(await run('sqlite', file, 'diff', 'twin', 'before')).toBe('0\n')
    expect(await run('sqlite', file, 'list')).toBe(
      '0\nbefore  snapshot   TIME  of main\nmain    workspace  TIME\ntwin    workspace  TIME  of main\n',
    )
    expect(await run('sqlite', file, 'restore', 'main', 'before')).toBe('0\n')
    expect(new TextDecoder().decode(await workspace.fs.readFile('/a.txt'))).toBe('one\n')
    close()
    const archive = join(directory, 'out.zip')
    expect(await run('--sqlite', file, '--workspace', 'twin', '--export', archive)).toBe('0\n')
    expect(execFileSync('unzip', ['-p', archive, 'a.txt'], { encoding: 'utf8' })).toBe('one\n')
    expect(await run('sqlite', file, 'drop', 'twin')).toBe('0\n')
    expect(await run('sqlite', file, 'gc')).toMatch(/^0\nremoved \d+ contents \(\d+ bytes\) and \d+ entries\n$/)
    expect(existsSync(`${file}-wal`)).toBe(false)
  })

  test('a file that is not a database is refused in one line, and left as it is', async () => {
    const file = join(await temporaryDirectory(), 'db')
    await writeFile(file, 'a text')
    const { code, stderr } = await runCli(['--sqlite', file])
    expect(code).toBe(2)
    expect(stderr).toContain(`polyfs: ${file}: file is not a database\n`)
    expect(await readFile(file, 'utf8')).toBe('a text')
  })
})
