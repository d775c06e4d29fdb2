import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../../../node/shell/sandbox/sandbox.js'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { openOverlayWorkspace } from '../../../node/workspace/overlay-workspace.js'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { isFsError } from '../../../src/errors.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const secret = 'hunter2-in-the-journal'

/** A home directory as the root, with the state of this root and of another in it. */
async function home(options: { access?: 'read-write' | 'read-only'; sandbox?: 'off' | 'require' } = {}) {
  const { access = 'read-write', sandbox = 'off' } = options
  const root = fs.realpathSync(await temporaryDirectory())
  const state = path.join(root, '.local/state/polyfs')
  fs.mkdirSync(path.join(root, 'project'))
  fs.writeFileSync(path.join(root, 'project/a.txt'), 'plain\n')
  fs.mkdirSync(path.join(state, 'other-root/history'), { recursive: true, mode: 0o700 })
  fs.writeFileSync(path.join(state, 'other-root/history/record'), `${secret}\n`)
  fs.symlinkSync('../.local/state/polyfs', path.join(root, 'project/link'))
  const workspace = await openDirectories([{ directory: root, access }], {
    stateDirectory: state,
    fsync: false,
    sandbox,
  })
  onTestFinished(() => workspace.close())
  return { root, state, workspace, ...tools(workspace) }
}

test.each(['read-write', 'read-only'] as const)('no tool reads or lists the state of any root: %s', async (access) => {
  const { state, call, callText } = await home({ access })
  const record = path.join(state, 'other-root/history/record')
  for (const file of [
    record,
    'project/link/other-root/history/record',
    '.local/../.local/state/polyfs/other-root/history/record',
  ]) {
    const { isError, content } = await call('read_file', { path: file })
    expect(isError, file).toBe(true)
    expect(JSON.stringify(content)).not.toContain(secret)
  }
  for (const directory of [state, path.join(state, 'other-root'), 'project/link']) {
    expect((await call('list_dir', { path: directory })).isError, directory).toBe(true)
  }
  expect(await callText('list_dir', { path: '.', depth: 20, ignored: true })).toBe(
    ['.local/', '.local/state/', 'project/', 'project/a.txt', 'project/link@'].join('\n'),
  )
  expect(await callText('list_dir', { path: '.local/state', ignored: true })).toBe('(no entries)')
  expect(await callText('glob', { pattern: '**/record', ignored: true })).toBe('(no matches)')
  expect(await callText('grep', { pattern: secret, ignored: true })).not.toContain('record')
  expect((await call('grep', { pattern: secret, path: record })).isError).toBe(true)
})

test('no tool changes the state of any root, nor moves or removes what holds it', async () => {
  const { root, state, call } = await home()
  const before = namesIn(state)
  const record = path.join(state, 'other-root/history/record')
  for (const [tool, args] of [
    ['write_file', { path: record, content: 'planted' }],
    ['write_file', { path: path.join(state, 'other-root/pending/planted.committed'), content: 'planted' }],
    ['write_file', { path: 'project/link/planted', content: 'planted' }],
    ['edit_file', { path: record, old_string: secret, new_string: 'planted' }],
    ['delete', { path: record }],
    ['delete', { path: '.local', recursive: true }],
    ['delete', { path: state, recursive: true }],
    ['move', { source: '.local', destination: 'elsewhere' }],
    ['move', { source: '.local/state', destination: 'elsewhere' }],
    ['move', { source: 'project/a.txt', destination: path.join(state, 'a.txt') }],
    ['copy', { source: path.join(state, 'other-root'), destination: 'copied' }],
    ['copy', { source: 'project/a.txt', destination: path.join(state, 'a.txt') }],
    ['archive', { action: 'create', path: 'all.zip', paths: [state] }],
    ['git', { action: 'init', path: state }],
  ] as const) {
    const { isError, content } = await call(tool, args)
    expect(isError, `${tool} ${JSON.stringify(args)}`).toBe(true)
    expect(content[0]?.text, `${tool} ${JSON.stringify(args)}`).toMatch(/outside|root/)
  }
  expect(namesIn(state)).toEqual(before)
  expect(fs.readFileSync(record, 'utf8')).toBe(`${secret}\n`)
  expect(fs.existsSync(path.join(root, 'all.zip'))).toBe(false)
})

test('copies and archives of what holds the state leave it out', async () => {
  const { root, call } = await home()
  expect((await call('copy', { source: '.local', destination: 'copied' })).isError).not.toBe(true)
  expect(fs.readdirSync(path.join(root, 'copied'), { recursive: true })).toEqual(['state'])
  await call('archive', { action: 'create', path: 'all.zip', paths: ['.local'], ignored: true })
  const archive = fs.existsSync(path.join(root, 'all.zip')) ? fs.readFileSync(path.join(root, 'all.zip'), 'latin1') : ''
  expect(archive).not.toContain('other-root')
})

test('a search of a large tree, which threads help with, passes the state over', async () => {
  const { root, callText } = await home()
  for (let at = 0; at < 1200; at += 1) fs.mkdirSync(path.join(root, `project/d${at}`))
  for (let times = 0; times < 2; times += 1) {
    expect(await callText('glob', { pattern: '**/record', ignored: true })).toBe('(no matches)')
  }
})

test('changes, history and long output work where the state lies in the root', async () => {
  const { callText, call } = await home()
  await callText('write_file', { path: 'project/b.txt', content: 'one\n' })
  await callText('write_file', { path: 'project/b.txt', content: 'two\n' })
  expect(await callText('history', { action: 'undo' })).toContain('project/b.txt')
  expect(await callText('read_file', { path: 'project/b.txt' })).toContain('one')
  const { facts } = await call('bash', { command: 'seq 1 5000', max_tokens: 500 })
  const [file = ''] = (facts as { output: string[] }).output
  expect(await callText('read_file', { path: file, offset: -1 })).toMatch(/^5000\t5000\n/)
  expect((await call('write_file', { path: file, content: 'other' })).isError).toBe(true)
})

const lacksSandbox = (() => {
  const opened = openSandbox({ mode: 'auto', roots: [] })
  opened?.close()
  return opened === undefined
})()

test('commands in the sandbox find the state empty, and long output to read', async ({ skip }) => {
  if (lacksSandbox) skip('bubblewrap is missing, or not permitted on this machine')
  const { state, call, callText } = await home({ sandbox: 'require' })
  const { facts } = await call('bash', { command: 'seq 1 5000', max_tokens: 500 })
  const [file = ''] = (facts as { output: string[] }).output
  expect(await callText('bash', { command: `tail -n 1 ${file}` })).toBe('5000\n[exit code 0]')
  expect(
    await callText('bash', {
      command: `cat ${state}/other-root/history/record 2>/dev/null; ls ${state}/other-root 2>/dev/null`,
    }),
  ).toBe('[exit code 2]')
  await callText('bash', {
    command: `mkdir -p ${state}/other-root/pending; echo planted > ${state}/other-root/pending/x`,
  })
  expect(fs.existsSync(path.join(state, 'other-root/pending'))).toBe(false)
  expect((await callText('bash', { command: `echo changed >> ${file}; echo $?` })).split('\n')[0]).not.toBe('0')
})

test('the state is out of reach under an overlay too, and wherever else servers may keep it', async () => {
  const root = fs.realpathSync(await temporaryDirectory())
  const places = { POLYFS_STATE_DIR: path.join(root, 'named'), XDG_STATE_HOME: path.join(root, 'xdg') }
  for (const [name, value] of Object.entries(places)) {
    const before = process.env[name]
    process.env[name] = value
    onTestFinished(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
  for (const directory of ['named', 'xdg/polyfs']) {
    fs.mkdirSync(path.join(root, directory), { recursive: true, mode: 0o700 })
    fs.writeFileSync(path.join(root, directory, 'record'), secret)
  }
  const overlaid = openOverlayWorkspace([{ directory: root, access: 'read-write' }])
  const direct = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory: fs.realpathSync(await temporaryDirectory()),
    fsync: false,
  })
  onTestFinished(() => [overlaid, direct].forEach((one) => void one.close()))
  for (const workspace of [overlaid, direct] as Workspace[]) {
    const { callText, call } = tools(workspace)
    expect(await callText('list_dir', { depth: 9, ignored: true })).toBe('xdg/')
    for (const file of ['named/record', 'xdg/polyfs/record']) {
      expect((await call('read_file', { path: file })).isError).toBe(true)
      expect((await call('write_file', { path: file, content: 'planted' })).isError).toBe(true)
    }
  }
})

test('a directory inside the state is not a root', async () => {
  const state = fs.realpathSync(await temporaryDirectory())
  fs.mkdirSync(path.join(state, 'inside'))
  for (const directory of [state, path.join(state, 'inside')]) {
    const opening = openDirectories([{ directory, access: 'read-only' }], { stateDirectory: state })
    await expect(opening).rejects.toSatisfy((error) => isFsError(error, 'OUTSIDE'))
  }
})

/** Without the lock, which comes and goes. */
function namesIn(state: string): string[] {
  const names = fs.readdirSync(state, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => !path.basename(name).startsWith('lock')).sort()
}
