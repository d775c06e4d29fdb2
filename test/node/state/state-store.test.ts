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
  for (const server of servers) await server.close()
  const later = await open()
  expect(await later.ready).toEqual({ finished: [], dropped: [], conflicts: [], corrupt: [] })
  expect((await later.history.list()).map(({ label }) => label).slice(0, 3)).toEqual(['write', 'undo write', 'write'])
  await later.close()
})

test('calls that find it removed at the same time open it once more, and closing again does nothing', async () => {
  const [root, state] = [await temporaryDirectory(), await temporaryDirectory()]
  const directory = fs.realpathSync(root)
  const options = { stateDirectory: state, commands: false, fsync: false } as const
  const server = await openDirectories([{ directory: root, access: 'read-write' }], options)
  const write = (name: string) =>
    server.changes.run({ label: name, scopes: [{ path: path.join(directory, name) }] }, (draft) =>
      draft.write(path.join(directory, name), text.encode(name)),
    )
  await write('first')
  const opened = () => fs.readdirSync('/proc/self/fd').length
  const names = Array.from({ length: 8 }, (_, index) => `f${index}`)
  const before = process.platform === 'linux' ? opened() : 0
  for (let round = 0; round < 5; round += 1) {
    for (const kept of fs.readdirSync(state)) fs.rmSync(path.join(state, kept), { recursive: true })
    await Promise.all(names.map(write))
  }
  expect(names.map((name) => fs.readFileSync(path.join(directory, name), 'utf8'))).toEqual(names)
  // Each of the five would leave seven.
  if (process.platform === 'linux') expect(opened()).toBeLessThan(before + 10)
  await server.close()
  const beside = fs.openSync('/dev/null', 'r')
  await server.close()
  for (const disk of server.disks) await disk.close()
  expect(fs.fstatSync(beside).isCharacterDevice()).toBe(true)
  fs.closeSync(beside)
})
