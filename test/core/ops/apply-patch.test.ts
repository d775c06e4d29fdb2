import { describe, expect, test } from 'vitest'
import { applyPatch } from '../../../src/ops/apply-patch.js'
import { backends } from './stage.js'

const lines = (...rows: string[]) => `${rows.join('\n')}\n`
const modify = (name: string, ...rows: string[]) => lines(`--- a/${name}`, `+++ b/${name}`, ...rows)
const one23 = 'one\ntwo\nthree\n'
const twoBecomes = (name: string, text = 'TWO') => modify(name, '@@ -1,3 +1,3 @@', ' one', '-two', `+${text}`, ' three')

describe.each(backends)('applying a patch %s', (_name, open) => {
  describe('in unified format', () => {
    test('modifies, creates in a new directory, deletes and renames in one change', async () => {
      const { change, workspace } = await open({
        'a.txt': one23,
        'gone.txt': 'bye\n',
        'old.txt': 'x\r\ny\rz\n',
        'edited.txt': one23,
      })
      const patch =
        twoBecomes('a.txt') +
        lines('--- /dev/null', '+++ b/n/m/new.txt', '@@ -0,0 +1,2 @@', '+l1', '+l2') +
        lines('--- a/gone.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-bye') +
        lines('--- a/old.txt', '+++ b/sub/new.txt') +
        lines('--- a/edited.txt', '+++ b/moved.txt', '@@ -1,3 +1,2 @@', ' one', '-two', ' three')
      expect(await change(applyPatch, { patch })).toEqual({
        result: [
          { kind: 'modify', path: '/w/a.txt', added: 1, removed: 1 },
          { kind: 'create', path: '/w/n/m/new.txt', added: 2, removed: 0 },
          { kind: 'delete', path: '/w/gone.txt', added: 0, removed: 1 },
          {
            kind: 'rename',
            path: '/w/old.txt',
            toPath: '/w/sub/new.txt',
            added: 0,
            removed: 0,
          },
          {
            kind: 'rename',
            path: '/w/edited.txt',
            toPath: '/w/moved.txt',
            added: 0,
            removed: 1,
          },
        ],
        tree: {
          'a.txt': 'one\nTWO\nthree\n',
          'moved.txt': 'one\nthree\n',
          'n/': '',
          'n/m/': '',
          'n/m/new.txt': 'l1\nl2\n',
          'sub/': '',
          'sub/new.txt': 'x\r\ny\rz\n',
        },
      })
      expect((await workspace.history.list()).map(({ label }) => label)).toEqual([
        'undo undo patch',
        'undo patch',
        'patch',
      ])
    })

    test('modes: preserved by an edit and a rename, changed if the patch says so', async () => {
      const { change } = await open({
        'kept.sh': { text: one23, mode: '755' },
        'moved.sh': { text: '1\n', mode: '700' },
        'run.sh': '1\n',
      })
      const patch =
        twoBecomes('kept.sh') +
        lines('diff --git a/moved.sh b/there.sh', 'rename from moved.sh', 'rename to there.sh') +
        lines('diff --git a/run.sh b/run.sh', 'old mode 100644', 'new mode 100755') +
        lines('diff --git a/new.sh b/new.sh', 'new file mode 100755', '--- /dev/null', '+++ b/new.sh') +
        lines('@@ -0,0 +1 @@', '+#!/bin/sh')
      expect((await change(applyPatch, { patch })).tree).toEqual({
        'kept.sh': { text: 'one\nTWO\nthree\n', mode: '755' },
        'there.sh': { text: '1\n', mode: '700' },
        'run.sh': { text: '1\n', mode: '755' },
        'new.sh': { text: '#!/bin/sh\n', mode: '755' },
      })
    })

    test('a hunk is found where its lines have moved to', async () => {
      const { change } = await open({ 'a.txt': `zero\nzero\n${one23}` })
      expect((await change(applyPatch, { patch: twoBecomes('a.txt') })).tree).toEqual({
        'a.txt': 'zero\nzero\none\nTWO\nthree\n',
      })
    })

    describe('the blocks describe the old and the new tree, in any order', () => {
      const rename = (from: string, to: string) =>
        lines(`diff --git a/${from} b/${to}`, 'similarity index 100%', `rename from ${from}`, `rename to ${to}`)
      const git = (from: string, to: string, ...rows: string[]) => lines(`diff --git a/${from} b/${to}`, ...rows)
      const create = (name: string) => git(name, name, '--- /dev/null', `+++ b/${name}`, '@@ -0,0 +1 @@', '+new')
      const gone = (name: string, text: string) =>
        git(name, name, `--- a/${name}`, '+++ /dev/null', '@@ -1 +0,0 @@', `-${text}`)

      test('files change places, and move up one by one', async () => {
        const { change } = await open({ a: { text: '1\n', mode: '755' }, b: '2\n', v1: 'x\n', v2: 'y\n', v3: 'z\n' })
        const edit = git('v2', 'v3', '--- a/v2', '+++ b/v3', '@@ -1 +1 @@', '-y', '+Y')
        const patch = rename('a', 'b') + rename('b', 'a') + create('v1') + rename('v1', 'v2') + edit + gone('v3', 'z')
        expect((await change(applyPatch, { patch })).tree).toEqual({
          a: '2\n',
          b: { text: '1\n', mode: '755' },
          v1: 'new\n',
          v2: 'x\n',
          v3: 'Y\n',
        })
      })

      test('a directory becomes a file, and a file a directory', async () => {
        const { change } = await open({ 'd/e/f': 'f\n', 'd/g': 'g\n', 'up/x': 'x\n', down: 'y\n', file: 'bye\n' })
        const patch =
          create('d') +
          gone('d/e/f', 'f') +
          gone('d/g', 'g') +
          rename('up/x', 'up') +
          rename('down', 'down/y') +
          create('file/1') +
          create('file/2') +
          gone('file', 'bye')
        expect((await change(applyPatch, { patch })).tree).toEqual({
          d: 'new\n',
          up: 'x\n',
          'down/': '',
          'down/y': 'y\n',
          'file/': '',
          'file/1': 'new\n',
          'file/2': 'new\n',
        })
      })

      test('but an entry that stays is a conflict', async () => {
        const { refusal } = await open({ 'd/a': 'a\n', 'd/b': 'b\n', 'empty/': '', a: '1\n', b: '2\n' })
        expect(await refusal(applyPatch, { patch: create('d') + gone('d/a', 'a') })).toEqual({
          code: 'EXISTS',
          path: '/w/d',
        })
        expect(await refusal(applyPatch, { patch: create('empty') })).toEqual({ code: 'EXISTS', path: '/w/empty' })
        expect(await refusal(applyPatch, { patch: rename('b', 'c') + rename('a', 'd/b') })).toEqual({
          code: 'EXISTS',
          path: '/w/d/b',
          from: '/w/a',
        })
        expect(await refusal(applyPatch, { patch: rename('a', 'b') + gone('b', 'other') })).toMatchObject({
          code: 'PATCH_MISMATCH',
          path: '/w/b',
        })
        const v4a = lines('*** Begin Patch', '*** Add File: b', '+new', '*** Delete File: b', '*** End Patch')
        expect(await refusal(applyPatch, { patch: v4a })).toEqual({ code: 'EXISTS', path: '/w/b' })
      })
    })

    test('context that differs is a mismatch, unless fuzz allows for it', async () => {
      const { change, refusal } = await open({ 'a.txt': 'ONE\ntwo\nthree\n' })
      const patch = twoBecomes('a.txt')
      expect(await refusal(applyPatch, { patch })).toMatchObject({
        code: 'PATCH_MISMATCH',
        path: '/w/a.txt',
        hunk: 1,
      })
      expect((await change(applyPatch, { patch, fuzz: 1 })).tree).toEqual({ 'a.txt': 'ONE\nTWO\nthree\n' })
    })

    test('one hunk that does not fit leaves everything as it was', async () => {
      const { refusal } = await open({ 'a.txt': one23, 'b.txt': 'real\n', 'gone.txt': 'bye\n' })
      const patch =
        twoBecomes('a.txt') +
        lines('--- /dev/null', '+++ b/n/new.txt', '@@ -0,0 +1 @@', '+hi') +
        lines('--- a/gone.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-bye') +
        modify('b.txt', '@@ -1 +1 @@', '-imagined', '+x')
      expect(await refusal(applyPatch, { patch })).toMatchObject({
        code: 'PATCH_MISMATCH',
        path: '/w/b.txt',
        hunk: 1,
      })
    })

    test('a delete that would leave something is a mismatch', async () => {
      const { refusal } = await open({ 'a.txt': 'one\ntwo\n' })
      const patch = lines('--- a/a.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-one')
      expect(await refusal(applyPatch, { patch })).toEqual({
        code: 'PATCH_MISMATCH',
        path: '/w/a.txt',
        reason: 'not-whole-file',
      })
    })

    test('line endings: those of the file beside, or of most of it; new files use LF', async () => {
      const patch = twoBecomes('a.txt', '2') + lines('--- /dev/null', '+++ b/n.txt', '@@ -0,0 +1 @@', '+hi')
      const crlf = await open({ 'a.txt': 'one\r\ntwo\r\nthree\r\n' })
      expect((await crlf.change(applyPatch, { patch })).tree).toEqual({
        'a.txt': 'one\r\n2\r\nthree\r\n',
        'n.txt': 'hi\n',
      })
      const mixed = await open({ 'a.txt': 'one\r\ntwo\nthree\r\n' })
      expect((await mixed.change(applyPatch, { patch })).tree).toMatchObject({ 'a.txt': 'one\r\n2\nthree\r\n' })
      const most = await open({ 'a.txt': 'one\r\ntwo\nthree\r\n' })
      expect((await most.change(applyPatch, { patch, endings: 'dominant' })).tree).toMatchObject({
        'a.txt': 'one\r\n2\r\nthree\r\n',
      })
    })

    test('byte-order mark and a missing final newline stay', async () => {
      const { change } = await open({ 'a.txt': '\ufeffone\ntwo\nthree' })
      expect((await change(applyPatch, { patch: twoBecomes('a.txt') })).tree).toEqual({
        'a.txt': '\ufeffone\nTWO\nthree',
      })
    })

    test('a byte-order mark that the patch shows, as git does, is part of the first line', async () => {
      const tree = { 'a.txt': `\ufeff${one23}`, 'bare.txt': one23, 'gone.txt': '\ufeffbye\n' }
      const edited = await open(tree)
      const patch =
        modify('a.txt', '@@ -1,3 +1,3 @@', ' \ufeffone', '-two', '+2', ' three') +
        modify('bare.txt', '@@ -1,3 +1,3 @@', '-one', '+\ufeff1', ' two', ' three') +
        lines('--- a/gone.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-\ufeffbye')
      expect((await edited.change(applyPatch, { patch })).tree).toEqual({
        'a.txt': '\ufeffone\n2\nthree\n',
        'bare.txt': '\ufeff1\ntwo\nthree\n',
      })
      const taken = await open(tree)
      const takeAway =
        modify('a.txt', '@@ -1,3 +1,3 @@', '-\ufeffone', '+one', ' two', ' three') +
        lines('--- a/gone.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-bye')
      expect((await taken.change(applyPatch, { patch: takeAway })).tree).toEqual({ 'a.txt': one23, 'bare.txt': one23 })
    })

    test('bytes that are not text stay around an edit', async () => {
      const { change } = await open({ 'a.txt': Uint8Array.from([0xe9, 0x0a, 0x6f, 0x6e, 0x65, 0x0a, 0xff, 0x0a]) })
      const patch = modify('a.txt', '@@ -2 +2 @@', '-one', '+1')
      expect((await change(applyPatch, { patch })).tree).toEqual({
        'a.txt': Uint8Array.from([0xe9, 0x0a, 0x31, 0x0a, 0xff, 0x0a]),
      })
    })
  })

  describe('in V4A format', () => {
    test('updates, adds, deletes and moves in one change', async () => {
      const { change } = await open({ 'a.txt': one23, 'gone.txt': 'bye\n', 'old.txt': one23, 'same.txt': 's\n' })
      const patch = lines(
        '*** Begin Patch',
        '*** Update File: a.txt',
        '@@ one',
        '-two',
        '+TWO',
        '*** Add File: n/new.txt',
        '+l1',
        '+l2',
        '*** Delete File: gone.txt',
        '*** Update File: old.txt',
        '*** Move to: moved.txt',
        '@@',
        '-one',
        '+1',
        '*** Update File: same.txt',
        '*** Move to: n/same.txt',
        '*** End Patch',
      )
      const { result, tree } = await change(applyPatch, { patch })
      expect(result.map(({ kind, path, toPath, added, removed }) => [kind, path, toPath, added, removed])).toEqual([
        ['modify', '/w/a.txt', undefined, 1, 1],
        ['create', '/w/n/new.txt', undefined, 2, 0],
        ['delete', '/w/gone.txt', undefined, 0, 1],
        ['rename', '/w/old.txt', '/w/moved.txt', 1, 1],
        ['rename', '/w/same.txt', '/w/n/same.txt', 0, 0],
      ])
      expect(tree).toEqual({
        'a.txt': 'one\nTWO\nthree\n',
        'moved.txt': '1\ntwo\nthree\n',
        'n/': '',
        'n/new.txt': 'l1\nl2\n',
        'n/same.txt': 's\n',
      })
    })

    test('also inside a command with a here-document, or a block of Markdown', async () => {
      const rows = ['*** Begin Patch', '*** Update File: a.txt', '-two', '+2', '*** End Patch']
      for (const patch of [lines("cd /w && apply_patch <<'EOF'", ...rows, 'EOF'), lines('```', ...rows, '```')]) {
        const { change } = await open({ 'a.txt': one23 })
        expect((await change(applyPatch, { patch })).tree).toEqual({ 'a.txt': 'one\n2\nthree\n' })
      }
    })

    test('a hunk that fits more than once is refused with the lines where it does', async () => {
      const { refusal } = await open({ 'a.txt': 'x\n1\nx\n' })
      const patch = lines('*** Begin Patch', '*** Update File: a.txt', '-x', '+y', '*** End Patch')
      expect(await refusal(applyPatch, { patch })).toEqual({
        code: 'PATCH_MISMATCH',
        path: '/w/a.txt',
        hunk: 1,
        reason: 'ambiguous',
        lines: [1, 3],
      })
    })

    test('a delete counts the lines that go', async () => {
      const { run } = await open({ a: 'one\ntwo\n', b: 'one\ntwo', c: '' })
      const patch = lines(
        '*** Begin Patch',
        ...['a', 'b', 'c'].map((name) => `*** Delete File: ${name}`),
        '*** End Patch',
      )
      expect((await run(applyPatch, { patch, dryRun: true })).map(({ removed }) => removed)).toEqual([2, 2, 0])
    })

    test('CRLF files keep CRLF', async () => {
      const { change } = await open({ 'a.txt': 'one\r\ntwo\r\nthree\r\n' })
      const patch = lines('*** Begin Patch', '*** Update File: a.txt', '@@', ' one', '-two', '+TWO', '*** End Patch')
      expect((await change(applyPatch, { patch })).tree).toEqual({ 'a.txt': 'one\r\nTWO\r\nthree\r\n' })
    })

    test('lines that are not there are a mismatch, and nothing is changed', async () => {
      const { refusal } = await open({ 'a.txt': one23 })
      const patch = lines(
        '*** Begin Patch',
        '*** Add File: new.txt',
        '+x',
        '*** Update File: a.txt',
        '@@',
        '-imagined',
        '+x',
        '*** End Patch',
      )
      expect(await refusal(applyPatch, { patch })).toMatchObject({ code: 'PATCH_MISMATCH', path: '/w/a.txt', hunk: 1 })
    })
  })

  test('deleting or moving a link affects the link, not its target', async () => {
    const tree = { 'd/a.txt': one23, l: { link: 'd/a.txt' }, out: { link: '../outside/secret.txt' } }
    const v4a = (...rows: string[]) => lines('*** Begin Patch', ...rows, '*** End Patch')
    const deleted = await open(tree)
    expect(await deleted.change(applyPatch, { patch: v4a('*** Delete File: l', '*** Delete File: out') })).toEqual({
      result: [
        { kind: 'delete', path: '/w/l', added: 0, removed: 0 },
        { kind: 'delete', path: '/w/out', added: 0, removed: 0 },
      ],
      tree: { 'd/': '', 'd/a.txt': one23 },
    })
    for (const patch of [
      lines('diff --git a/l b/m', 'similarity index 100%', 'rename from l', 'rename to m'),
      v4a('*** Update File: l', '*** Move to: m'),
    ]) {
      const moved = await open(tree)
      expect(await moved.change(applyPatch, { patch })).toEqual({
        result: [{ kind: 'rename', path: '/w/l', toPath: '/w/m', added: 0, removed: 0 }],
        tree: { 'd/': '', 'd/a.txt': one23, m: tree.l, out: tree.out },
      })
    }
    const edited = await open(tree)
    for (const patch of [
      v4a('*** Update File: l', '*** Move to: m', '-two', '+2'),
      lines('--- a/l', '+++ /dev/null', '@@ -1,3 +0,0 @@', '-one', '-two', '-three'),
    ]) {
      expect(await edited.refusal(applyPatch, { patch })).toEqual({ code: 'IS_LINK', path: '/w/l' })
    }
    const onto = lines('diff --git a/d/a.txt b/l', 'rename from d/a.txt', 'rename to l')
    expect(await edited.refusal(applyPatch, { patch: onto })).toEqual({
      code: 'EXISTS',
      path: '/w/l',
      from: '/w/d/a.txt',
    })
  })

  test('a dry run reports everything, changes nothing and writes no history', async () => {
    const { run, tree, workspace, leftovers } = await open({ 'a.txt': one23 })
    const patch = twoBecomes('a.txt') + lines('--- /dev/null', '+++ b/n/new.txt', '@@ -0,0 +1 @@', '+hi')
    expect(await run(applyPatch, { patch, dryRun: true })).toEqual([
      { kind: 'modify', path: '/w/a.txt', added: 1, removed: 1, before: one23, after: 'one\nTWO\nthree\n' },
      { kind: 'create', path: '/w/n/new.txt', added: 1, removed: 0, after: 'hi\n' },
    ])
    expect([await tree(), await workspace.history.list(), await leftovers()]).toEqual([{ 'a.txt': one23 }, [], []])
  })

  describe('is refused', () => {
    test('where an entry is in the way', async () => {
      const { refusal } = await open({ 'a.txt': one23, 'b.txt': 'b\n', 'd/': '', file: '' })
      const create = (name: string) => lines('--- /dev/null', `+++ b/${name}`, '@@ -0,0 +1 @@', '+x')
      expect(await refusal(applyPatch, { patch: create('a.txt') })).toEqual({ code: 'EXISTS', path: '/w/a.txt' })
      expect(await refusal(applyPatch, { patch: create('d') })).toEqual({ code: 'EXISTS', path: '/w/d' })
      expect(await refusal(applyPatch, { patch: create('file/x') })).toEqual({
        code: 'NOT_A_DIRECTORY',
        path: '/w/file/x',
      })
      const rename = lines('--- a/a.txt', '+++ b/b.txt')
      expect(await refusal(applyPatch, { patch: rename })).toEqual({
        code: 'EXISTS',
        path: '/w/b.txt',
        from: '/w/a.txt',
      })
    })

    test('where the file is missing, no text, in another encoding or too large', async () => {
      const { refusal } = await open(
        {
          'd/': '',
          'b.bin': new Uint8Array([0x61, 0]),
          'u.txt': Uint8Array.from([0xff, 0xfe, 0x61, 0]),
          big: 'x'.repeat(99),
        },
        { limits: { maxFileBytes: 50 } },
      )
      const rules = { binaryWindow: 8000, encodings: ['utf-8' as const] }
      expect(await refusal(applyPatch, { patch: twoBecomes('gone'), ...rules })).toEqual({
        code: 'NOT_FOUND',
        path: '/w/gone',
      })
      expect(await refusal(applyPatch, { patch: twoBecomes('d'), ...rules })).toEqual({
        code: 'IS_A_DIRECTORY',
        path: '/w/d',
      })
      expect(await refusal(applyPatch, { patch: twoBecomes('b.bin'), ...rules })).toEqual({
        code: 'BINARY',
        path: '/w/b.bin',
      })
      expect(await refusal(applyPatch, { patch: twoBecomes('u.txt'), ...rules })).toEqual({
        code: 'WRONG_ENCODING',
        path: '/w/u.txt',
        encoding: 'utf-16le',
      })
      expect(await refusal(applyPatch, { patch: twoBecomes('big'), ...rules })).toEqual({
        code: 'TOO_LARGE',
        path: '/w/big',
        size: 99,
        limit: 50,
      })
    })

    test('when it can not be read', async () => {
      const { refusal } = await open({ 'a.txt': one23 })
      expect(await refusal(applyPatch, { patch: 'just some words\n' })).toEqual({
        code: 'MALFORMED_PATCH',
        line: 1,
        reason: 'no file header (--- and +++, or diff --git) found',
        lacks: 'hunks',
      })
      expect(await refusal(applyPatch, { patch: twoBecomes('a.txt') + modify('a.txt') })).toEqual({
        code: 'MALFORMED_PATCH',
        line: 8,
        reason: 'the block changes nothing: no hunk follows',
        lacks: 'hunks',
      })
    })

    test('when it holds half a character, which has no bytes', async () => {
      const { refusal } = await open({ 'a.txt': one23 })
      const create = lines('--- /dev/null', '+++ b/new.txt', '@@ -0,0 +1 @@', '+\ud800')
      expect(await refusal(applyPatch, { patch: create })).toEqual({
        code: 'MALFORMED_PATCH',
        line: 4,
        reason: 'text that is not well-formed',
      })
      expect(await refusal(applyPatch, { patch: twoBecomes('a.txt', '\udcff') })).toMatchObject({
        code: 'MALFORMED_PATCH',
        line: 6,
      })
    })

    test('when a path is named twice and repeats are not allowed', async () => {
      const { refusal, change } = await open({ 'a.txt': one23 })
      const patch = twoBecomes('a.txt') + modify('./a.txt', '@@ -3 +3 @@', '-three', '+3')
      expect(await refusal(applyPatch, { patch, repeats: 'refuse' })).toEqual({
        code: 'REPEATED_PATH',
        path: '/w/a.txt',
      })
      expect((await change(applyPatch, { patch })).tree).toEqual({ 'a.txt': 'one\nTWO\n3\n' })
    })

    test('when both ends of a rename, or two spellings through a link, are the same file', async () => {
      const { refusal } = await open({ 'd/a.txt': one23, dir: { link: 'd' } })
      const rename =
        lines('--- a/d/a.txt', '+++ b/b.txt') + lines('--- /dev/null', '+++ b/b.txt', '@@ -0,0 +1 @@', '+x')
      expect(await refusal(applyPatch, { patch: rename, repeats: 'refuse' })).toEqual({
        code: 'REPEATED_PATH',
        path: '/w/b.txt',
      })
      const twice = twoBecomes('d/a.txt') + modify('dir/a.txt', '@@ -3 +3 @@', '-three', '+3')
      expect(await refusal(applyPatch, { patch: twice, repeats: 'refuse' })).toEqual({
        code: 'REPEATED_PATH',
        path: '/w/dir/a.txt',
      })
    })

    test('outside, and through a link at the end when asked for', async () => {
      const { refusal, change } = await open({ 'd/a.txt': one23, to: { link: 'd/a.txt' } })
      for (const patch of [
        twoBecomes('../outside/secret.txt'),
        lines('--- /dev/null', '+++ b/../outside/n.txt', '@@ -0,0 +1 @@', '+x'),
        lines('--- a/d/a.txt', '+++ b/../outside/moved.txt'),
      ]) {
        expect(await refusal(applyPatch, { patch })).toMatchObject({ code: 'OUTSIDE' })
      }
      expect(await refusal(applyPatch, { patch: twoBecomes('to'), finalLink: 'refuse' })).toEqual({
        code: 'IS_LINK',
        path: '/w/to',
      })
      expect((await change(applyPatch, { patch: twoBecomes('to') })).tree).toEqual({
        'd/': '',
        'd/a.txt': 'one\nTWO\nthree\n',
        to: { link: 'd/a.txt' },
      })
    })
  })
})
