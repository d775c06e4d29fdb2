import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type FileChange, unifiedDiff } from '../../../../src/text/diff/unified-diff.js'
import { parseUnifiedPatch } from '../../../../src/text/patch/unified-patch.js'
import { applyToTree, patchText, readScenarios, type Tree } from './scenarios.js'

describe('git apply accepts the output of unifiedDiff, and our parser reads it', () => {
  const changes: Record<string, FileChange> = {
    modify: { path: 'a.txt', before: 'one\ntwo\nthree\n', after: 'one\n2\nthree\n' },
    'modify far apart': {
      path: 'a.txt',
      before: numbered(40),
      after: numbered(40).replace('3\n', '').replace('33\n', 'x\n'),
    },
    create: { path: 'dir/new.txt', after: 'l1\nl2\n' },
    'create an executable': { path: 'run', after: '#!/bin/sh\n', modeAfter: 0o755 },
    'create an empty file': { path: 'empty', after: '' },
    delete: { path: 'a.txt', before: 'l1\nl2\n' },
    'delete an empty file': { path: 'empty', before: '' },
    rename: { path: 'a.txt', toPath: 'dir/b.txt', before: 'x\n', after: 'x\n' },
    'rename with an edit': { path: 'a.txt', toPath: 'b.txt', before: 'one\ntwo\n', after: 'one\n2\n' },
    'change the mode': { path: 'a.txt', before: 'x\n', after: 'x\n', modeBefore: 0o644, modeAfter: 0o755 },
    'change the mode and the text': { path: 'a', before: 'x\n', after: 'y\n', modeBefore: 0o755, modeAfter: 0o644 },
    'repeat a line among others like it, below another change': {
      path: 'a.txt',
      before: `p\nq\n${'a\n'.repeat(10)}`,
      after: `P\nq\n${'a\n'.repeat(11)}`,
    },
    'add the final newline': { path: 'a.txt', before: 'one\ntwo', after: 'one\ntwo\n' },
    'take the final newline away': { path: 'a.txt', before: 'one\ntwo\n', after: 'one\ntwo' },
    'no final newline on either side': { path: 'a.txt', before: 'one\ntwo', after: 'one\n2' },
    'no final newline, change above': { path: 'a.txt', before: 'one\ntwo', after: '1\ntwo' },
    'a CRLF file': { path: 'a.txt', before: 'one\r\ntwo\r\nthree\r\n', after: 'one\r\n2\r\nthree\r\n' },
    'from CRLF to LF': { path: 'a.txt', before: 'one\r\ntwo\r\n', after: 'one\ntwo\n' },
    'CR alone at the end': { path: 'a.txt', before: 'one\rtwo\r', after: 'one\r2\r' },
    'a byte-order mark comes': { path: 'a.txt', before: 'one\ntwo\n', after: '\ufeffone\ntwo\n' },
    'fill an empty file': { path: 'a.txt', before: '', after: 'x\n' },
    'empty a file': { path: 'a.txt', before: 'x\ny\n', after: '' },
    'a name with spaces': { path: 'my dir/my file', before: 'x\n', after: 'y\n' },
    'a name with quotes and a backslash': { path: 'a "b" \\c', before: 'x\n', after: 'y\n' },
    'a name in another script': { path: 'täst/日本語 🎉.txt', before: 'x\n', after: 'y\n' },
    'a name with control characters': { path: 'tab\tnewline\nbell\u0007del\u007f', before: 'x\n', after: 'y\n' },
    'rename to a name that needs quotes': { path: 'a b/c', toPath: 'ü "x"', before: 'x\n', after: 'x\n' },
  }

  test.each(Object.entries(changes))('%s', (_, change) => {
    const { path, toPath = path, before, after, modeBefore = 0o644, modeAfter = modeBefore } = change
    const patch = unifiedDiff(change)
    const tree = before === undefined ? {} : { [path]: before }
    const expected = after === undefined ? {} : { [toPath]: after }
    const applied = gitApply(patch, tree, { [path]: modeBefore })
    expect(applied.after).toEqual(expected)
    if (after !== undefined) expect(applied.modes[toPath]).toBe(modeAfter)
    expect(applyToTree(parseUnifiedPatch(patch), tree).after).toEqual(expected)
  })

  test('without context it takes --unidiff-zero', () => {
    const before = numbered(9)
    const after = before.replace('4\n', '4\nx\n').replace('8\n', '')
    const patch = unifiedDiff({ path: 'a', before, after }, { context: 0 })
    expect(patch).toBe('diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -4,0 +5 @@\n+x\n@@ -8 +8,0 @@\n-8\n')
    expect(gitApply(patch, { a: before }, {}, ['--unidiff-zero']).after).toEqual({ a: after })
    expect(applyToTree(parseUnifiedPatch(patch), { a: before }).after).toEqual({ a: after })
  })
})

describe('git apply gives the same results in our scenarios', () => {
  test.each(readScenarios('unified.json').filter(({ after, notGit }) => after && !notGit))('$name', (scenario) => {
    const { before = {}, after } = scenario
    expect(gitApply(patchText(scenario), before, {}).after).toEqual(after)
  })
})

function numbered(count: number): string {
  return Array.from({ length: count }, (_, at) => `${at + 1}\n`).join('')
}

/** Runs the real git in a directory of its own. */
function gitApply(patch: string, before: Tree, modes: Record<string, number>, options: string[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'polyfs-git-apply-'))
  try {
    for (const [path, text] of Object.entries(before)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
      chmodSync(join(root, path), modes[path] ?? 0o644)
    }
    const env = {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CEILING_DIRECTORIES: tmpdir(),
    }
    const git = spawnSync('git', ['apply', '--whitespace=nowarn', ...options, '-'], {
      cwd: root,
      input: patch,
      encoding: 'utf8',
      env,
    })
    expect(git.stderr).toBe('')
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = files.map((entry) => join(entry.parentPath, entry.name))
    const name = (path: string) => path.slice(root.length + 1)
    return {
      after: Object.fromEntries(paths.map((path) => [name(path), readFileSync(path, 'utf8')])),
      modes: Object.fromEntries(paths.map((path) => [name(path), statSync(path).mode & 0o777])),
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
