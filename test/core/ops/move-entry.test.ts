import { describe, expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { mount } from '../../../src/fs/backends/mount.js'
import type { Root } from '../../../src/fs/gate/confine.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { moveEntry } from '../../../src/ops/move-entry.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { backends } from './stage.js'

describe.each(backends)('moving %s', (_name, open) => {
  test('a file, with its bytes and mode', async () => {
    const { change } = await open({ a: { text: 'A\r\n', mode: '751' }, 'd/': '', b: new Uint8Array([0, 0xff]) })
    expect(await change(moveEntry, { from: 'a', to: 'd/b' })).toEqual({
      result: { from: '/w/a', to: '/w/d/b', kind: 'file', replaced: false },
      tree: { b: new Uint8Array([0, 0xff]), 'd/': '', 'd/b': { text: 'A\r\n', mode: '751' } },
    })
    expect((await change(moveEntry, { from: 'b', to: 'd/bin' })).tree).toMatchObject({
      'd/bin': new Uint8Array([0, 0xff]),
    })
  })

  test('a link, and not what it leads to', async () => {
    const { change } = await open({ 'd/a': 'A', to: { link: 'd/a' }, dir: { link: 'd' }, broken: { link: 'gone' } })
    expect(await change(moveEntry, { from: 'to', to: 'other' })).toEqual({
      result: { from: '/w/to', to: '/w/other', kind: 'symlink', replaced: false },
      tree: { 'd/': '', 'd/a': 'A', other: { link: 'd/a' }, dir: { link: 'd' }, broken: { link: 'gone' } },
    })
    expect((await change(moveEntry, { from: 'dir', to: 'd2' })).tree).toMatchObject({ d2: { link: 'd' } })
    expect((await change(moveEntry, { from: 'broken', to: 'still' })).tree).toMatchObject({ still: { link: 'gone' } })
  })

  test('a directory with all below it', async () => {
    const { change } = await open({
      'a/': '750',
      'a/x': { text: 'X', mode: '600' },
      'a/b/c/y': 'Y',
      'a/empty/': '',
      'a/to': { link: '../k' },
      k: 'K',
    })
    expect(await change(moveEntry, { from: 'a', to: 'z' })).toEqual({
      result: { from: '/w/a', to: '/w/z', kind: 'directory', replaced: false },
      tree: {
        'z/': '750',
        'z/x': { text: 'X', mode: '600' },
        'z/b/': '',
        'z/b/c/': '',
        'z/b/c/y': 'Y',
        'z/empty/': '',
        'z/to': { link: '../k' },
        k: 'K',
      },
    })
  })

  test('through links in both paths', async () => {
    const { change } = await open({ 'd/a': 'A', 'e/': '', from: { link: 'd' }, to: { link: 'e' } })
    expect((await change(moveEntry, { from: 'from/a', to: 'to/b' })).tree).toEqual({
      'd/': '',
      'e/': '',
      'e/b': 'A',
      from: { link: 'd' },
      to: { link: 'e' },
    })
  })

  test('directories above the target are made only when asked for', async () => {
    const { change, refusal } = await open({ a: 'A', 'd/x': 'X' })
    expect(await refusal(moveEntry, { from: 'a', to: 'n/m/a' })).toEqual({ code: 'NOT_FOUND', path: '/w/n/m/a' })
    expect(await refusal(moveEntry, { from: 'd', to: 'n/m/d' })).toEqual({ code: 'NOT_FOUND', path: '/w/n/m/d' })
    expect((await change(moveEntry, { from: 'a', to: 'n/m/a', makeParents: true })).tree).toEqual({
      'd/': '',
      'd/x': 'X',
      'n/': '',
      'n/m/': '',
      'n/m/a': 'A',
    })
    expect((await change(moveEntry, { from: 'd', to: 'n/o/d', makeParents: true })).tree).toEqual({
      'n/': '',
      'n/m/': '',
      'n/m/a': 'A',
      'n/o/': '',
      'n/o/d/': '',
      'n/o/d/x': 'X',
    })
  })

  test('a file is replaced only on request, and undo restores it', async () => {
    const { change, refusal } = await open({ a: 'A', b: { text: 'B', mode: '600' }, to: { link: 'a' } })
    expect(await refusal(moveEntry, { from: 'a', to: 'b' })).toEqual({ code: 'EXISTS', path: '/w/b', from: '/w/a' })
    expect(await change(moveEntry, { from: 'a', to: 'b', replace: true })).toEqual({
      result: { from: '/w/a', to: '/w/b', kind: 'file', replaced: true },
      tree: { b: 'A', to: { link: 'a' } },
    })
    // A link in the place of the target is replaced itself.
    expect((await change(moveEntry, { from: 'b', to: 'to', replace: true })).tree).toEqual({ to: 'A' })
  })

  test('a link replaces a file, and the other way round', async () => {
    const { change } = await open({ a: 'A', to: { link: 'x' }, 'd/a': 'A', 'd/to': { link: 'x' } })
    expect((await change(moveEntry, { from: 'to', to: 'a', replace: true })).tree).toMatchObject({ a: { link: 'x' } })
    expect((await change(moveEntry, { from: 'd/a', to: 'd/to', replace: true })).tree).toEqual({
      a: { link: 'x' },
      'd/': '',
      'd/to': 'A',
    })
  })

  test('a directory is never replaced, and replaces nothing', async () => {
    const { refusal } = await open({ a: 'A', 'd/x': 'X', 'e/': '' })
    for (const from of ['a', 'd']) {
      expect(await refusal(moveEntry, { from, to: 'e', replace: true })).toEqual({
        code: 'IS_A_DIRECTORY',
        path: '/w/e',
      })
    }
    expect(await refusal(moveEntry, { from: 'd', to: 'a', replace: true })).toEqual({
      code: 'EXISTS',
      path: '/w/a',
      from: '/w/d',
    })
  })

  test('to where it is already: no change', async () => {
    const { change } = await open({ a: 'A', 'd/x': 'X', dir: { link: 'd' } })
    const tree = { a: 'A', 'd/': '', 'd/x': 'X', dir: { link: 'd' } }
    for (const [from, to, kind] of [
      ['a', './a', 'file'],
      ['d', 'd', 'directory'],
      ['d/x', 'dir/x', 'file'],
    ] as const) {
      expect(await change(moveEntry, { from, to })).toMatchObject({ result: { kind, replaced: false }, tree })
    }
  })

  test('not into itself, nor through a link into itself', async () => {
    const { refusal } = await open({ 'a/b/c': 'C', to: { link: 'a/b' } })
    expect(await refusal(moveEntry, { from: 'a', to: 'a/b/d' })).toEqual({
      code: 'INTO_ITSELF',
      path: '/w/a',
      to: '/w/a/b/d',
    })
    expect(await refusal(moveEntry, { from: 'a', to: 'to/d' })).toEqual({
      code: 'INTO_ITSELF',
      path: '/w/a',
      to: '/w/a/b/d',
    })
    expect(await refusal(moveEntry, { from: 'a', to: 'a/x/y/z', makeParents: true })).toMatchObject({
      code: 'INTO_ITSELF',
    })
  })

  test('not a root, as source or destination, and not a missing entry', async () => {
    const { refusal } = await open({ a: 'A' })
    expect(await refusal(moveEntry, { from: '.', to: 'b' })).toEqual({ code: 'IS_ROOT', path: '/w' })
    expect(await refusal(moveEntry, { from: 'a', to: '.', replace: true })).toEqual({ code: 'IS_ROOT', path: '/w' })
    expect(await refusal(moveEntry, { from: 'gone', to: 'b' })).toEqual({ code: 'NOT_FOUND', path: '/w/gone' })
  })

  test('not below a file, and nothing in or out', async () => {
    const { refusal } = await open({ a: 'A', b: 'B', out: { link: '../outside' } })
    expect(await refusal(moveEntry, { from: 'a', to: 'b/c', makeParents: true })).toMatchObject({ path: '/w/b/c' })
    for (const [from, to] of [
      ['a', '../outside/a'],
      ['a', 'out/a'],
      ['../outside/secret.txt', 'b2'],
      ['out/secret.txt', 'b2'],
    ] as const) {
      expect(await refusal(moveEntry, { from, to })).toMatchObject({ code: 'OUTSIDE' })
    }
  })
})

test('a directory moves from one root into another, with all below it, and back', async () => {
  const fs = mount({ '/one': memory({ '/d/a': 'A', '/d/e/b': 'B' }), '/two': memory() })
  const roots = (['/one', '/two'] as const).map((path) => ({ path, access: 'read-write' as const }))
  const workspace = createWorkspace({ fs, roots: roots as [Root, ...Root[]] })
  const paths = async () => {
    const found: string[] = []
    for (const { path } of roots) for await (const entry of walk(fs, path)) found.push(entry.path)
    return found
  }
  const before = await paths()
  await moveEntry.run(moveEntry.input.parse({ from: '/one/d', to: '/two/d' }), workspace, {})
  expect(await paths()).toEqual(['/two/d', '/two/d/a', '/two/d/e', '/two/d/e/b'])
  await workspace.history.undo()
  expect(await paths()).toEqual(before)
})
