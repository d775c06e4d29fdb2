import { describe, expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { setMode } from '../../../src/ops/set-mode.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { backends } from './stage.js'

describe.each(backends)('setting a mode %s', (_name, open) => {
  test('of a file and of a directory', async () => {
    const { change } = await open({ 'd/a': 'A' })
    expect(await change(setMode, { path: 'd/a', mode: 0o751 })).toEqual({
      result: { path: '/w/d/a', mode: 0o751 },
      tree: { 'd/': '', 'd/a': { text: 'A', mode: '751' } },
    })
    expect((await change(setMode, { path: 'd', mode: 0o700 })).tree).toMatchObject({ 'd/': '700' })
  })

  test('setting the current mode is not a change', async () => {
    const { change, workspace } = await open({ a: { text: 'A', mode: '600' } })
    await change(setMode, { path: 'a', mode: 0o600 })
    expect(await workspace.history.list()).toEqual([])
  })

  test('of the target of a link', async () => {
    const { change } = await open({ 'd/a': 'A', to: { link: 'd/a' } })
    expect(await change(setMode, { path: 'to', mode: 0o600 })).toEqual({
      result: { path: '/w/to', mode: 0o600 },
      tree: { 'd/': '', 'd/a': { text: 'A', mode: '600' }, to: { link: 'd/a' } },
    })
  })

  test('is refused for missing entries and for links that are broken or lead outside', async () => {
    const { refusal } = await open({ broken: { link: 'gone' }, out: { link: '../outside/secret.txt' } })
    expect(await refusal(setMode, { path: 'gone', mode: 0o600 })).toEqual({ code: 'NOT_FOUND', path: '/w/gone' })
    expect(await refusal(setMode, { path: 'broken', mode: 0o600 })).toMatchObject({ code: 'NOT_FOUND' })
    expect(await refusal(setMode, { path: 'out', mode: 0o600 })).toMatchObject({ code: 'OUTSIDE' })
  })
})

test('where there are no modes it is not supported', async () => {
  const { setMode: _, ...fs } = memory({ a: 'A' })
  const workspace = createWorkspace({ fs: { ...fs, capabilities: { ...fs.capabilities, modeBits: false } } })
  await expect(setMode.run({ path: 'a', mode: 0o600 }, workspace, {})).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    facts: { path: '/a', operation: 'setMode' },
  })
})
