import { describe, expect, test } from 'vitest'
import { applyHunks } from '../../../../src/text/patch/apply-hunks.js'
import { countChanges } from '../../../../src/text/patch/patch.js'
import { parseUnifiedPatch } from '../../../../src/text/patch/unified-patch.js'
import { applyToTree, patchText, readScenarios } from './scenarios.js'

describe('unified patches', () => {
  test.each(readScenarios('unified.json'))('$name', (scenario) => {
    const { before = {}, after, modes, mismatch, malformed } = scenario
    if (malformed) {
      expect(() => parseUnifiedPatch(patchText(scenario))).toThrow(
        expect.objectContaining({ code: 'MALFORMED_PATCH', facts: malformed }),
      )
      return
    }
    const outcome = applyToTree(parseUnifiedPatch(patchText(scenario)), before)
    expect(outcome).toEqual(mismatch ? { mismatch } : { after, ...(modes && { modes }) })
  })

  test('a patch without a final newline of its own', () => {
    const [patch] = parseUnifiedPatch('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b')
    expect(applyHunks('a\n', patch?.hunks ?? [])).toEqual({ ok: true, text: 'b\n' })
  })

  test('everything that a patch can contain', () => {
    const text = [
      'diff --git a/a.txt b/b.txt',
      'old mode 100644',
      'new mode 100755',
      'rename from a.txt',
      'rename to b.txt',
      '--- a/a.txt',
      '+++ b/b.txt',
      '@@ -4,2 +4,2 @@ heading',
      ' keep',
      '-old\r',
      '+new',
      '\\ No newline at end of file',
      '',
    ].join('\n')
    expect(parseUnifiedPatch(text)).toEqual([
      {
        kind: 'rename',
        path: 'a.txt',
        toPath: 'b.txt',
        mode: 0o755,
        line: 1,
        hunks: [
          {
            line: 8,
            place: { by: 'number', oldStart: 4 },
            lines: [
              { kind: 'context', text: 'keep', ending: '\n' },
              { kind: 'remove', text: 'old', ending: '\r\n' },
              { kind: 'add', text: 'new', ending: '' },
            ],
          },
        ],
      },
    ])
  })

  test('added and removed lines are counted', () => {
    const patches = parseUnifiedPatch('--- a/x\n+++ b/y\n@@ -1,2 +1 @@\n-a\n-b\n+c\n')
    expect(countChanges(patches[0]?.hunks ?? [])).toEqual({ added: 1, removed: 2 })
  })
})

describe('options of applying', () => {
  const hunksOf = (...lines: string[]) => parseUnifiedPatch(`--- a/x\n+++ b/x\n${lines.join('\n')}\n`)[0]?.hunks ?? []

  test('fuzz lets context at either end differ, and the next hunk still follows', () => {
    const hunks = hunksOf('@@ -1,3 +1,3 @@', ' uno', '-two', '+TWO', ' three', '@@ -5 +5 @@', '-x', '+X')
    const text = 'x\none\ntwo\nthree\nfour\nx\nx\n'
    expect(applyHunks(text, hunks)).toEqual({ ok: false, hunk: 1, reason: 'not-found', line: 1 })
    expect(applyHunks(text, hunks, { fuzz: 1 })).toEqual({ ok: true, text: 'x\none\nTWO\nthree\nfour\nX\nx\n' })
  })

  test('added lines may get the most frequent ending of the file instead of the one in the patch', () => {
    const hunks = hunksOf('@@ -1,2 +1,3 @@', ' a', '-b', '+B', '+C\r')
    expect(applyHunks('a\nb\nc\r\nd\r\ne\r\n', hunks, { endings: 'dominant' })).toEqual({
      ok: true,
      text: 'a\nB\r\nC\r\nc\r\nd\r\ne\r\n',
    })
    expect(applyHunks('a\r\nb\n', hunksOf('@@ -1,2 +1,3 @@', ' a', ' b', '+c'), { endings: 'dominant' })).toEqual({
      ok: true,
      text: 'a\r\nb\nc\r\n',
    })
  })

  test('half surrogates pass through untouched', () => {
    const hunks = hunksOf('@@ -1,2 +1,2 @@', ' \udc80x', '-\udcff', '+y\udc81')
    expect(applyHunks('\udc80x\n\udcff\n\udc90', hunks)).toEqual({ ok: true, text: '\udc80x\ny\udc81\n\udc90' })
  })
})
