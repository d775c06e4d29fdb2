import { describe, expect, test } from 'vitest'
import { stage } from './stage.js'

const lines = (...rows: string[]) => `${rows.join('\n')}\n`
const one23 = 'one\ntwo\nthree\n'
const twoToTwo = ['@@ -1,3 +1,3 @@', ' one', '-two', '+TWO', ' three']

describe('apply_patch', () => {
  test.each([
    [
      'modifies',
      { 'a.txt': one23 },
      lines('--- a/a.txt', '+++ b/a.txt', ...twoToTwo),
      { 'a.txt': 'one\nTWO\nthree\n' },
      '  M a.txt (+1 -1)',
    ],
    [
      'creates',
      {},
      lines('--- /dev/null', '+++ b/n/new.txt', '@@ -0,0 +1,2 @@', '+l1', '+l2'),
      { 'n/': '', 'n/new.txt': 'l1\nl2\n' },
      '  A n/new.txt (+2 -0)',
    ],
    [
      'deletes',
      { 'x.txt': 'l1\nl2\n' },
      lines('--- a/x.txt', '+++ /dev/null', '@@ -1,2 +0,0 @@', '-l1', '-l2'),
      {},
      '  D x.txt (+0 -2)',
    ],
    [
      'renames and edits',
      { 'a.txt': one23 },
      lines('--- a/a.txt', '+++ b/b.txt', ...twoToTwo),
      { 'b.txt': 'one\nTWO\nthree\n' },
      '  R a.txt -> b.txt (+1 -1)',
    ],
    [
      'renames alone, bytes untouched',
      { 'a.txt': 'x\r\ny\rz\n' },
      lines('--- a/a.txt', '+++ b/sub/b.txt'),
      { 'sub/': '', 'sub/b.txt': 'x\r\ny\rz\n' },
      '  R a.txt -> sub/b.txt',
    ],
    [
      'renames with hunks that change nothing',
      { 'a.txt': 'one\n' },
      lines('--- a/a.txt', '+++ b/b.txt', '@@ -1 +1 @@', ' one'),
      { 'b.txt': 'one\n' },
      '  R a.txt -> b.txt',
    ],
    [
      'takes names without prefixes, with dates',
      { 'a.txt': one23 },
      lines('--- a.txt\t2024-01-01', '+++ a.txt\t2024-01-02', ...twoToTwo),
      { 'a.txt': 'one\nTWO\nthree\n' },
      '  M a.txt (+1 -1)',
    ],
    [
      'finds hunks that have moved',
      { 'a.txt': `0\n0\n${one23}` },
      lines('--- a/a.txt', '+++ b/a.txt', ...twoToTwo),
      { 'a.txt': '0\n0\none\nTWO\nthree\n' },
      '  M a.txt (+1 -1)',
    ],
    [
      'keeps CRLF and the byte-order mark',
      { 'a.txt': '\ufeffone\r\ntwo\r\nthree\r\n' },
      lines('--- a/a.txt', '+++ b/a.txt', ...twoToTwo),
      { 'a.txt': '\ufeffone\r\nTWO\r\nthree\r\n' },
      '  M a.txt (+1 -1)',
    ],
  ])('%s', async (_what, tree, patch, after, row) => {
    const { call, files } = await stage(tree)
    expect(await call('apply_patch', { patch })).toEqual({ text: `Applied patch:\n${row}` })
    expect(await files()).toEqual(after)
  })

  test('several files, reported in the order of the patch', async () => {
    const { call, files } = await stage({ 'a.txt': one23, 'd.txt': 'bye\n' })
    const patch =
      lines('--- a/d.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-bye') +
      lines('--- a/a.txt', '+++ b/a.txt', ...twoToTwo) +
      lines('--- /dev/null', '+++ b/n/new.txt', '@@ -0,0 +1 @@', '+hi')
    expect(await call('apply_patch', { patch })).toEqual({
      text: 'Applied patch:\n  D d.txt (+0 -1)\n  M a.txt (+1 -1)\n  A n/new.txt (+1 -0)',
    })
    expect(await files()).toEqual({ 'a.txt': 'one\nTWO\nthree\n', 'n/': '', 'n/new.txt': 'hi\n' })
  })

  test('a rename preserves the mode', async () => {
    const { call, fs } = await stage({ 'run.sh': '1\n' })
    await fs.setMode?.('/w/run.sh', 0o755)
    await call('apply_patch', { patch: lines('--- a/run.sh', '+++ b/bin/run.sh') })
    expect((await fs.stat('/w/bin/run.sh')).mode).toBe(0o755)
  })

  const good = lines('--- a/a.txt', '+++ b/a.txt', ...twoToTwo)
  const create = (name: string) => lines('--- /dev/null', `+++ b/${name}`, '@@ -0,0 +1 @@', '+x')

  test.each([
    [
      'a hunk that does not fit',
      good + create('n/new.txt') + lines('--- a/b.txt', '+++ b/b.txt', '@@ -1 +1 @@', '-imagined', '+x'),
      { error: 'patch_failed', message: 'Hunk did not apply cleanly in b.txt', file: 'b.txt', hunk: 1 },
    ],
    [
      'the second hunk',
      lines('--- a/a.txt', '+++ b/a.txt', '@@ -1 +1 @@', '-one', '+1', '@@ -3 +3 @@', '-33', '+3'),
      { error: 'patch_failed', message: 'Hunk did not apply cleanly in a.txt', file: 'a.txt', hunk: 2 },
    ],
    [
      'creating what is there',
      create('b.txt'),
      {
        error: 'invalid_input',
        message: 'Cannot create b.txt: a file already exists there. Modify it, or delete it first.',
        path: 'b.txt',
      },
    ],
    [
      'renaming onto what is there',
      lines('--- a/a.txt', '+++ b/b.txt'),
      { error: 'invalid_input', message: 'Rename destination already exists: b.txt', path: 'b.txt' },
    ],
    [
      'a path named twice',
      good + lines('--- a/a.txt', '+++ b/a.txt', '@@ -3 +3 @@', '-three', '+3'),
      {
        error: 'invalid_input',
        message: 'Patch contains multiple blocks for a.txt; combine them into a single block.',
        path: 'a.txt',
      },
    ],
    [
      'a path that is also the end of a rename',
      lines('--- a/a.txt', '+++ b/n.txt') + create('./n.txt'),
      {
        error: 'invalid_input',
        message: 'Patch contains multiple blocks for n.txt; combine them into a single block.',
        path: 'n.txt',
      },
    ],
    [
      'a delete that leaves something',
      lines('--- a/a.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-one'),
      { error: 'invalid_input', message: 'Delete patch for a.txt does not remove the entire file', path: 'a.txt' },
    ],
    [
      'a missing file',
      lines('--- a/gone.txt', '+++ b/gone.txt', ...twoToTwo),
      { error: 'not_found', message: 'No such file: gone.txt', path: 'gone.txt' },
    ],
    [
      'a directory',
      lines('--- a/d', '+++ b/d', ...twoToTwo),
      { error: 'not_a_file', message: 'Path is a directory: d', path: 'd' },
    ],
    [
      'a file on the way',
      create('b.txt/x'),
      { error: 'not_a_file', message: 'Not a directory: b.txt/x', path: 'b.txt/x' },
    ],
    [
      'a binary file, even to rename it',
      lines('--- a/b.bin', '+++ b/c.bin'),
      { error: 'is_binary', message: 'File appears to be binary: b.bin', path: 'b.bin' },
    ],
    [
      'a link',
      lines('--- a/to', '+++ b/to', ...twoToTwo),
      { error: 'invalid_input', message: 'Refusing to write through a symlink: to', path: 'to' },
    ],
    [
      'a link that leads out',
      lines('--- a/out', '+++ b/out', ...twoToTwo),
      {
        error: 'path_escape',
        message: 'Path escapes the workspace root: out (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
        path: 'out',
      },
    ],
    [
      'an escape',
      lines('--- a/a.txt', '+++ b/../outside/moved.txt'),
      {
        error: 'path_escape',
        message: 'Path escapes the workspace root: ../outside/moved.txt (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)',
        path: '../outside/moved.txt',
      },
    ],
    [
      'what is no patch',
      'just some words\n',
      {
        error: 'invalid_input',
        message: 'Patch contains no applicable hunks',
      },
    ],
    [
      'a block without hunks',
      lines('--- a/a.txt', '+++ b/a.txt'),
      { error: 'invalid_input', message: 'Patch contains no applicable hunks' },
    ],
    [
      'a hunk of no file',
      lines('@@ -1 +1 @@', '-one', '+two'),
      { error: 'invalid_input', message: 'Patch is missing a valid file path' },
    ],
    [
      'counts that are wrong',
      lines('--- a/a.txt', '+++ b/a.txt', '@@ -1,3 +1,3 @@', ' one', '-two'),
      {
        error: 'invalid_input',
        message: 'Malformed patch: line 3: the hunk header announces 3 old and 3 new lines, but 2 and 1 follow',
      },
    ],
  ])('refuses %s, and nothing is changed', async (_what, patch, error) => {
    const tree = { 'a.txt': one23, 'b.txt': 'real\n', 'b.bin': new Uint8Array([0x61, 0]), 'd/': '' }
    const { call, files } = await stage(tree, { links: { to: 'a.txt', out: '/outside/secret.txt' } })
    const before = await files()
    expect(await call('apply_patch', { patch })).toEqual({ error })
    expect(await files()).toEqual(before)
  })

  test('write, edit, patch and read in a row', async () => {
    const { call, files } = await stage({})
    expect([
      await call('write_file', { path: 'n.txt', content: 'a\nb\n' }),
      await call('edit_file', { path: 'n.txt', old_string: 'b', new_string: 'c' }),
      await call('apply_patch', { patch: lines('--- a/n.txt', '+++ b/m.txt', '@@ -1,2 +1,2 @@', ' a', '-c', '+d') }),
      await call('read_file', { path: 'm.txt' }),
      await call('read_file', { path: 'n.txt' }),
    ]).toEqual([
      { text: 'Wrote 4 bytes to n.txt (created).' },
      { text: 'Replaced 1 occurrence in n.txt.' },
      { text: 'Applied patch:\n  R n.txt -> m.txt (+1 -1)' },
      { text: '     1\ta\n     2\td' },
      { error: { error: 'not_found', message: 'No such file: n.txt', path: 'n.txt' } },
    ])
    expect(await files()).toEqual({ 'm.txt': 'a\nd\n' })
  })
})
