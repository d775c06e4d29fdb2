import { expect, test } from 'vitest'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { withoutSessions } from '../../change-ids.js'

const changes = 450

test.each([1, 100, changes - 200, changes - 199, changes])(
  'change %i of a long history is shown and undone by its number',
  async (number) => {
    const workspace = createWorkspace({ fs: memory() })
    const { callText } = tools(workspace)
    for (let at = 1; at <= changes; at += 1) await callText('write_file', { path: `f${at}.txt`, content: `${at}\n` })
    const listed = (await workspace.history.list()).map(({ id }) => id.replace(/^\d+-0*(?=\d)/, '')).reverse()
    const point = listed[number - 1]
    expect(await callText('history', { action: 'diff', point })).toContain(`f${number}.txt`)
    const undone = withoutSessions(await callText('history', { action: 'undo', point }))
    expect(undone).toBe(`took back ${point}: 1 path\nf${number}.txt\n[change ${changes + 1}]`)
    expect(await callText('history', { action: 'undo', point: '9999-00000000' })).toContain('unknown_point')
    expect((await workspace.fs.readDir('/')).length).toBe(changes - 1)
  },
)
