import { describe, expect, test } from 'vitest'
import { applyPatchPartly } from '../../../src/ops/apply-patch.js'
import { backends } from './stage.js'

const change = (path: string, from: string, to: string) =>
  `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`
const move = (from: string, to: string) => `diff --git a/${from} b/${to}\nrename from ${from}\nrename to ${to}\n`

/** What was rejected, and with which code. */
function reasons(rejected: ReadonlyArray<{ path: string; error?: { code: string } }>) {
  return rejected.map(({ path, error }) => [path, error?.code])
}

describe.each(backends)('applying the files of a patch that fit, %s', (_name, open) => {
  test('is one change, and returns the rest', async () => {
    const { change: make } = await open({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
    const patch = `${change('a.txt', 'a', 'A')}${change('b.txt', 'x', 'B')}${change('c.txt', 'c', 'C')}`
    const { result, tree } = await make(applyPatchPartly, { patch })
    expect(tree).toEqual({ 'a.txt': 'A\n', 'b.txt': 'b\n', 'c.txt': 'C\n' })
    expect(result.applied.map(({ path }) => path)).toEqual(['/w/a.txt', '/w/c.txt'])
    expect(reasons(result.rejected)).toEqual([['b.txt', 'PATCH_MISMATCH']])
    expect(result.rest).toBe(change('b.txt', 'x', 'B'))
  })

  test('changes nothing where nothing fits', async () => {
    const { run, tree } = await open({ 'b.txt': 'b\n' })
    const patch = `${change('b.txt', 'x', 'B')}${change('no.txt', 'x', 'y')}`
    const { applied, rejected, rest } = await run(applyPatchPartly, { patch })
    expect({ applied, rest }).toEqual({ applied: [], rest: patch })
    expect(reasons(rejected)).toEqual([
      ['b.txt', 'PATCH_MISMATCH'],
      ['no.txt', 'NOT_FOUND'],
    ])
    expect(await tree()).toEqual({ 'b.txt': 'b\n' })
  })

  test('leaves files that move into each other as they are if one can not move', async () => {
    const { change: make } = await open({ a: 'a\n', b: 'b\n', c: 'c\n', d: 'd\n', e: 'e\n' })
    const patch = `${move('a', 'b')}${move('b', 'c')}${move('c', 'd')}${move('e', 'f')}`
    const { result, tree } = await make(applyPatchPartly, { patch })
    expect(tree).toEqual({ a: 'a\n', b: 'b\n', c: 'c\n', d: 'd\n', f: 'e\n' })
    expect(reasons(result.rejected)).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', 'EXISTS'],
    ])
  })

  test('leaves a file where a directory should be, and what should be in that, as they are', async () => {
    const { change: make } = await open({ d: 'd\n', x: 'x\n' })
    const create = '--- /dev/null\n+++ b/d/new\n@@ -0,0 +1 @@\n+n\n'
    const remove = '--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-other\n'
    const { result, tree } = await make(applyPatchPartly, { patch: `${create}${remove}${change('x', 'x', 'X')}` })
    expect(tree).toEqual({ d: 'd\n', x: 'X\n' })
    expect(reasons(result.rejected).map(([path]) => path)).toEqual(['d/new', 'd'])
    const whole = await open({ d: 'other\n', x: 'x\n' })
    const all = await whole.change(applyPatchPartly, { patch: `${create}${remove}${change('x', 'x', 'X')}` })
    expect(all.tree).toEqual({ 'd/': '', 'd/new': 'n\n', x: 'X\n' })
  })

  test('treats all blocks of a file as one', async () => {
    const { change: make } = await open({ a: 'one\ntwo\n', b: 'b\n' })
    const update = (path: string, from: string, to: string) => `*** Update File: ${path}\n@@\n-${from}\n+${to}\n`
    const patch = `*** Begin Patch\n${update('a', 'one', '1')}${update('b', 'b', 'B')}${update('./a', 'three', '3')}*** End Patch\n`
    const { result, tree } = await make(applyPatchPartly, { patch })
    expect(tree).toEqual({ a: 'one\ntwo\n', b: 'B\n' })
    expect(result.rest).toBe(`*** Begin Patch\n${update('a', 'one', '1')}${update('./a', 'three', '3')}*** End Patch\n`)
  })

  test('leaves out what may not be written: outside, protected, in a directory that is only read', async () => {
    const { change: make } = await open(
      { 'a.txt': 'a\n', 'fixed/b.txt': 'b\n', out: { link: '../outside' } },
      { readOnlyRoot: 'fixed', protect: { git: true, config: false } },
    )
    const created = (path: string) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`
    const patch = [
      change('fixed/b.txt', 'b', 'B'),
      created('../c.txt'),
      created('out/d.txt'),
      created('.git/hooks/e'),
      change('a.txt', 'a', 'A'),
      created('f.txt'),
      move('a.txt', 'fixed/a.txt'),
    ].join('')
    const { result, tree } = await make(applyPatchPartly, { patch })
    expect(tree).toEqual({
      'a.txt': 'a\n',
      'f.txt': 'x\n',
      'fixed/': '',
      'fixed/b.txt': 'b\n',
      out: { link: '../outside' },
    })
    expect(reasons(result.rejected)).toEqual([
      ['fixed/b.txt', 'READ_ONLY'],
      ['../c.txt', 'OUTSIDE'],
      ['out/d.txt', 'OUTSIDE'],
      ['.git/hooks/e', 'PROTECTED'],
      ['a.txt', undefined],
      ['a.txt', 'READ_ONLY'],
    ])
  })

  test('a patch that can not be read is refused as a whole', async () => {
    const { refusal } = await open({ 'a.txt': 'a\n' })
    expect(await refusal(applyPatchPartly, { patch: `${change('a.txt', 'a', 'A')}@@ -1,9 +1 @@\n` })).toMatchObject({
      code: 'MALFORMED_PATCH',
    })
  })

  test('a chain of a thousand moves of which the last can not be made takes little time', async () => {
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, `${at}\n`]))
    const { run, tree } = await open({ ...files, f1000: 'in the way\n' })
    const patch = Array.from({ length: 1000 }, (_, at) => move(`f${at}`, `f${at + 1}`)).join('')
    const { applied, rejected } = await run(applyPatchPartly, { patch })
    expect([applied.length, rejected.length]).toEqual([0, 1000])
    expect(await tree()).toEqual({ ...files, f1000: 'in the way\n' })
  })
})
