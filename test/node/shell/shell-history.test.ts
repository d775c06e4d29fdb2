import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { runCommand } from '../../../src/ops/shell/run-command.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { everything } from '../../bash/everything.js'
import { temporaryDirectory } from '../cli/run-cli.js'

async function open(files: Record<string, string> = {}, options = {}) {
  const directory = fs.realpathSync(await temporaryDirectory())
  const stateDirectory = await temporaryDirectory()
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(join(directory, name, '..'), { recursive: true })
    fs.writeFileSync(join(directory, name), content)
  }
  const workspace = await openDirectories([{ directory, access: 'read-write' }], { stateDirectory, ...options })
  onTestFinished(() => workspace.close())
  const bash = (command: string) =>
    runCommand.run(runCommand.input.parse({ command, timeoutMs: 60_000, maxStreamBytes: 100_000 }), workspace, {})
  return { directory, workspace, bash }
}

test('undo restores forty files that a command changed, created, moved and removed', async () => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`src/d${i % 4}/f${i}.txt`, `line ${i}\r\n`]))
  const { directory, workspace, bash } = await open({ ...files, 'bin.dat': '\u0000\u0001', 'run.sh': 'echo\n' })
  fs.symlinkSync('f0.txt', join(directory, 'src/d0/link'))
  const before = everything(directory)
  const { commandChanges, exitCode } = await bash(`
    for f in src/d0/*.txt src/d1/*.txt; do echo changed >> $f; done
    rm -r src/d2
    mv src/d3 moved
    printf new > src/new.txt; mkdir -p deep/er; echo x > deep/er/file
    chmod 755 run.sh; rm src/d0/link; ln -s elsewhere src/d0/link
    rm bin.dat; mkdir bin.dat; echo inside > bin.dat/f`)
  expect(exitCode).toBe(0)
  const changed = everything(directory)
  expect(changed).not.toEqual(before)
  expect(commandChanges).toMatchObject({ watched: true, unkept: [], record: { undoable: true } })
  const [newest] = await workspace.history.list()
  expect(newest?.label).toContain('for f in src/d0')

  await workspace.history.undo()
  expect(everything(directory)).toEqual(before)
  await workspace.history.undo((await workspace.history.list({ limit: 1 }))[0]?.id)
  expect(everything(directory)).toEqual(changed)
})

test('a command that changes nothing leaves no record, nor do changes made before it', async () => {
  const { directory, workspace, bash } = await open({ 'a.txt': 'a' })
  await bash('cat a.txt')
  fs.writeFileSync(join(directory, 'a.txt'), 'by an editor')
  expect((await bash('cat a.txt; touch a.txt')).commandChanges).toEqual({ watched: true, unkept: [] })
  expect(await workspace.history.list()).toEqual([])
})

test('a second command is a second change, and each can be undone separately', async () => {
  const { directory, workspace, bash } = await open({ 'a.txt': 'one' })
  await bash('printf two > a.txt')
  await bash('printf six > a.txt')
  await workspace.history.undo()
  expect(everything(directory)['/a.txt']).toContain('two')
  await workspace.history.undo()
  expect(everything(directory)['/a.txt']).toContain('one')
})

test('changes by tools while a command runs are recorded once', async () => {
  const { directory, workspace, bash } = await open({ 'a.txt': 'a', 'b.txt': 'b' })
  const running = bash('echo > up; while [ ! -e go ]; do sleep 0.05; done; rm go; printf command > b.txt')
  await expect.poll(() => fs.existsSync(join(directory, 'up')), { timeout: 60_000 }).toBe(true)
  const files = [{ path: 'a.txt', content: 'tool' }]
  await writeFiles.run(writeFiles.input.parse({ files }), workspace, {})
  fs.writeFileSync(join(directory, 'go'), '')
  await running
  const paths = (await workspace.history.list()).map(({ steps }) =>
    steps.map((step) => step.path.slice(directory.length)),
  )
  expect(paths).toEqual([['/b.txt', '/up'], ['/a.txt']])
  await workspace.history.undo()
  expect(everything(directory)).toEqual({ '/a.txt': '644 tool', '/b.txt': '644 b' })
})

test('two concurrent commands are recorded, each change once', async () => {
  const { directory, workspace, bash } = await open({ a: '1', b: '1' })
  await Promise.all([bash('printf 2 > a; while [ ! -e x ]; do sleep 0.05; done'), bash('printf 2 > b; touch x')])
  const paths = (await workspace.history.list()).flatMap(({ steps }) => steps.map(({ path }) => path))
  expect(paths.map((path) => path.slice(directory.length)).sort()).toEqual(['/a', '/b', '/x'])
})

describe('what is not watched', () => {
  test('ignored files, node_modules and .git', async () => {
    const { workspace, bash } = await open({
      '.gitignore': 'out/\n',
      'out/x': '1',
      'node_modules/m/i.js': '1',
      '.git/HEAD': 'r',
    })
    await bash('echo 2 > out/x; echo 2 > node_modules/m/i.js; echo 2 > .git/HEAD; echo 3 > out/new')
    expect(await workspace.history.list()).toEqual([])
  })

  test('a change of ignore rules does not report existing files as new or excluded ones as deleted', async () => {
    const { directory, workspace, bash } = await open({ '.gitignore': 'out/\n', 'out/x': '1', 'keep/y': '2' })
    await bash('echo keep/ > .gitignore; echo z > z')
    const [record] = await workspace.history.list()
    expect(record?.steps.map(({ path }) => path.slice(directory.length))).toEqual(['/.gitignore', '/z'])
    await workspace.history.undo()
    expect(Object.keys(everything(directory)).sort()).toEqual(['/.gitignore', '/keep', '/keep/y', '/out', '/out/x'])
  })

  test('a file too large to store is reported', async () => {
    const { directory, workspace, bash } = await open({ small: '1' })
    fs.writeFileSync(join(directory, 'large'), Buffer.alloc(5 * 1024 * 1024))
    const { commandChanges } = await bash('echo >> large; echo >> small')
    expect(commandChanges).toMatchObject({ watched: true, unkept: [join(directory, 'large')] })
    await workspace.history.undo()
    expect(everything(directory)['/small']).toBe('644 1')
  })

  test('a tree with too many files, and any tree when watching is switched off', async () => {
    const files = { a: '1', b: '1', c: '1' }
    const many = await open(files, { limits: { maxWatchedFiles: 2 } })
    expect((await many.bash('echo 2 > a')).commandChanges).toEqual({ watched: false, reason: 'too-many' })
    const off = await open(files, { watchCommands: false })
    expect((await off.bash('echo 2 > a')).commandChanges).toBeUndefined()
    expect(await off.workspace.history.list()).toEqual([])
  })
})
