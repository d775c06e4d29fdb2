import { describe, expect, test } from 'vitest'
import { makeDirectory } from '../../../src/ops/make-directory.js'
import { backends } from './stage.js'

describe.each(backends)('making a directory %s', (_name, open) => {
  test('makes it and those above it', async () => {
    const { change } = await open({ 'a/x': 'X' })
    expect(await change(makeDirectory, { path: 'a/b/c' })).toEqual({
      result: { path: '/w/a/b/c', created: true },
      tree: { 'a/': '', 'a/x': 'X', 'a/b/': '', 'a/b/c/': '' },
    })
  })

  test('an existing directory is left as it is, and so is the root', async () => {
    const { change, workspace } = await open({ 'a/': '700', 'a/x': 'X' })
    const tree = { 'a/': '700', 'a/x': 'X' }
    expect(await change(makeDirectory, { path: 'a' })).toEqual({ result: { path: '/w/a', created: false }, tree })
    expect(await change(makeDirectory, { path: '.' })).toEqual({ result: { path: '/w', created: false }, tree })
    expect(await workspace.history.list()).toEqual([])
  })

  test('a link to a directory counts as one, and directories can be made through it', async () => {
    const { change } = await open({ 'a/': '', to: { link: 'a' }, ahead: { link: 'a/new' } })
    expect((await change(makeDirectory, { path: 'to' })).result).toEqual({ path: '/w/to', created: false })
    expect(await change(makeDirectory, { path: 'ahead/b' })).toEqual({
      result: { path: '/w/ahead/b', created: true },
      tree: { 'a/': '', 'a/new/': '', 'a/new/b/': '', to: { link: 'a' }, ahead: { link: 'a/new' } },
    })
  })

  test('a file at the path or at a parent path is a conflict', async () => {
    const { refusal } = await open({ a: 'A' })
    expect(await refusal(makeDirectory, { path: 'a' })).toEqual({ code: 'EXISTS', path: '/w/a' })
    expect(await refusal(makeDirectory, { path: 'a/b/c' })).toEqual({ code: 'NOT_A_DIRECTORY', path: '/w/a/b/c' })
  })

  test('nothing is made outside', async () => {
    const { refusal } = await open({ out: { link: '../outside' } })
    for (const path of ['../outside/new', 'out/new']) {
      expect(await refusal(makeDirectory, { path })).toMatchObject({ code: 'OUTSIDE' })
    }
  })

  test('undo leaves a directory that someone else uses', async () => {
    const { run, workspace, tree } = await open({})
    await run(makeDirectory, { path: 'a/b' })
    await workspace.fs.writeFile(workspace.fs.resolve('a/theirs'), new TextEncoder().encode('T'))
    await workspace.history.undo()
    expect(await tree()).toEqual({ 'a/': '', 'a/theirs': 'T' })
    const made = (await workspace.history.list()).at(-1)
    await expect(workspace.history.undo(made?.id)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await tree()).toEqual({ 'a/': '', 'a/theirs': 'T' })
  })
})
