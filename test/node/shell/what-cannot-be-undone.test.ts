/** A change that can't be undone is reported as such when it is made, in the history, and on undo. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { built } from '../cli/built.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const large = 'a line of the file\n'.repeat(200)
const limits = { maxUndoBytes: 1000 }
const note = '[this cannot be undone: the previous content is too large for the history]'

function inMemory() {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const workspace = createWorkspace({ fs: memory({ 'large.txt': large, 'small.txt': 'small\n' }), limits, shell })
  onTestFinished(() => void workspace.shell?.close())
  return { workspace, ...tools(workspace) }
}

async function onDisk() {
  const root = await temporaryDirectory()
  const workspace = await openDirectories([{ directory: root, access: 'read-write' }], {
    stateDirectory: await temporaryDirectory(),
    fsync: false,
    limits,
  })
  onTestFinished(() => workspace.close())
  const set = tools(workspace)
  await set.callText('write_file', { path: 'large.txt', content: large })
  await set.callText('write_file', { path: 'small.txt', content: 'small\n' })
  return { workspace, ...set }
}

type Stage = ReturnType<typeof inMemory>

async function archived({ callText }: Stage): Promise<void> {
  await callText('archive', { action: 'create', path: 'all.zip', paths: ['large.txt'] })
  await callText('edit_file', { path: 'large.txt', old_string: large, new_string: `other\n${large}` })
}

async function committed({ callText }: Stage): Promise<void> {
  await callText('git', { action: 'init' })
  await callText('git', { action: 'add', paths: ['large.txt'] })
  await callText('git', { action: 'commit', message: 'first', author: 'A <a@example.com>' })
  await callText('edit_file', { path: 'large.txt', old_string: large, new_string: `other\n${large}` })
}

const patch = `--- a/large.txt\n+++ b/large.txt\n@@ -1 +1 @@\n-a line of the file\n+another line\n`

/** Calls that replace or remove a file too large to store, with the set-up they need. */
const finalCalls: [string, object, ((stage: Stage) => Promise<void>)?][] = [
  ['write_file', { path: 'large.txt', content: 'short' }],
  [
    'write_file',
    {
      files: [
        { path: 'small.txt', content: 'x' },
        { path: 'large.txt', content: 'y' },
      ],
    },
  ],
  ['edit_file', { path: 'large.txt', start_line: 1, end_line: 1, new_string: 'first' }],
  ['apply_patch', { patch }],
  ['move', { source: 'small.txt', destination: 'large.txt', overwrite: true }],
  ['delete', { path: 'large.txt' }],
  ['archive', { action: 'extract', path: 'all.zip', destination: '.', existing: 'replace' }, archived],
  ['git', { action: 'restore', paths: ['large.txt'] }, committed],
  ['git', { action: 'checkout', revision: 'main', force: true }, committed],
  ['bash', { command: 'echo short > large.txt' }],
]

describe.each([
  ['in memory', async () => inMemory()],
  ['on disk', onDisk],
])('%s, a change of what is too large to keep says that it is final', (_where, open) => {
  test.each(finalCalls)('%s %j', async (tool, args, prepare) => {
    const stage = (await open()) as Stage
    await prepare?.(stage)
    const { content, isError, facts } = await stage.call(tool, args)
    const answer = content.map(({ text }) => text).join('\n')
    expect(isError, answer).not.toBe(true)
    expect(answer.split('\n').filter((line) => line === note)).toHaveLength(1)
    if (tool !== 'bash') expect(facts).toMatchObject({ undoable: false })
    expect((await stage.callText('history', { action: 'list' })).split('\n')[0]).toMatch(/\(cannot be undone\)$/)
    const undone = await stage.call('history', { action: 'undo' })
    expect(undone.isError).toBe(true)
    expect(undone.content[0]?.text).toMatch(
      /^not_undoable: What \S+ replaced was too large for the history, so it can't be undone\. /,
    )
  })

  test('creating a large file can be undone, and the undo is reported as final', async () => {
    const { callText, call, workspace } = (await open()) as Stage
    for (const [tool, args, made] of [
      ['copy', { source: 'large.txt', destination: 'copy.txt' }, 'copy.txt'],
      ['write_file', { path: 'new.txt', content: `${large}new` }, 'new.txt'],
      ['bash', { command: 'cat large.txt large.txt > twice.txt' }, 'twice.txt'],
      [
        'write_file',
        { files: ['a', 'b', 'c'].map((name) => ({ path: `${name}.txt`, content: 'x'.repeat(600) })) },
        'c.txt',
      ],
    ] as const) {
      const { content } = await call(tool, args)
      expect(JSON.stringify(content)).not.toContain('undone')
      expect((await callText('history', { action: 'list' })).split('\n')[0]).not.toContain('cannot be undone')
      const undone = await callText('history', { action: 'undo' })
      expect(undone, tool).toMatch(/^took back /)
      expect(undone.split('\n').at(-1)).toBe(note)
      await expect(workspace.fs.stat(workspace.fs.resolve(made))).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect((await call('history', { action: 'undo', point: undone.split(/[ :]/)[2] })).isError).toBe(true)
    }
  })

  test('restoring a checkpoint removes large files created since, but none that someone changed', async () => {
    const { callText, call, workspace } = (await open()) as Stage
    await callText('history', { action: 'checkpoint', point: 'here' })
    await callText('copy', { source: 'large.txt', destination: 'copy.txt' })
    await callText('history', { action: 'restore', point: 'here', path: 'copy.txt' })
    await expect(workspace.fs.stat(workspace.fs.resolve('copy.txt'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await callText('history', { action: 'checkpoint', point: 'there' })
    await callText('copy', { source: 'large.txt', destination: 'copy.txt' })
    const other = new TextEncoder().encode(large.replace('a line', 'A line'))
    await workspace.fs.writeFile(workspace.fs.resolve('copy.txt'), other)
    for (const args of [{ action: 'restore', point: 'there' }, { action: 'undo' }]) {
      const { isError, content } = await call('history', args)
      expect(isError).toBe(true)
      expect(content[0]?.text).toMatch(/^conflict: copy\.txt was made by this change and edited since/)
    }
    expect(await workspace.fs.readFile(workspace.fs.resolve('copy.txt'))).toEqual(other)
  })
})

test('a result of maximum length still has room for the note', async () => {
  const rows = Array.from({ length: 400 }, (_, at) => `line ${at}`).join('\n')
  const { callText } = inMemory()
  await callText('write_file', { path: 'rows.txt', content: rows })
  const args = { path: 'rows.txt', start_line: 1, end_line: 400, new_string: 'other' }
  const answer = await callText('edit_file', { ...args, max_tokens: 300 })
  expect(answer.split('\n').at(-1)).toBe(note)
})

test('a checkpoint can’t be undone, and the error says what to do instead', async () => {
  const { call, workspace } = inMemory()
  const { id } = await workspace.changes.checkpoint('here')
  const { content } = await call('history', { action: 'undo', point: id })
  expect(content[0]?.text).toMatch(
    /is a checkpoint and changed nothing\. Use history with action "restore" to go back to it\.$/,
  )
})
