import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { memoryJournal } from '../../../src/change/journal/journal.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const text = new TextEncoder()
const isRoot = process.geteuid?.() === 0
const strangersId = 65_534

async function places() {
  const root = fs.realpathSync(await temporaryDirectory())
  const state = path.join(fs.realpathSync(await temporaryDirectory()), 'state')
  fs.writeFileSync(path.join(root, 'a.txt'), 'zero')
  return { root, state, file: path.join(root, 'a.txt') }
}

async function open(root: string, state: string) {
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory: state,
    commands: false,
    fsync: false,
  })
  onTestFinished(() => workspace.close())
  await workspace.ready
  return workspace
}

type Opened = Awaited<ReturnType<typeof open>>

function write({ changes }: Opened, file: string, content: string) {
  return changes.run({ label: 'write', scopes: [{ path: file }] }, (draft) => draft.write(file, text.encode(content)))
}

function journalIn(state: string): string {
  const [name = ''] = fs.readdirSync(state)
  return path.join(state, name)
}

test('all that is kept is for its owner alone, whatever the mask of the process', async () => {
  const { root, state, file } = await places()
  const mask = process.umask(0)
  onTestFinished(() => void process.umask(mask))
  const workspace = await open(root, state)
  for (const content of ['one', 'two']) await write(workspace, file, content)
  fs.writeFileSync(path.join(journalIn(state), 'pending/000000000000001-x.begun'), 'no record')
  await workspace.changes.recover()
  await workspace.output?.keep('stdout-0123456789abcdef.log', text.encode('long'))
  const entries = fs.readdirSync(state, { recursive: true, withFileTypes: true })
  const exposed = entries.filter((entry) => {
    const { mode } = fs.lstatSync(path.join(entry.parentPath, entry.name))
    return entry.name !== 'lock' && !entry.name.endsWith('.begun') && (mode & 0o077) !== 0
  })
  expect(exposed.map(({ name }) => name)).toEqual([])
  expect(fs.statSync(state).mode & 0o777).toBe(0o700)
})

test.each([
  [
    'others may write to the place of all',
    'state',
    0o777,
    /other users may write to \S+; run chmod 700 on it, or name another place with POLYFS_STATE_DIR$/,
  ],
  ['a group may write to the place of all', 'state', 0o720, /run chmod 700/],
  ['others may write to the place of the root', 'root', 0o702, /run chmod 700/],
])('a directory is refused, with what to do about it: %s', async (_why, which, mode, message) => {
  const { root, state, file } = await places()
  const before = await open(root, state)
  await write(before, file, 'one')
  fs.chmodSync(which === 'state' ? state : journalIn(state), mode)
  const workspace = await open(root, state)
  expect(workspace.durable).toBe(false)
  expect(workspace.stateFault?.message).toMatch(message)
  expect(await workspace.history.list()).toEqual([])
  await write(workspace, file, 'two')
  expect(fs.readFileSync(file, 'utf8')).toBe('two')
})

test.each(['state', 'root'])("another user's directory is refused: %s", async (which) => {
  const { root, state, file } = await places()
  const before = await open(root, state)
  await write(before, file, 'one')
  const directory = which === 'state' ? state : journalIn(state)
  if (isRoot) fs.chownSync(directory, strangersId, strangersId)
  else {
    // Only root can give a directory away; one that belongs to root is as foreign.
    fs.rmSync(directory, { recursive: true })
    fs.symlinkSync('/usr', directory)
  }
  const workspace = await open(root, state)
  expect(workspace.stateFault?.message).toMatch(/belongs to another user; remove it|is not a directory/)
})

test('a link where the state of the root should be is refused', async () => {
  const { root, state, file } = await places()
  const before = await open(root, state)
  await write(before, file, 'one')
  const journal = journalIn(state)
  fs.renameSync(journal, `${journal}-moved`)
  fs.symlinkSync(`${journal}-moved`, journal)
  expect((await open(root, state)).stateFault?.message).toMatch(/is not a directory; remove it/)
})

test('a directory that others may only read is closed to them', async () => {
  const { root, state, file } = await places()
  await write(await open(root, state), file, 'one')
  fs.chmodSync(journalIn(state), 0o755)
  expect((await open(root, state)).durable).toBe(true)
  expect(fs.statSync(journalIn(state)).mode & 0o777).toBe(0o700)
})

test.each([
  ['readable by others', (key: string) => fs.chmodSync(key, 0o644)],
  ['of another length', (key: string) => fs.truncateSync(key, 3)],
  [
    'a link',
    (key: string) => {
      fs.renameSync(key, `${key}-moved`)
      fs.symlinkSync(`${key}-moved`, key)
    },
  ],
])('a key is refused that is %s', async (_what, spoil) => {
  const { root, state, file } = await places()
  await write(await open(root, state), file, 'one')
  spoil(path.join(journalIn(state), 'key'))
  expect((await open(root, state)).stateFault?.message).toMatch(
    /is not a key of this user's alone; remove \S+ to start anew$/,
  )
})

/** The file of a record as a stranger would write it: all is right but the seal. */
async function planted(root: string, file: string): Promise<{ id: string; bytes: string; staged: string }> {
  const disk = nodeFs(root, { fsync: false })
  const journal = memoryJournal()
  const engine = createWorkspace({ fs: disk, journal })
  const target = `/${path.basename(file)}`
  await engine.changes.run({ label: 'write', scopes: [{ path: target }] }, (draft) =>
    draft.write(target, text.encode('planted')),
  )
  await engine.history.undo()
  disk.close()
  const [record] = await journal.history()
  if (record === undefined) throw new Error('nothing was written')
  const redirected = JSON.parse(JSON.stringify(record).replaceAll(`"${target}"`, `"${file}"`)) as typeof record
  const [step] = redirected.steps
  if (step?.do !== 'set') throw new Error('no step')
  step.staged = path.join(root, '.polyfs-0123456789abcdef01234567.tmp')
  return { id: redirected.id, bytes: `${JSON.stringify({ record: redirected, kept: [] })}\n`, staged: step.staged }
}

test.each([
  ['no seal', (bytes: string) => bytes],
  ['a made-up seal', (bytes: string) => `${'0'.repeat(64)} ${bytes}`],
])('a planted record is not acted on, and reported: %s', async (_what, dressed) => {
  const { root, state, file } = await places()
  await write(await open(root, state), file, 'mine')
  const { id, bytes, staged } = await planted(root, file)
  fs.writeFileSync(file, 'mine')
  fs.writeFileSync(staged, 'planted')
  fs.writeFileSync(path.join(journalIn(state), `pending/${id}.committed`), dressed(bytes))
  const workspace = await open(root, state)
  expect(await workspace.ready).toEqual({ finished: [], dropped: [], conflicts: [], corrupt: [`${id}.committed`] })
  expect(fs.readFileSync(file, 'utf8')).toBe('mine')
  expect(fs.readdirSync(path.join(journalIn(state), 'pending'))).toEqual([])
})

test('a record of another root, or one that was altered, is not believed', async () => {
  const one = await places()
  await write(await open(one.root, one.state), one.file, 'one')
  const other = await places()
  const workspace = await open(other.root, one.state)
  await write(workspace, other.file, 'other')
  const [here, there] = fs.readdirSync(one.state).map((name) => {
    const shelf = path.join(one.state, name, 'history')
    const [first = ''] = fs.readdirSync(shelf)
    const [record = ''] = fs.readdirSync(path.join(shelf, first))
    return path.join(shelf, first, record)
  }) as [string, string]
  fs.copyFileSync(here, path.join(path.dirname(there), path.basename(here)))
  fs.writeFileSync(there, fs.readFileSync(there, 'latin1').replace('"undoable":true', '"undoable":null'), 'latin1')
  const again = [await open(one.root, one.state), await open(other.root, one.state)]
  const lists = await Promise.all(again.map(({ history }) => history.list()))
  expect(lists.map(({ length }) => length).sort()).toEqual([0, 1])
})

test('content that was altered is not put back', async () => {
  const { root, state, file } = await places()
  const workspace = await open(root, state)
  await write(workspace, file, 'one')
  const [shelf = ''] = fs.readdirSync(path.join(journalIn(state), 'history'))
  const [name = ''] = fs.readdirSync(path.join(journalIn(state), 'history', shelf))
  const record = path.join(journalIn(state), 'history', shelf, name)
  const bytes = fs.readFileSync(record, 'latin1')
  expect(bytes.endsWith('\nzero')).toBe(true)
  fs.writeFileSync(record, bytes.replace(/zero$/, 'evil'), 'latin1')
  await expect(workspace.history.undo()).rejects.toMatchObject({ code: 'IO' })
  expect(fs.readFileSync(file, 'utf8')).toBe('one')
})

test('servers that start at the same time have one key', async () => {
  const { root, state, file } = await places()
  const servers = await Promise.all(Array.from({ length: 8 }, () => open(root, state)))
  for (const [at, server] of servers.entries()) await write(server, file, `content ${at}`)
  expect(await (servers[0] as Opened).history.list()).toHaveLength(8)
  expect(fs.readdirSync(journalIn(state)).filter((name) => name.startsWith('key'))).toEqual(['key'])
})

test('what was set aside goes when it is old, and when it is too much', async () => {
  const { root, state } = await places()
  const { changes } = await open(root, state)
  const corrupt = path.join(journalIn(state), 'corrupt')
  fs.mkdirSync(corrupt)
  const longAgo = (Date.now() - 1000_000) / 1000
  for (const [name, size, at] of [
    ['old', 1, longAgo],
    ['large', 80, longAgo + 500],
    ['small', 30, longAgo + 600],
  ] as const) {
    fs.writeFileSync(path.join(corrupt, name), 'x'.repeat(size))
    fs.utimesSync(path.join(corrupt, name), at, at)
  }
  await changes.journal.prune({ maxBytes: 100, oldestMs: Date.now() - 900_000 })
  expect(fs.readdirSync(corrupt)).toEqual(['small'])
})
