/** What is purged from the history is gone: no file of the state directory holds its bytes. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { purgingHistory } from '../../../src/dialects/polyfs/tools/history.js'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { purgeHistory } from '../../../src/ops/history/purge-history.js'
import { callTool } from '../../../src/tools/call-tool.js'
import type { Dialect } from '../../../src/tools/dialect.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { dialects } from '../../dialects/all.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { cliCommand, runCommandLine } from './purge-stage.js'

const secret = 'hunter2-correct-horse'

const polyfs = dialects.polyfs
const purging: Dialect = {
  ...polyfs,
  tools: polyfs.tools.map((tool) => (tool.name === 'history' ? purgingHistory() : tool)),
}

async function open(root: string, stateDirectory: string) {
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { stateDirectory, fsync: false })
  onTestFinished(() => workspace.close())
  return { workspace, ...tools(workspace) }
}

async function places() {
  return { root: fs.realpathSync(await temporaryDirectory()), state: fs.realpathSync(await temporaryDirectory()) }
}

/** The files below a directory that hold some bytes, in their content or in their names. */
function holding(directory: string, bytes: string): string[] {
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => {
      return (
        path.basename(file).includes(bytes) ||
        (fs.statSync(file).isFile() && fs.readFileSync(file, 'latin1').includes(bytes))
      )
    })
    .map((file) => path.relative(directory, file))
}

/** The secret is written, edited, moved, copied, shown by a command, deleted and brought back. */
async function spread({ callText, workspace }: Awaited<ReturnType<typeof open>>): Promise<void> {
  await callText('write_file', { path: 'old.env', content: `KEY=${secret}-1\n` })
  await callText('write_file', { path: 'old.env', content: `KEY=${secret}-2\n` })
  await callText('move', { source: 'old.env', destination: '.env' })
  await callText('edit_file', { path: '.env', old_string: 'KEY', new_string: 'TOKEN' })
  await callText('bash', { command: `echo ${secret}-3 >> .env` })
  await callText('bash', { command: 'yes "$(cat .env)" | head -n 20000', max_tokens: 300 })
  await callText('copy', { source: '.env', destination: 'copied.txt' })
  await callText('delete', { path: 'copied.txt' })
  await callText('write_file', {
    files: [
      { path: '.env', content: 'clean\n' },
      { path: 'other.txt', content: 'other\n' },
    ],
  })
  await callText('write_file', { path: 'b.txt', content: 'one\n' })
  await callText('write_file', { path: 'b.txt', content: 'two\n' })
  await workspace.changes.checkpoint('here')
}

test('of a purged path nothing is left in the state directory, under whatever name it was there', async () => {
  const { root, state } = await places()
  const one = await open(root, state)
  const other = await open(root, state)
  await spread(one)
  const aside = path.join(state, fs.readdirSync(state)[0] as string, 'pending/000000000000001-00000001-00000000.begun')
  fs.writeFileSync(aside, `no record, with ${secret}`)
  await one.workspace.changes.recover()
  fs.writeFileSync(aside.replace('.begun', '.partial'), `cut off, with ${secret}`)
  expect(holding(state, secret).length).toBeGreaterThan(8)
  const { content, isError } = await callTool(one.workspace, purging, 'history', { action: 'purge', path: '.env' })
  expect(isError).not.toBe(true)
  expect(content[0]?.text).toMatch(
    /^removed from the history: what \d+ changes held, and all long output; the files were not changed$/,
  )
  expect(holding(state, secret)).toEqual([])
  expect(fs.readFileSync(path.join(root, '.env'), 'utf8')).toBe('clean\n')

  for (const { callText, call } of [one, other]) {
    const list = await callText('history', { action: 'list' })
    expect(list).not.toContain(secret)
    expect(list).toMatch(/purged: \.env, other\.txt \(cannot be undone\)/)
    expect(await callText('history', { action: 'diff' })).not.toContain(secret)
    const newest = /^(\S+) .*purged: \.env, other\.txt/m.exec(list)?.[1]
    const undone = await call('history', { action: 'undo', point: newest })
    expect(undone.content[0]?.text).toMatch(
      /^not_undoable: What \S+ replaced was purged from the history, so it can't be undone\. /,
    )
    const edited = await call('edit_file', { path: '.env', old_string: `${secret}-1`, new_string: 'x' })
    expect(edited.isError).toBe(true)
  }
  // What it does not concern can still be taken back.
  expect(await one.callText('history', { action: 'undo' })).toContain('b.txt')
  expect(fs.readFileSync(path.join(root, 'b.txt'), 'utf8')).toBe('one\n')
  await other.callText('write_file', { path: 'b.txt', content: 'three\n' })
  expect(await other.callText('history', { action: 'undo' })).toContain('b.txt')
})

test('purging is offered where it is allowed, and has to be given what', async () => {
  const { root, state } = await places()
  const { workspace, call } = await open(root, state)
  const refused = await call('history', { action: 'purge', path: '.' })
  expect(refused.content[0]?.text).toMatch(/^invalid_input: /)
  const { content } = await callTool(workspace, purging, 'history', { action: 'purge' })
  expect(content[0]?.text).toMatch(/path: missing: what to remove from the history; \. for all|path missing/)
})

test('a tree in memory forgets too, and the output in it', async () => {
  const workspace: Workspace = createWorkspace({ fs: memory({ 'a.txt': `${secret}\n` }) })
  const { callText } = tools(workspace)
  await callText('write_file', { path: 'a.txt', content: 'clean\n' })
  const [record] = await workspace.history.list()
  const [step] = record?.steps ?? []
  const hash = step?.do === 'set' && step.before.kind === 'file' ? step.before.hash : ''
  expect(await workspace.changes.journal.content(record?.id ?? '', hash)).toBeDefined()
  await purgeHistory.run({ path: 'a.txt', outputDirectories: [], dryRun: true }, workspace, {})
  expect(await workspace.changes.journal.content(record?.id ?? '', hash)).toBeDefined()
  expect(await purgeHistory.run({ path: 'a.txt', outputDirectories: [], dryRun: false }, workspace, {})).toHaveLength(1)
  expect(await workspace.changes.journal.content(record?.id ?? '', hash)).toBeUndefined()
  await purgeHistory.run({ outputDirectories: [], dryRun: false }, workspace, {})
  expect(await workspace.history.list()).toEqual([])
})

test('the command lists what would go, and removes it from the state of every root when it is asked to', async () => {
  const { root, state } = await places()
  fs.mkdirSync(path.join(root, 'pkg'))
  const outer = await open(root, state)
  const inner = await open(path.join(root, 'pkg'), state)
  for (const { callText } of [outer, inner]) await callText('write_file', { path: 'plain.txt', content: 'plain\n' })
  await outer.callText('write_file', { path: 'pkg/.env', content: `${secret}-outer\n` })
  await inner.callText('write_file', { path: '.env', content: `${secret}-inner\n` })
  await outer.callText('write_file', { path: 'pkg/.env', content: 'clean\n' })
  expect(new Set(holding(state, secret).map((file) => file.split('/')[0])).size).toBe(2)

  const command = await cliCommand(['history', 'purge', '--path', 'pkg/.env', root], state)
  const listed = await runCommandLine(command)
  expect(listed.stdout.split('\n').slice(-2)).toEqual([
    '3 changes and all long output would be purged; add --yes to do it',
    '',
  ])
  expect(listed.stdout).toContain(JSON.stringify(path.join(root, 'pkg/.env')))
  expect(holding(state, secret)).not.toEqual([])

  const done = await runCommandLine({ ...command, args: [...command.args, '--yes'] })
  expect([done.code, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toMatch(/\npurged 3 changes and all long output; the files are as they were\n$/)
  expect(holding(state, secret)).toEqual([])
  // Servers that were running go on, with what is left.
  expect(await inner.callText('history', { action: 'list' })).toMatch(/ write: plain\.txt$/)
  await inner.callText('write_file', { path: 'plain.txt', content: 'more\n' })
  expect(await inner.callText('history', { action: 'undo' })).toContain('plain.txt')

  const all = await runCommandLine(await cliCommand(['history', 'purge', '--yes'], state))
  expect(all.stdout).toMatch(/purged \d+ changes and all long output/)
  expect(await outer.callText('history', { action: 'list' })).toBe('(no changes)')
})

test.each([
  [['history'], /'polyfs history' takes purge/],
  [['history', 'purge', 'a', 'b'], /takes one directory at most/],
  [['--yes', '.'], /--path and --yes are options of 'polyfs history purge'/],
  [['--allow-purge', '--dialect', 'fs', '.'], /--allow-purge is an option of the dialect polyfs/],
])('an invalid command line says what is valid: %j', async (args, message) => {
  const { code, stderr } = await runCommandLine(await cliCommand(args))
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})
