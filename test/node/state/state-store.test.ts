import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { temporaryDirectory } from '../cli/run-cli.js'

const text = new TextEncoder()

test.each([
  ['all of it', ''],
  ['where changes wait', 'pending'],
  ['where changes are kept', 'history'],
])('servers go on when someone removes what is kept of a root: %s', async (_what, removed) => {
  const [root, state] = [await temporaryDirectory(), await temporaryDirectory()]
  const open = () =>
    openDirectories([{ directory: root, access: 'read-write' }], {
      stateDirectory: state,
      commands: false,
      fsync: false,
    })
  const servers = [await open(), await open()]
  const file = path.join(fs.realpathSync(root), 'a.txt')
  for (const [index, { changes, history }] of servers.entries()) {
    const write = (content: string) =>
      changes.run({ label: 'write', scopes: [{ path: file }] }, (draft) => draft.write(file, text.encode(content)))
    await write('one')
    const [kept] = fs.readdirSync(state) as [string]
    fs.rmSync(path.join(state, kept, removed), { recursive: true })
    if (index === 0) await changes.checkpoint('here')
    await write('two')
    await history.undo()
    expect(fs.readFileSync(file, 'utf8')).toBe('one')
    expect((await history.list({ limit: 2 })).map(({ label }) => label)).toEqual(['undo write', 'write'])
    await write('three')
  }
  for (const server of servers) server.close()
  const later = await open()
  expect(await later.ready).toEqual({ finished: [], dropped: [], conflicts: [], corrupt: [] })
  expect((await later.history.list()).map(({ label }) => label).slice(0, 3)).toEqual(['write', 'undo write', 'write'])
  later.close()
})
