/** Every operation that changes something: where it may not, nothing is written, not even to the journal. */
import { describe, expect, test } from 'vitest'
import { applyPatch } from '../../../src/ops/apply-patch.js'
import { copyEntry } from '../../../src/ops/copy-entry.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import { editText } from '../../../src/ops/edit-text.js'
import { makeDirectory } from '../../../src/ops/make-directory.js'
import { moveEntry } from '../../../src/ops/move-entry.js'
import { setMode } from '../../../src/ops/set-mode.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { backends, type Stage } from './stage.js'

const lines = (...rows: string[]) => `${rows.join('\n')}\n`

/** Everything that would change the directory `at`, which holds `x` (one line: X) and `d/y`. */
function attempts(at: string): Record<string, (stage: Stage) => Promise<object>> {
  const patch = (text: string) => (stage: Stage) => stage.refusal(applyPatch, { patch: text })
  const move = (from: string, to: string) => (stage: Stage) => stage.refusal(moveEntry, { from, to, replace: true })
  return {
    'write a new file': ({ refusal }) => refusal(writeFiles, { files: [{ path: `${at}/new`, content: 'x' }] }),
    'replace a file': ({ refusal }) => refusal(writeFiles, { files: [{ path: `${at}/x`, content: 'x' }] }),
    'write several, one of them there': ({ refusal }) =>
      refusal(writeFiles, {
        files: [
          { path: 'free', content: 'x' },
          { path: `${at}/x`, content: 'x' },
        ],
      }),
    'edit a file': ({ refusal }) =>
      refusal(editText, { path: `${at}/x`, edits: [{ kind: 'literal', find: 'X', replace: 'Y' }] }),
    'modify by a patch': patch(lines(`--- a/${at}/x`, `+++ b/${at}/x`, '@@ -1 +1 @@', '-X', '+Y')),
    'create by a patch': patch(lines('--- /dev/null', `+++ b/${at}/n/new`, '@@ -0,0 +1 @@', '+x')),
    'delete by a patch': patch(lines(`--- a/${at}/x`, '+++ /dev/null', '@@ -1 +0,0 @@', '-X')),
    'rename out by a patch': patch(lines(`--- a/${at}/x`, '+++ b/out')),
    'rename in by a patch': patch(lines('--- a/k', `+++ b/${at}/k`)),
    'make a directory': ({ refusal }) => refusal(makeDirectory, { path: `${at}/n/m` }),
    'move a file in': move('k', `${at}/k`),
    'move a file out': move(`${at}/x`, 'out'),
    'move a file within': move(`${at}/x`, `${at}/z`),
    'move a directory in': move('e', `${at}/e`),
    'move a directory out': move(`${at}/d`, 'out'),
    'replace by a move': move('k', `${at}/x`),
    'copy a file in': ({ refusal }) => refusal(copyEntry, { from: 'k', to: `${at}/k` }),
    'copy a tree in': ({ refusal }) => refusal(copyEntry, { from: 'e', to: `${at}/e` }),
    'delete a file': ({ refusal }) => refusal(deleteEntry, { path: `${at}/x` }),
    'delete a tree': ({ refusal }) => refusal(deleteEntry, { path: `${at}/d`, recursive: true }),
    'set a mode': ({ refusal }) => refusal(setMode, { path: `${at}/x`, mode: 0o600 }),
  }
}

function treeWith(at: string) {
  return { [`${at}/x`]: 'X\n', [`${at}/d/y`]: 'Y\n', k: 'K\n', 'e/z': 'Z\n', to: { link: at } }
}

describe.each(backends)('%s', (_name, open) => {
  describe('the inside of .git is protected', () => {
    test.each(Object.entries(attempts('.git')))('%s', async (_what, attempt) => {
      expect(await attempt(await open(treeWith('.git')))).toMatchObject({ code: 'PROTECTED', name: '.git' })
    })

    test.each(Object.entries(attempts('to')))('through a link: %s', async (_what, attempt) => {
      expect(await attempt(await open(treeWith('.git')))).toMatchObject({ code: 'PROTECTED', name: '.git' })
    })

    test('and so are the directory itself, and trees that hold one', async () => {
      const stage = await open({ '.git/config': 'C', 'sub/.git/config': 'C', 'sub/x': 'X' })
      const code = 'PROTECTED'
      expect(await stage.refusal(deleteEntry, { path: '.git', recursive: true })).toMatchObject({ code })
      expect(await stage.refusal(deleteEntry, { path: 'sub', recursive: true })).toMatchObject({ code })
      expect(await stage.refusal(moveEntry, { from: '.git', to: 'git' })).toMatchObject({ code })
      expect(
        await stage.refusal(moveEntry, { from: 'sub/x', to: 'sub/.git/hooks/x', makeParents: true }),
      ).toMatchObject({ code })
      expect(await stage.refusal(copyEntry, { from: 'sub', to: 'sub2' })).toMatchObject({ code })
      expect(await stage.refusal(makeDirectory, { path: 'new/.GIT' })).toMatchObject({ code, name: '.GIT' })
    })
  })

  describe('a read-only root in a writable one stays as it is', () => {
    test.each(Object.entries(attempts('ro')))('%s', async (_what, attempt) => {
      const refused = await attempt(await open(treeWith('ro'), { readOnlyRoot: 'ro' }))
      expect(refused).toMatchObject({ code: 'READ_ONLY' })
    })

    test.each(Object.entries(attempts('to')))('through a link: %s', async (_what, attempt) => {
      const refused = await attempt(await open(treeWith('ro'), { readOnlyRoot: 'ro' }))
      expect(refused).toMatchObject({ code: 'READ_ONLY' })
    })
  })

  describe('a read-only workspace stays as it is', () => {
    test.each(Object.entries(attempts('d')))('%s', async (_what, attempt) => {
      expect(await attempt(await open(treeWith('d'), { readOnly: true }))).toMatchObject({ code: 'READ_ONLY' })
    })
  })
})
