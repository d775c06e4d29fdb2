import { describe, expect, test } from 'vitest'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import { backends } from './stage.js'

describe.each(backends)('deleting %s', (_name, open) => {
  test('a file, and undo brings it back byte for byte, mode included', async () => {
    const content = Uint8Array.from({ length: 256 }, (_, index) => index)
    const { change } = await open({ a: { text: 'A', mode: '710' }, 'b.bin': content })
    expect(await change(deleteEntry, { path: 'a' })).toEqual({
      result: { path: '/w/a', kind: 'file', entries: 1, undoable: true },
      tree: { 'b.bin': content },
    })
    expect((await change(deleteEntry, { path: 'b.bin' })).tree).toEqual({})
  })

  test('a link, not what it leads to', async () => {
    const { change } = await open({ 'd/a': 'A', to: { link: 'd/a' }, dir: { link: 'd' }, broken: { link: 'gone' } })
    expect((await change(deleteEntry, { path: 'to' })).result).toEqual({
      path: '/w/to',
      kind: 'symlink',
      entries: 1,
      undoable: true,
    })
    await change(deleteEntry, { path: 'dir', recursive: true })
    expect((await change(deleteEntry, { path: 'broken' })).tree).toEqual({ 'd/': '', 'd/a': 'A' })
  })

  test('an entry behind a link in its path', async () => {
    const { change } = await open({ 'd/a': 'A', dir: { link: 'd' } })
    expect((await change(deleteEntry, { path: 'dir/a' })).tree).toEqual({ 'd/': '', dir: { link: 'd' } })
  })

  test('an empty directory; one that is not only when asked for', async () => {
    const { change, refusal } = await open({
      'empty/': '700',
      'a/': '750',
      'a/x': { text: 'X', mode: '600' },
      'a/b/c/y': new Uint8Array([0xff]),
      'a/to': { link: '../k' },
      k: 'K',
    })
    expect((await change(deleteEntry, { path: 'empty' })).result).toMatchObject({ kind: 'directory', entries: 1 })
    expect(await refusal(deleteEntry, { path: 'a' })).toEqual({ code: 'NOT_EMPTY', path: '/w/a' })
    expect(await change(deleteEntry, { path: 'a', recursive: true })).toEqual({
      result: { path: '/w/a', kind: 'directory', entries: 6, undoable: true },
      tree: { k: 'K' },
    })
  })

  test('a link to outside, alone or with its directory; its target stays', async () => {
    const { change } = await open({ 'a/x': 'X', 'a/out': { link: '../../outside' }, out: { link: '../outside' } })
    expect(await change(deleteEntry, { path: 'out', recursive: true })).toMatchObject({
      result: { kind: 'symlink', entries: 1, undoable: true },
    })
    expect((await change(deleteEntry, { path: 'a', recursive: true })).tree).toEqual({})
  })

  test('a root, a missing entry and an entry outside are refused', async () => {
    const { refusal } = await open({ a: 'A', out: { link: '../outside' } })
    expect(await refusal(deleteEntry, { path: '.', recursive: true })).toEqual({ code: 'IS_ROOT', path: '/w' })
    expect(await refusal(deleteEntry, { path: 'gone' })).toEqual({ code: 'NOT_FOUND', path: '/w/gone' })
    expect(await refusal(deleteEntry, { path: 'a/b' })).toMatchObject({ path: '/w/a/b' })
    for (const path of ['../outside/secret.txt', 'out/secret.txt', '/']) {
      expect(await refusal(deleteEntry, { path, recursive: true })).toMatchObject({ code: 'OUTSIDE' })
    }
  })

  test('a directory that holds a root is one', async () => {
    const { refusal } = await open({ 'a/inner/x': 'X' }, { readOnlyRoot: 'a/inner' })
    expect(await refusal(deleteEntry, { path: 'a', recursive: true })).toEqual({ code: 'IS_ROOT', path: '/w/a' })
  })

  test('content too large for the history is deleted, and the result says that it can not be undone', async () => {
    const { run, tree, workspace } = await open(
      { 'a/x': 'x'.repeat(50), 'a/y': 'y'.repeat(51) },
      {
        limits: { maxUndoBytes: 100 },
      },
    )
    expect(await run(deleteEntry, { path: 'a', recursive: true })).toMatchObject({ entries: 3, undoable: false })
    expect(await tree()).toEqual({})
    await expect(workspace.history.undo()).rejects.toMatchObject({ code: 'NOT_UNDOABLE' })
  })

  test('a cancelled call deletes nothing', async () => {
    const { workspace, tree } = await open({ 'a/x': 'X' })
    const input = { path: 'a', recursive: true }
    await expect(deleteEntry.run(input, workspace, { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(await tree()).toEqual({ 'a/': '', 'a/x': 'X' })
  })
})
