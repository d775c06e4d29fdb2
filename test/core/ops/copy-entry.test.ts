import { describe, expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { copyEntry } from '../../../src/ops/copy-entry.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import type { Operation } from '../../../src/ops/operation.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { backends } from './stage.js'

describe.each(backends)('copying %s', (_name, open) => {
  test('a file, with its bytes and mode', async () => {
    const { change } = await open({ a: { text: 'A\r\n', mode: '751' }, b: new Uint8Array([0, 0xff]) })
    expect(await change(copyEntry, { from: 'a', to: 'c' })).toEqual({
      result: { from: '/w/a', to: '/w/c', entries: 1 },
      tree: { a: { text: 'A\r\n', mode: '751' }, b: new Uint8Array([0, 0xff]), c: { text: 'A\r\n', mode: '751' } },
    })
    expect((await change(copyEntry, { from: 'b', to: 'd' })).tree).toMatchObject({ d: new Uint8Array([0, 0xff]) })
  })

  test('a tree, with modes, empty directories, and links as links', async () => {
    const tree = {
      'a/': '750',
      'a/x': { text: 'X', mode: '600' },
      'a/b/': '',
      'a/b/y': 'Y',
      'a/empty/': '',
      'a/to': { link: 'b/y' },
      'a/broken': { link: 'gone' },
    }
    const { change } = await open(tree)
    const copied = Object.fromEntries(Object.entries(tree).map(([key, leaf]) => [key.replace('a/', 'n/c/'), leaf]))
    expect(await change(copyEntry, { from: 'a', to: 'n/c', makeParents: true })).toEqual({
      result: { from: '/w/a', to: '/w/n/c', entries: 7 },
      tree: { ...tree, 'n/': '', ...copied },
    })
  })

  test('a link, and not what it leads to', async () => {
    const { change } = await open({ 'd/a': 'A', to: { link: 'd/a' }, dir: { link: 'd' } })
    expect(await change(copyEntry, { from: 'to', to: 'to2' })).toMatchObject({
      result: { entries: 1 },
      tree: { to2: { link: 'd/a' } },
    })
    expect(await change(copyEntry, { from: 'dir', to: 'dir2' })).toMatchObject({
      result: { entries: 1 },
      tree: { dir2: { link: 'd' } },
    })
    expect((await change(copyEntry, { from: 'dir/a', to: 'b' })).tree).toMatchObject({ b: 'A' })
  })

  test('to an existing entry of any kind: refused', async () => {
    const { refusal } = await open({ a: 'A', b: 'B', 'd/': '', to: { link: 'gone' } })
    for (const to of ['b', 'd', 'to']) {
      expect(await refusal(copyEntry, { from: 'a', to })).toEqual({ code: 'EXISTS', path: `/w/${to}` })
    }
    expect(await refusal(copyEntry, { from: 'a', to: '.', makeParents: true })).toEqual({ code: 'EXISTS', path: '/w' })
  })

  test('into itself, nor through a link, nor onto itself', async () => {
    const { refusal } = await open({ 'a/b/c': 'C', to: { link: 'a/b' }, f: 'F' })
    expect(await refusal(copyEntry, { from: 'a', to: 'a/d' })).toEqual({
      code: 'INTO_ITSELF',
      path: '/w/a',
      to: '/w/a/d',
    })
    expect(await refusal(copyEntry, { from: 'a', to: 'to/d' })).toMatchObject({ code: 'INTO_ITSELF' })
    expect(await refusal(copyEntry, { from: '.', to: 'copy' })).toMatchObject({ code: 'INTO_ITSELF' })
    for (const path of ['f', 'a']) {
      expect(await refusal(copyEntry, { from: path, to: path })).toEqual({ code: 'EXISTS', path: `/w/${path}` })
    }
    expect(await refusal(copyEntry, { from: 'f', to: 'f/g', makeParents: true })).toEqual({
      code: 'NOT_A_DIRECTORY',
      path: '/w/f/g',
    })
  })

  test('a missing source, a destination below a file, or one without a parent directory', async () => {
    const { refusal } = await open({ a: 'A', b: 'B' })
    expect(await refusal(copyEntry, { from: 'gone', to: 'c' })).toEqual({ code: 'NOT_FOUND', path: '/w/gone' })
    expect(await refusal(copyEntry, { from: 'a', to: 'n/c' })).toEqual({ code: 'NOT_FOUND', path: '/w/n/c' })
    expect(await refusal(copyEntry, { from: 'a', to: 'b/c', makeParents: true })).toEqual({
      code: 'NOT_A_DIRECTORY',
      path: '/w/b/c',
    })
  })

  test('neither from outside nor to outside', async () => {
    const { refusal } = await open({ a: 'A', 'd/x': 'X', 'd/out': { link: '../../outside' } })
    for (const [from, to] of [
      ['../outside/secret.txt', 'b'],
      ['a', '../outside/b'],
      ['d/out/secret.txt', 'b'],
      ['a', 'd/out/b'],
    ] as const) {
      expect(await refusal(copyEntry, { from, to })).toMatchObject({ code: 'OUTSIDE' })
    }
  })

  test('a link to outside is copied as the link it is', async () => {
    const { change } = await open({ 'd/x': 'X', 'd/out': { link: '../../outside/secret.txt' } })
    expect((await change(copyEntry, { from: 'd', to: 'e' })).tree).toEqual({
      'd/': '',
      'd/x': 'X',
      'd/out': { link: '../../outside/secret.txt' },
      'e/': '',
      'e/x': 'X',
      'e/out': { link: '../../outside/secret.txt' },
    })
  })
})

test.each([
  ['copied', () => copyEntry, { from: 'a', to: 'n' }],
  ['deleted', () => deleteEntry, { path: 'a', recursive: true }],
])('a directory that holds one nobody may list is not %s in part', async (_what, operation, input) => {
  const fs = memory({ '/a/b/x': 'X', '/a/y': 'Y' })
  await fs.setMode?.('/a/b', 0o300)
  const { run, input: schema } = operation() as Operation<unknown, unknown, unknown>
  const refused = run(schema.parse(input), createWorkspace({ fs }), {})
  await expect(refused).rejects.toMatchObject({ code: 'DENIED', facts: { path: '/a/b' } })
  expect((await fs.readDir('/')).map(({ name }) => name)).toEqual(['a'])
  expect((await fs.readDir('/a')).map(({ name }) => name)).toEqual(['b', 'y'])
})
