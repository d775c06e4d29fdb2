/** A mount point can't be removed, so a change that would take it away is refused before anything below it is gone. */
import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import { moveEntry } from '../../../src/ops/move-entry.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { snapshot } from './faulty-disk.js'

const tree = () => mount({ '/': memory({ '/d/a': 'a', '/b': 'b' }), '/d/e': memory({ '/x/y': 'y', '/z': 'z' }) })

test.each(['/d', '/d/e'])('a change that removes %s changes nothing, and later ones go on', async (path) => {
  const fs = tree()
  const workspace = createWorkspace({ fs })
  const before = await snapshot(fs)
  const { changes } = workspace
  const removed = changes.run({ label: 'all', scopes: [{ path: '/', tree: true }] }, async (draft) => {
    const below = Object.keys(before).map((entry) => entry.replace(/\/$/, ''))
    const gone = below.filter((entry) => entry === path || entry.startsWith(`${path}/`))
    for (const entry of gone.sort().reverse()) await draft.remove(entry)
    await draft.write('/b', new TextEncoder().encode('changed'))
  })
  await expect(removed).rejects.toMatchObject({ code: 'IS_ROOT' })
  await expect(workspace.run(deleteEntry, { path, recursive: true })).rejects.toMatchObject({ code: 'IS_ROOT' })
  await expect(workspace.run(moveEntry, { from: path, to: '/moved' })).rejects.toMatchObject({ code: 'IS_ROOT' })
  expect(await snapshot(fs)).toEqual(before)
  await workspace.run(writeFiles, { files: [{ path: '/d/e/z', content: 'new' }] })
  await workspace.run(deleteEntry, { path: '/d/e/x', recursive: true })
  await workspace.history.undo()
  await workspace.history.undo()
  expect(await snapshot(fs)).toEqual(before)
})

test('what lies below a mount point in a mount is a mount point too', () => {
  const nested = mount({ '/': memory(), '/m': mount({ '/': memory(), '/n/o': memory() }) })
  const fixed = ['/', '/m', '/m/n', '/m/n/o', '/m/n/o/p', '/m/x', '/x'].map((path) => nested.isFixed?.(path))
  expect(fixed).toEqual([true, true, true, true, false, false, false])
})
